import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FetchRate } from './fetch-rate.ts';

test('what is fetched beyond the rate is waited for before the next fetch', () => {
  let nowMs = 1_000;
  const rate = new FetchRate(100_000, { monotonicMs: () => nowMs });
  assert.equal(rate.answerBytesMax, 100_000);
  // A second of it may be taken at once.
  rate.took(100_000);
  assert.equal(rate.waitMs(), 0);
  rate.took(250_000);
  assert.equal(rate.waitMs(), 2_500);
  nowMs += 2_000;
  assert.equal(rate.waitMs(), 500);
  nowMs += 60_000;
  assert.equal(rate.waitMs(), 0);
  // What was not taken meanwhile is no more than a second.
  rate.took(200_000);
  assert.equal(rate.waitMs(), 1_000);
});

test('a small rate still fetches batches, and none is no limit', () => {
  const clock = { monotonicMs: () => 0 };
  assert.equal(new FetchRate(1_000, clock).answerBytesMax, 65_536);
  const none = new FetchRate(undefined, clock);
  none.took(1e12);
  assert.deepEqual([none.waitMs(), none.answerBytesMax], [0, Number.POSITIVE_INFINITY]);
});
