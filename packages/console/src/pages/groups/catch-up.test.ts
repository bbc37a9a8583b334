import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchUpText } from './catch-up.ts';

test('an estimate of the time to catch up', () => {
  const cases = [
    [0, 5, 5, 1, 'caught up'],
    [10, null, 5, 1, 'no estimate yet'],
    [10, 5, 0, 1, 'not consuming'],
    [10, 5, 5, 1, 'falling behind'],
    [600, 5, 15, 1, 'catches up in about 1 min'],
    [1, 0, 100, 1, 'catches up in about 1 s'],
    [0, 5, null, 0, 'caught up'],
    [10, 5, null, 0, 'no members'],
    [10, 5, 0, 0, 'no members'],
    [600, 5, 15, 0, 'catches up in about 1 min'],
  ] as const;
  for (const [lag, produced, consumed, members, text] of cases)
    assert.equal(catchUpText(lag, produced, consumed, members), text);
});
