import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyFilter, anyText } from '../../testing/any-filter.ts';
import { builderToFilter, filterToBuilder } from './builder.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import { quoteName, quoteText, unquote } from './quoting.ts';

test('a tree survives printing and parsing', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      assert.deepEqual(parseFilter(printFilter(filter)), { filter });
    }),
    { numRuns: 1000 },
  );
});

test('texts and names survive quoting', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.deepEqual(unquote(quoteText(text)), { text, unknownEscapes: [] });
      assert.deepEqual(unquote(quoteName(text)), { text, unknownEscapes: [] });
    }),
  );
});

test('a filter without chains survives conversion to the builder and back', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      const { builder, isExact } = filterToBuilder(filter);
      assert.equal(isExact, filter.stages.length < 2);
      if (isExact) assert.deepEqual(builderToFilter(builder), { filter });
    }),
    { numRuns: 500 },
  );
});

test('text has one normal form', () => {
  // as written, as printed
  const cases: [written: string, printed: string][] = [
    ['', ''],
    ['  \n ', ''],
    ['a==1', 'a == 1'],
    ['a == 1.0', 'a == 1'],
    ['a == -0', 'a == 0'],
    ['a == 1e3', 'a == 1000'],
    ['a == 1E+30', 'a == 1e+30'],
    ["a == 'x'", 'a == "x"'],
    [`a == 'say "x"'`, 'a == "say \\"x\\""'],
    ['a == "\\u00e9\\n"', 'a == "é\\n"'],
    ['a in[1,"x",null]', 'a in [1, "x", null]'],
    ['a  not   in [true]', 'a not in [true]'],
    ['a not\nlike "%x"', 'a not like "%x"'],
    ['a . b :: int == 1', 'a.b::int == 1'],
    ['`a`.`b` == 1', 'a.b == 1'],
    ['`a b`.c == 1', '`a b`.c == 1'],
    ['`a.b` == 1', '`a.b` == 1'],
    ['`like`.like == 1', '`like`.like == 1'],
    ['a\u00a0== 1', 'a == 1'],
    ['(a == 1)', 'a == 1'],
    ['((a == 1 and b == 2))', 'a == 1 and b == 2'],
    ['a == 1 and (b == 2 and c == 3)', 'a == 1 and (b == 2 and c == 3)'],
    ['(a == 1 and b == 2) or c == 3', 'a == 1 and b == 2 or c == 3'],
    ['a == 1 and (b == 2 or c == 3)', 'a == 1 and (b == 2 or c == 3)'],
    ['a == 1|b == 2', 'a == 1 | b == 2'],
    ['(a == 1 or b == 2) | c == 3', 'a == 1 or b == 2 | c == 3'],
  ];
  for (const [written, printed] of cases) {
    const { filter, problems } = parseFilter(written);
    assert.equal(problems, undefined, written);
    assert.equal(printFilter(filter!), printed);
    assert.deepEqual(parseFilter(printed), { filter });
  }
});
