import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import * as fc from 'fast-check';
import { anyFilter } from '../../testing/any-filter.ts';
import { explain } from './explain.ts';
import { strictParser, tokensOf } from './language.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import { collectProblems, pointAt } from './problem.ts';

/** The text, its markers, and per problem the message and the suggestion. */
const cases: [text: string, marks: string, ...problems: string[]][] = [
  // operators
  ['a = 1', '  ^', 'unknown operator = → =='],
  ['a === 1', '  ^^^', 'unknown operator === → =='],
  ['a <> 1', '  ^^', 'unknown operator <> → !='],
  ['a => 1', '  ^^', 'unknown operator => → >='],
  ['a lik "x"', '  ^^^', 'unknown operator lik → like'],
  ['a LIKE "x"', '  ^^^^', 'unknown operator LIKE → like'],
  ['a Not Like "x"', '  ^^^^^^^^', 'unknown operator Not Like → not like'],
  ['a contains "x"', '  ^^^^^^^^', 'unknown operator contains → like'],
  ['a is null', '  ^^', 'unknown operator is → =='],
  ['a is not null', '  ^^^^^^', 'unknown operator is not → !='],
  ['a frobs "x"', '  ^^^^^', 'unknown operator frobs'],
  ['a not "x"', '  ^^^', 'not is allowed only before like and in; use != → !='],
  ['a not == "x"', '  ^^^^^^', 'not is allowed only before like and in; invert the operator'],
  ['not a == 1', '^^^', 'not is allowed only before like and in; invert the operators instead'],
  ['a "x"', '  ^', 'an operator is missing → == '],
  ['a ["x"]', '  ^', 'an operator is missing → in '],
  ['a', '^', 'a needs an operator and a value, such as a == true → a == true'],
  ['a and b == 1', '^', 'a needs an operator and a value, such as a == true → a == true'],
  ['has(a)', '^^^^', 'functions are not supported; use one of'],
  ['a < 5 < 6', '      ^', 'a condition has one operator; join two conditions by and'],
  ['a < true', '  ^', 'true has no order; compare it with == or !='],
  ['a >= null', '  ^^', 'null has no order; compare it with == or !='],
  ['a::int like "5"', '       ^^^^', 'like compares texts, and ::int gives a number; use ::str'],

  // values
  ['a == error', '     ^^^^^', 'texts stand in quotes → "error"'],
  ['a == User:alice', '     ^^^^^^^^^^', 'texts stand in quotes → "User:alice"'],
  ['a == my-topic', '     ^^^^^^^^', 'texts stand in quotes → "my-topic"'],
  ['a == 10ms', '     ^^^^', 'texts stand in quotes → "10ms"'],
  ['a == `b`', '     ^^^', 'backticks are for field names; put strings in quotes → "b"'],
  ['a == TRUE', '     ^^^^', 'it is written true → true'],
  ['a == None', '     ^^^^', 'it is written null → null'],
  ['a == "x', '     ^^', 'unterminated string: the closing quote is missing → "x"'],
  ["a == 'x", '     ^^', "unterminated string: the closing quote is missing → 'x'"],
  ['a == "\\%"', '      ^^', 'unknown escape \\%; write a backslash as \\\\ → \\\\%'],
  ['a ==', '    ^', 'a value is missing after =='],
  ['a == and b == 1', '    ^', 'a value is missing after =='],
  ['a == == 1', '     ^^', 'a value is expected after ==, not =='],
  ['a == +5', '     ^', 'a value is expected after ==, not +'],
  ['a == 1e999', '     ^^^^^', 'the number is too large'],
  ['a == 5::int', '      ^^^^^', 'a cast follows a field, not a value → '],
  ['a like 5', '       ^', 'like takes a pattern in quotes → "5"'],
  ['a::int == "5"', '          ^^^', '::int gives a number; write the value as a number'],
  ['a::str in ["5", 5]', '          ^^^^^^^^', '::str gives text; write the value in quotes'],

  // lists
  ['a in "x"', '     ^^^', 'in takes a list in square brackets → ["x"]'],
  ['a in ("x", "y")', '     ^^^^^^^^^^', 'put a list in square brackets → ["x", "y"]'],
  ['a == ["x"]', '     ^^^^^', '== takes one value; in takes a list'],
  ['a in []', '     ^^', 'the list is empty; name at least one value'],
  ['a in [1 2]', '        ^', 'a comma is missing → , '],
  ['a in [1,]', '        ^', 'a value is missing after the comma'],
  ['a in [,1]', '      ^', 'a value is missing before the comma'],
  ['a in [x]', '      ^', 'texts stand in quotes → "x"'],
  ['a in [1', '     ^', 'the closing bracket of the list is missing'],
  ['a in [1 and b == 1', '     ^', 'the closing bracket of the list is missing'],

  // fields
  ['a.b. == 1', '    ^', 'a name is missing after the dot'],
  ['a.b-c == 1', '  ^^^', 'b-c needs backticks: without them names have letters, digits and _ only → `b-c`'],
  ['@a == 1', '^^', '@a needs backticks: without them names have letters, digits and _ only → `@a`'],
  ['é.b == 1', '^', 'é needs backticks: without them names have letters, digits and _ only → `é`'],
  ['a.0 == 1', '  ^', '0 needs backticks: without them names have letters, digits and _ only → `0`'],
  ['"a.b" == 1', '^^^^^', 'a condition begins with a field, not with a value → a.b'],
  ['5 == a', '^    ^', 'a condition begins with a field, not with a value', 'texts stand in quotes → "a"'],
  ['a::string == "x"', '   ^^^^^^', 'unknown cast ::string; use ::int, ::float, ::str → str'],
  ['a::flaot == 1', '   ^^^^^', 'unknown cast ::flaot; use ::int, ::float, ::str → float'],
  ['a:: == 1', '   ^', 'a cast is missing after ::; use int, float or str'],
  [
    'data.oepration == 1',
    '^^^^^^^^^^^^^^',
    'no event has a field data.oepration; did you mean data.operation? → data.operation',
  ],
  [
    'operation == 1',
    '^^^^^^^^^',
    'no event has a field operation; did you mean data.operation? → data.operation',
  ],
  ['frobnicated == 1', '^^^^^^^^^^^', 'no event has a field frobnicated'],

  // what joins conditions
  ['a == 1 b == 2', '       ^', 'and or or is missing between two conditions → and '],
  ['a == 1 && b == 2', '       ^^', 'conditions are joined by and, or and |, not by && → and'],
  ['a == 1&&b == 2', '      ^^', 'conditions are joined by and, or and |, not by && →  and '],
  ['a == 1 || b == 2', '       ^^', 'conditions are joined by and, or and |, not by || → or'],
  ['a == 1 AND b == 2', '       ^^^', 'conditions are joined by and, or and |, not by AND → and'],
  ['a == 1 adn b == 2', '       ^^^', 'conditions are joined by and, or and |, not by adn → and'],
  ['a == 1, b == 2', '      ^', 'conditions are joined by and, or and |, not by , → and'],
  ['a == 1 and', '          ^', 'a condition is missing here'],
  ['| a == 1', '^', 'a condition is missing before |'],
  ['a == 1 or or b == 2', '          ^^', 'a condition is missing before or'],
  [
    '(a == 1 | b == 2)',
    '        ^',
    '| joins whole filters and is not allowed in parentheses; use and → and',
  ],
  ['(a == 1', '^', 'the closing parenthesis is missing'],
  ['a == 1)', '      ^', 'the opening parenthesis is missing → '],
  ['()', ' ^', 'a condition is missing before the parenthesis'],
  ['# a == 1', '^', 'unexpected #'],

  // several at a time
  [
    'a = 1 AND b == x',
    '  ^   ^^^      ^',
    'unknown operator = → ==',
    'conditions are joined by and, or and |, not by AND → and',
    'texts stand in quotes → "x"',
  ],
];

