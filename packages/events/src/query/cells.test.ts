import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyEventAndFilter } from '../../testing/any-filter.ts';
import { matches } from '../../testing/evaluate.ts';
import { conditionsOf } from '../filter/tree.ts';
import { groupKeys, numbersOf, valuesOf } from './cells.ts';

for (const { event, values, keys, numbers } of [
  { event: {}, values: [], keys: [null], numbers: [] },
  { event: { a: null }, values: [], keys: [null], numbers: [] },
  { event: { a: 'x' }, values: ['x'], keys: ['x'], numbers: [] },
  { event: { a: [1, 2, 1] }, values: [1, 2, 1], keys: [1, 2], numbers: [1, 2, 1] },
  { event: { a: { b: 1 } }, values: [{ b: 1 }], keys: ['{}'], numbers: [] },
  { event: { a: ['x', null, [5]] }, values: ['x', [5]], keys: ['x', '{}'], numbers: [] },
]) {
  test(`the field a of ${JSON.stringify(event)}`, () => {
    const found = valuesOf({ path: ['a'] }, event);
    assert.deepEqual([found, groupKeys(found), numbersOf(found)], [values, keys, numbers]);
  });
}

test('an array may have more elements than a call has arguments', () => {
  const a = Array.from({ length: 300_000 }, () => 1);
  assert.equal(valuesOf({ path: ['a'] }, { a }).length, a.length);
});

test('a field has no value exactly where a filter finds it null', () => {
  fc.assert(
    fc.property(anyEventAndFilter, ({ event, filter }) => {
      for (const { field } of conditionsOf(filter)) {
        const isNull = { kind: 'comparison', field, operator: '==', value: null } as const;
        assert.equal(valuesOf(field, event).length === 0, matches({ stages: [isNull] }, event));
      }
    }),
  );
});
