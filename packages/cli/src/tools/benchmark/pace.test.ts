import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import fc from 'fast-check';
import { Allowance, Pace } from './pace.ts';

function clockAt(now: { ms: number }) {
  return { ...systemClock, monotonicMs: () => now.ms };
}

test('records become due over time', () => {
  const now = { ms: 0 };
  const pace = new Pace(clockAt(now), 1000);
  // at this time, with this limit, this many are due
  const cases = [
    [0, 100, 0],
    [10, 100, 10],
    [10, 100, 0],
    [30, 5, 5],
    [30, 100, 15],
    [31.9, 100, 1],
    [32, 100, 1],
    // A delayed client catches up one second of records and no more.
    [10_000, 5000, 1000],
    [10_001, 5000, 1],
  ] as const;
  for (const [ms, recordsMax, taken] of cases) {
    now.ms = ms;
    assert.equal(pace.take(recordsMax), taken, `at ${ms}`);
  }
});

test('a slow rate also yields its records', () => {
  const now = { ms: 0 };
  const pace = new Pace(clockAt(now), 0.5);
  now.ms = 1_900;
  assert.equal(pace.take(10), 0);
  now.ms = 2_000;
  assert.equal(pace.take(10), 1);
  now.ms = 4_000;
  assert.equal(pace.take(10), 1);
});

test('the rate is never exceeded, whenever records are taken', () => {
  const steps = fc.array(fc.tuple(fc.nat(3_000), fc.nat(50)), { maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 10_000 }), (requests, rate) => {
      const now = { ms: 0 };
      const pace = new Pace(clockAt(now), rate);
      let taken = 0;
      for (const [laterMs, recordsMax] of requests) {
        now.ms += laterMs;
        const got = pace.take(recordsMax);
        assert.ok(got >= 0 && got <= recordsMax);
        taken += got;
      }
      assert.ok(taken <= (now.ms * rate) / 1000 + 1e-6);
    }),
  );
});

test('an allowance is shared and runs out', () => {
  const allowance = new Allowance(5);
  assert.deepEqual(
    [allowance.take(3), allowance.isUsedUp, allowance.take(3), allowance.take(1)],
    [3, false, 2, 0],
  );
  assert.equal(allowance.isUsedUp, true);
  const endless = new Allowance(-1);
  assert.deepEqual([endless.take(1e9), endless.isUsedUp], [1e9, false]);
});