const fields = ['a', 'b', 'a.b', 'a.b-c', 'data.operation', 'data.principal'];

test('mistakes are marked, with a suggestion', () => {
  for (const [text, marks, ...expected] of cases) {
    const { problems } = parseFilter(text, { fields });
    assert.ok(problems !== undefined, text);
    const reported = problems.map(({ message, suggestion }) =>
      suggestion === undefined ? message : `${message} → ${suggestion}`,
    );
    assert.equal(reported.length, expected.length, `${text}: ${reported.join(', ')}`);
    for (const [index, line] of reported.entries()) {
      // The start of long advice is enough, plus the suggestion.
      const [message, suggestion] = expected[index]!.split(' → ');
      assert.ok(line.startsWith(message!), `${text}: ${line}`);
      assert.equal(problems[index]!.suggestion, suggestion, text);
    }
    const shown = problems.map((problem) => pointAt(text, problem).split('\n')[1]!);
    assert.equal(overlaid(shown), marks, text);
  }
});

function overlaid(lines: readonly string[]): string {
  const length = Math.max(...lines.map((line) => line.length));
  return Array.from({ length }, (_, n) => (lines.some((line) => line[n] === '^') ? '^' : ' ')).join('');
}

test('applying a suggestion fixes its problem', () => {
  for (const [text] of cases) {
    const { problems } = parseFilter(text, { fields });
    const [problem, ...others] = problems!;
    if (problem?.suggestion === undefined || others.length > 0) continue;
    const mended = text.slice(0, problem.from) + problem.suggestion + text.slice(problem.to);
    const { problems: left = [] } = parseFilter(mended);
    assert.deepEqual(
      left.map(({ message }) => `${mended}: ${message}`),
      [],
    );
  }
});

