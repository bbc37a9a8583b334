import * as fc from 'fast-check';
import { castTo } from '../src/filter/casts.ts';
import { brokenRule } from '../src/filter/rules.ts';
import {
  type Condition,
  casts,
  comparisonOperators,
  type Expression,
  type Field,
  type Filter,
  isJunction,
  type Literal,
} from '../src/filter/tree.ts';

/** Objects with the prototype of literals. */
const plain = { noNullPrototype: true } as const;

/** Few keys and few values, so that filters match events; among them whatever JSON and our own quotes escape. */
const keys = ['a', 'b', 'data', 'in', 'x y', '', '0', 'q"`\\', 'é\u2028', '__proto__', 'constructor', '😀'];
const texts = [
  ...[
    '',
    'a',
    'ab',
    'aba',
    'b',
    'a"b',
    "it's",
    'back\\slash',
    '\\',
    '%',
    '\\%',
    '100%',
    'line\nbreak',
    '\u0000',
  ],
  ...[
    '/path',
    '<&>',
    '\u007f\u2028\ufeff',
    'é',
    '😀',
    '\ud83d',
    '\ude00',
    'a\ud83d',
    '5',
    '5.0',
    '-1e3',
    'true',
    'null',
  ],
];
const numbers = [
  0,
  1,
  5,
  -1,
  5.5,
  -1000,
  0.1,
  1e21,
  5e-324,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  1.7976931348623157e308,
];

export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc
    .array(fc.constantFrom(...'ab%\\"', '\ud83d', '\ude00', '\n'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

const anyNumber = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...numbers) },
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
);

const anyLiteral: fc.Arbitrary<Literal> = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null));

const anyKey = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...keys) },
  fc.string({ unit: 'binary', maxLength: 4 }),
);

const anyField: fc.Arbitrary<Field> = fc
  .record(
    {
      path: fc.array(anyKey, { minLength: 1, maxLength: 3 }),
      cast: fc.option(fc.constantFrom(...casts), { nil: undefined, freq: 3 }),
    },
    plain,
  )
  .map(({ path, cast }) => (cast === undefined ? { path } : { path, cast }));

/** Texts and their prefixes, suffixes and infixes. */
const anyPattern = fc.oneof(
  anyText,
  anyText.map((text) => `%${text}`),
  anyText.map((text) => `${text}%`),
  fc.tuple(anyText, anyText).map(([one, other]) => `${one}%${other}`),
);

const anyCondition: fc.Arbitrary<Condition> = fc
  .oneof(
    fc.record(
      {
        kind: fc.constant('comparison' as const),
        field: anyField,
        operator: fc.constantFrom(...comparisonOperators),
        value: anyLiteral,
      },
      plain,
    ),
    fc.record(
      {
        kind: fc.constant('match' as const),
        field: anyField,
        isNegated: fc.boolean(),
        pattern: anyPattern,
      },
      plain,
    ),
    fc.record(
      {
        kind: fc.constant('membership' as const),
        field: anyField,
        isNegated: fc.boolean(),
        values: fc.array(anyLiteral, { minLength: 1, maxLength: 4 }),
      },
      plain,
    ),
  )
  .filter((condition) => brokenRule(condition) === undefined);

const { expression: anyExpression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyCondition,
    fc.record(
      {
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
      },
      plain,
    ),
  ),
}));

/** Any valid filter. */
export const anyFilter: fc.Arbitrary<Filter> = fc.record(
  {
    stages: fc.oneof(
      { weight: 4, arbitrary: fc.array(anyExpression, { minLength: 1, maxLength: 1 }) },
      fc.array(anyExpression, { maxLength: 3 }),
    ),
  },
  plain,
);

const { value: anyValue } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyLiteral,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  // Made by JSON.parse, so that `__proto__` is an ordinary key.
  object: fc
    .array(fc.tuple(anyKey, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

/** Any event, as `JSON.parse` returns it. */
export const anyEvent: fc.Arbitrary<unknown> = fc
  .array(fc.tuple(anyKey, anyValue), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries) as object);

/** An event with a filter about one of its own values, so that many pairs match. */
export const anyEventAndFilter: fc.Arbitrary<{ event: unknown; filter: Filter }> = fc.oneof(
  fc.record({ event: anyEvent, filter: anyFilter }),
  fc
    .record({
      event: anyEvent,
      filter: anyFilter,
      picks: fc.array(fc.nat({ max: 1000 }), { minLength: 5, maxLength: 16 }),
    })
    .map(({ event, filter, picks }) => ({ event, filter: aimed(filter, event, picks) })),
);

/** Returns the filter with the fields of its conditions, and most of their values, taken from the event. */
function aimed(filter: Filter, event: unknown, picks: readonly number[]): Filter {
  const leaves = leavesOf(event, []);
  let turn = 0;
  if (leaves.length === 0 || picks.length === 0) return filter;
  return { stages: filter.stages.map(aim) };

  function aim(expression: Expression): Expression {
    if (isJunction(expression)) return { ...expression, operands: expression.operands.map(aim) };
    const pick = nextPick();
    const { path, value: found } = leaves[pick % leaves.length]!;
    const { cast } = expression.field;
    const value = cast === undefined ? found : castTo(cast, found);
    const condition: Condition = { ...expression, field: { ...expression.field, path } };
    if (pick % 4 === 0) return condition;
    if (condition.kind === 'comparison') return { ...condition, value };
    if (condition.kind === 'membership') return { ...condition, values: [...condition.values, value] };
    return typeof value === 'string' ? { ...condition, pattern: aimedPattern(value) } : condition;
  }

  /** Pieces of the text. They may overlap, and then the pattern does not match. */
  function aimedPattern(text: string): string {
    const pieces = Array.from({ length: 1 + (nextPick() % 3) }, (_, index) => {
      const from = index === 0 ? 0 : nextPick() % (text.length + 1);
      const to = nextPick() % 3 === 0 ? text.length : from + (nextPick() % (text.length - from + 1));
      return text.slice(from, to).replaceAll(/[\\%]/g, '\\$&');
    });
    return pieces.join('%') + (nextPick() % 2 === 0 ? '%' : '');
  }

  function nextPick(): number {
    return picks[turn++ % picks.length]!;
  }
}

function leavesOf(value: unknown, path: readonly string[]): { path: readonly string[]; value: Literal }[] {
  if (Array.isArray(value))
    return value.flatMap((element) => (Array.isArray(element) ? [] : leavesOf(element, path)));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  return path.length === 0 ? [] : [{ path, value: value as Literal }];
}
