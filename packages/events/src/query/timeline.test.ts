import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bucketsOf } from './buckets.ts';
import { TimelineTally } from './tally.ts';

for (const { length, lengthMs, bucketMs } of [
  { length: 'a second', lengthMs: 1000, bucketMs: 10 },
  { length: '5 minutes', lengthMs: 300_000, bucketMs: 5000 },
  { length: '15 minutes', lengthMs: 900_000, bucketMs: 10_000 },
  { length: 'an hour', lengthMs: 3_600_000, bucketMs: 30_000 },
  { length: '4 hours', lengthMs: 14_400_000, bucketMs: 120_000 },
  { length: 'a day', lengthMs: 86_400_000, bucketMs: 900_000 },
]) {
  test(`${length} has buckets of ${bucketMs} ms`, () => {
    assert.equal(bucketsOf({ startMs: 0, endMs: lengthMs }).bucketMs, bucketMs);
  });
}

test('buckets cover the window, are few, and lie at multiples of their width', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 41 }),
      fc.integer({ min: 1, max: 86_400_000 }),
      (startMs, lengthMs) => {
        const { bucketMs, firstBucket, bucketCount } = bucketsOf({ startMs, endMs: startMs + lengthMs });
        assert.ok(firstBucket * bucketMs <= startMs);
        assert.ok((firstBucket + bucketCount) * bucketMs >= startMs + lengthMs);
        assert.ok(bucketCount <= 121);
      },
    ),
  );
});

test('counts merged from parts equal counts of the whole', () => {
  const anyEvent = fc.record({
    key: fc.constantFrom('a', 'b', 5, null),
    thenKey: fc.constantFrom('x', null, undefined),
    bucket: fc.nat({ max: 9 }),
    value: fc.integer(),
  });
  fc.assert(
    fc.property(fc.array(fc.array(anyEvent)), fc.integer({ min: 1, max: 3 }), (parts, seriesMax) => {
      const buckets = { bucketMs: 1000, firstBucket: 7, bucketCount: 10 };
      const whole = new TimelineTally(buckets, true);
      const joined = new TimelineTally(buckets, true);
      for (const part of parts) {
        const tally = new TimelineTally(buckets, true);
        for (const { key, thenKey, bucket, value } of part) {
          whole.addNumber(key, thenKey, bucket, value);
          tally.addNumber(key, thenKey, bucket, value);
        }
        joined.merge(tally.part());
      }
      assert.deepEqual(joined.finish('sum', seriesMax), whole.finish('sum', seriesMax));
    }),
  );
});

test('the average over the whole window is the average of all numbers, not of the averages per bucket', () => {
  const tally = new TimelineTally({ bucketMs: 1000, firstBucket: 7, bucketCount: 3 }, true);
  for (const [bucket, value] of [
    [0, 1],
    [0, 1],
    [0, 1],
    [2, 9],
  ] as const)
    tally.addNumber('a', undefined, bucket, value);
  assert.deepEqual(tally.finish('avg', 10).series, [{ key: 'a', count: 4, total: 3, values: [1, null, 9] }]);
});

test('pairs of values beyond the limit are counted together', () => {
  const tally = new TimelineTally({ bucketMs: 1000, firstBucket: 0, bucketCount: 1 }, false);
  for (let first = 0; first < 100; first++)
    for (let second = 0; second < 100; second++) tally.addEvents(first, second, 0, 1);
  const { series, isApproximate } = tally.finish('count', 2);
  assert.equal(isApproximate, true);
  assert.equal(
    series.reduce((sum, { total }) => sum + total!, 0),
    10_000,
  );
});