test('lines and columns are counted from 1', () => {
  const { problems } = parseFilter('a == 1\nand b = 2\n  or c == x');
  assert.deepEqual(
    problems!.map(({ line, column, from, to }) => [line, column, from, to]),
    [
      [2, 7, 13, 14],
      [3, 11, 27, 28],
    ],
  );
});

test('a text has an explanation exactly where the grammar refuses it', () => {
  const tokens = [
    ...['a', 'b', 'int', '`c d`', '.', '::', '==', '<', 'like', 'not', 'in', '"x"', '5', 'true', 'null'],
    ...['[', ']', ',', '(', ')', 'and', 'or', '|', '=', '&&', '"', '-', 'é', '#', 'AND'],
  ];
  const anySoup = fc.array(fc.constantFrom(...tokens), { maxLength: 12 });
  const anyDamaged = fc
    .tuple(anyFilter.map(printFilter), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...tokens))
    .map(([text, at, length, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + length);
    });
  const anyGlue = fc.constantFrom(' ', '');
  const anyTextAtAll = fc.oneof(
    fc.tuple(anySoup, anyGlue).map(([parts, glue]) => parts.join(glue)),
    anyDamaged,
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  fc.assert(
    fc.property(anyTextAtAll, (text) => {
      const { filter, problems = [] } = parseFilter(text);
      for (const { from, to } of problems) assert.ok(0 <= from && from <= to && to <= text.length);
      let isRefused = false;
      try {
        strictParser.parse(text);
      } catch {
        isRefused = true;
      }
      assert.equal(filter === undefined, problems.length > 0);
      const { report, list } = collectProblems(text, coreLimits.filterProblemsMax);
      explain(tokensOf(text), text, () => {}, report);
      // The grammar accepts unknown casts.
      const isExplained = list().some(({ message }) => isRefused || !message.startsWith('unknown cast'));
      assert.equal(isExplained, isRefused);
    }),
    { numRuns: 5000 },
  );
});

test('a filter beyond the limits is refused', () => {
  const many = (count: number, text: string, glue: string) =>
    Array.from({ length: count }, () => text).join(glue);
  const nested = (depth: number) => `${'('.repeat(depth)}a == 1${')'.repeat(depth)}`;
  const sizes: [name: string, max: number, text: (size: number) => string, problem: RegExp][] = [
    ['characters', coreLimits.filterCharsMax, (size) => 'a == 1'.padEnd(size), /32768 characters at most/],
    ['conditions', coreLimits.filterConditionsMax, (size) => many(size, 'a == 1', ' and '), /256 conditions/],
    ['depth', coreLimits.filterDepthMax, nested, /nested 32 deep/],
    ['list', coreLimits.filterListValuesMax, (size) => `a in [${many(size, '1', ',')}]`, /1000 values/],
    ['keys', coreLimits.filterPathKeysMax, (size) => `${many(size, 'a', '.')} == 1`, /16 keys deep/],
    [
      'pattern',
      coreLimits.filterPatternCharsMax,
      (size) => `a like "${'a'.repeat(size)}"`,
      /1024 characters/,
    ],
  ];
  for (const [name, max, text, problem] of sizes) {
    assert.equal(parseFilter(text(max)).problems, undefined, name);
    assert.match(parseFilter(text(max + 1)).problems![0]!.message, problem);
  }
});

test('text that would only cost time is refused as well', () => {
  const piece = ['(', ')', '[', '"', 'a', 'a.', '== ', '|', 'not ', 'in [', 'é', '`', 'a == 1 and (', '\n'];
  for (const text of piece.map((one) => one.repeat(coreLimits.filterCharsMax / one.length))) {
    const { problems } = parseFilter(text, { fields });
    if (text.trim() === '') assert.equal(problems, undefined);
    else assert.ok(problems!.length > 0 && problems!.length <= coreLimits.filterProblemsMax);
  }
});

test('every unknown field is reported, and the first ones with a suggestion', () => {
  const known = Array.from({ length: 5000 }, (_, n) => `data.some_field_of_an_event_${n}`);
  const unknown = Array.from(
    { length: coreLimits.filterConditionsMax },
    (_, n) => `data.some_filed_of_an_event_x${n} == 1`,
  );
  const { problems } = parseFilter(unknown.join(' and '), { fields: known });
  assert.equal(problems!.length, coreLimits.filterProblemsMax);
  for (const { suggestion } of problems!.slice(0, 5)) assert.ok(known.includes(suggestion!));
});
