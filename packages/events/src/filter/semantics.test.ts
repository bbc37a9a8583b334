import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyEvent, anyEventAndFilter, anyFilter } from '../../testing/any-filter.ts';
import { matches } from '../../testing/evaluate.ts';
import { compileFilter } from './compile.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import type { Filter } from './tree.ts';

test('the compiled form agrees with the reference evaluator', () => {
  fc.assert(
    fc.property(anyEventAndFilter, ({ event, filter }) => {
      assert.equal(compileFilter(filter)(event), matches(filter, event), printFilter(filter));
    }),
    { numRuns: 5000 },
  );
});

/** Pairs of conditions of which exactly one holds if the field has a value. */
const opposites: [one: string, other: string][] = [
  ['a == "x"', 'a != "x"'],
  ['a == 5', 'a != 5'],
  ['a like "a%"', 'a not like "a%"'],
  ['a in ["x", 5]', 'a not in ["x", 5]'],
  ['a::int == 5', 'a::int != 5'],
  ['a::str like "%5%"', 'a::str not like "%5%"'],
];

test('a negated operator is the opposite for a field with a value, and neither holds without one', () => {
  fc.assert(
    fc.property(anyEvent, fc.constantFrom(...opposites), (event, [one, other]) => {
      const [field] = one.split(' ');
      const hasValue = matches(parsed(`${field} != null`), event);
      const held = [one, other].filter((text) => matches(parsed(text), event));
      assert.equal(held.length, hasValue ? 1 : 0);
      assert.equal(matches(parsed(`${field} == null`), event), !hasValue);
    }),
  );
});

test('chained filters all apply', () => {
  fc.assert(
    fc.property(anyEvent, anyFilter, anyFilter, (event, one, other) => {
      const chained = { stages: [...one.stages, ...other.stages] };
      assert.equal(matches(chained, event), matches(one, event) && matches(other, event));
    }),
  );
});

test('null in a list matches only null', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const either = parsed('data.a in ["x", null]');
      assert.equal(matches(either, event), matches(parsed('data.a == "x" or data.a == null'), event));
    }),
  );
});

function parsed(text: string): Filter {
  const { filter, problems } = parseFilter(text);
  assert.equal(problems, undefined, text);
  return filter!;
}
