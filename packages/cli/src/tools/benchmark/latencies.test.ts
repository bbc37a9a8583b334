import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Latencies } from './latencies.ts';

test('percentiles are accurate to within 2 %', () => {
  const latencies = fc.array(fc.double({ min: 0.001, max: 1e9, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const found = new Latencies();
      for (const value of values) found.add(value);
      const exact = values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(values.length * share)) - 1]!;
      const estimate = found.percentileMs(share);
      // Below a tenth of a millisecond the resolution is one microsecond.
      assert.ok(Math.abs(estimate - exact) <= Math.max(exact * 0.02, 0.001), `${estimate} for ${exact}`);
      assert.equal(found.count, values.length);
      assert.equal(found.maxMs, Math.max(...values));
    }),
  );
});

test('a latency is weighted by the number of its records', () => {
  const found = new Latencies();
  found.add(1, 99);
  found.add(1000);
  assert.ok(found.percentileMs(0.99) < 1.03);
  assert.equal(found.percentileMs(1), 1000);
});

test('an impossible value is clamped to the nearest possible one', () => {
  const found = new Latencies();
  assert.equal(found.percentileMs(0.5), 0);
  // The clock of the producer may be ahead, and its timestamp may be invalid.
  found.add(-5);
  found.add(1e30);
  assert.equal(found.count, 2);
  assert.ok(found.percentileMs(0.5) <= 0.001);
});
