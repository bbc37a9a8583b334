import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.ts';

const rate = { perSecond: 2, burst: 22 };

test('tokens arrive at their rate, up to a burst, and can be overdrawn', () => {
  const bucket = new TokenBucket();
  const steps: [label: string, nowMs: number, take: number, overdrawnMs: number][] = [
    ['a full burst is available at first', 1000, 22, 0],
    ['one more token overdraws', 1000, 1, 500],
    ['half of the debt remains after half of the time', 1250, 0, 250],
    ['the debt is paid', 1500, 0, 0],
    ['a large request overdraws by much', 1500, 40, 20_000],
    ['the large debt is paid in time', 21_500, 0, 0],
    ['after a long time one burst is available, not more', 1_000_000, 22, 0],
    ['one more token overdraws again', 1_000_000, 1, 500],
    ['without time nothing is paid', 1_000_000, 0, 500],
  ];
  for (const [label, nowMs, take, overdrawnMs] of steps) {
    bucket.overdraw(take, rate, nowMs);
    assert.equal(bucket.waitMs(0, rate, nowMs), overdrawnMs, label);
  }
});

test('tokens are taken only if available, and may be returned', () => {
  const bucket = new TokenBucket();
  assert.equal(bucket.tryTake(22, rate, 0), true);
  assert.equal(bucket.tryTake(1, rate, 0), false);
  assert.equal(bucket.waitMs(1, rate, 0), 500);
  bucket.putBack(1, rate, 0);
  assert.equal(bucket.tryTake(1, rate, 0), true);
  bucket.putBack(100, rate, 0);
  assert.equal(bucket.tryTake(23, rate, 0), false);
  assert.equal(bucket.tryTake(22, rate, 0), true);
});

test('over any time no more tokens are taken than the burst plus the refill', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(5_000), count: fc.integer({ min: 1, max: 10 }) }));
  const rates = fc.record({
    perSecond: fc.integer({ min: 1, max: 100 }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(steps, rates, (takes, anyRate) => {
      const bucket = new TokenBucket();
      let nowMs = 0;
      let taken = 0;
      for (const { afterMs, count } of takes) {
        nowMs += afterMs;
        const waitMs = bucket.waitMs(count, anyRate, nowMs);
        const isTaken = bucket.tryTake(count, anyRate, nowMs);
        assert.equal(isTaken, waitMs === 0);
        if (isTaken) taken += count;
        assert.ok(
          taken <= anyRate.burst + (nowMs * anyRate.perSecond) / 1000 + 1e-6,
          `${taken} after ${nowMs} ms`,
        );
      }
    }),
  );
});
