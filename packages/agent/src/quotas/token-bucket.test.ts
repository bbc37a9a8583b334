import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('tokens come at their rate, up to a burst, and can be overdrawn', () => {
  const bucket = new TokenBucket();
  const steps: [label: string, nowMs: number, take: number, overdrawnMs: number][] = [
    ['a burst is there at first', 1000, 22, 0],
    ['one more overdraws', 1000, 1, 500],
    ['half of it later', 1250, 0, 250],
    ['until it is paid', 1500, 0, 0],
    ['a large one overdraws by much', 1500, 40, 20_000],
    ['which is paid in time', 21_500, 0, 0],
    ['and after a long time a burst is there, not more', 1_000_000, 22, 0],
    ['one more overdraws again', 1_000_000, 1, 500],
    ['time that stands still pays nothing', 1_000_000, 0, 500],
  ];
  for (const [label, nowMs, take, overdrawnMs] of steps) {
    bucket.take(take, 2, nowMs);
    assert.equal(bucket.overdrawnMs(2, nowMs), overdrawnMs, label);
  }
});
