import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usefulFirst } from './facet-order.ts';

test('fields that distinguish events come first', () => {
  const field = (name: string, events: number, distinct_values: number, types = ['string']) => ({
    name,
    types,
    events,
    distinct_values,
  });
  const fields = [
    field('data', 100, 0, ['object']),
    field('id', 100, 100),
    field('specversion', 100, 1),
    field('type', 100, 3),
    field('data.operation', 5, 4),
  ];
  assert.deepEqual(
    usefulFirst(fields).map(({ name }) => name),
    ['type', 'data.operation', 'specversion', 'id'],
  );
});
