import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offsetOf } from './offset-of.ts';

test('lines and columns are positions', () => {
  for (const [line, column, offset] of [
    [1, 1, 0],
    [2, 2, 4],
    [2, 99, 5],
    [9, 1, 7],
    [3, 2, 7],
  ] as const)
    assert.equal(offsetOf('ab\ncd\ne', line, column), offset, `${line}:${column}`);
  assert.equal(offsetOf('', 1, 1), 0);
});
