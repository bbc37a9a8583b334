import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchUpText } from './catch-up.ts';

test('an estimate of the time to catch up', () => {
  const cases = [
    [0, 5, 5, 'caught up'],
    [10, null, 5, 'no estimate yet'],
    [10, 5, 0, 'not consuming'],
    [10, 5, 5, 'falling behind'],
    [600, 5, 15, 'catches up in about 1 min'],
    [1, 0, 100, 'catches up in about 1 s'],
  ] as const;
  for (const [lag, produced, consumed, text] of cases)
    assert.equal(catchUpText(lag, produced, consumed), text);
});
