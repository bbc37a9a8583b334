import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backOffMs, jitteredBackOffMs } from './back-off.ts';
import { seededRandom } from './random.ts';

const backOffs = fc.record({ firstMs: fc.nat(100_000), maxMs: fc.nat(10_000_000) });

test('delays double up to the maximum', () => {
  const delays = [0, 1, 2, 3, 4].map((retries) => backOffMs(retries, { firstMs: 50, maxMs: 300 }));
  assert.deepEqual(delays, [50, 100, 200, 300, 300]);
});

test('a delay is never shorter than the previous one, at most twice as long, and at most the maximum', () => {
  fc.assert(
    fc.property(backOffs, fc.nat(5_000), (backOff, retries) => {
      const delayMs = backOffMs(retries, backOff);
      const nextMs = backOffMs(retries + 1, backOff);
      assert.ok(delayMs >= 0 && delayMs <= backOff.maxMs, `${delayMs}`);
      assert.equal(nextMs, Math.min(2 * delayMs, backOff.maxMs));
    }),
  );
});

test('jitter removes at most its part of the delay', () => {
  fc.assert(
    fc.property(
      backOffs,
      fc.nat(50),
      fc.constantFrom('half' as const, 'full' as const),
      fc.integer(),
      (backOff, retries, jitter, seed) => {
        const wholeMs = backOffMs(retries, backOff);
        const delayMs = jitteredBackOffMs(retries, { ...backOff, jitter }, seededRandom(seed));
        assert.ok(delayMs <= wholeMs, `${delayMs} of ${wholeMs}`);
        assert.ok(delayMs >= (jitter === 'half' ? wholeMs / 2 : 0), `${delayMs} of ${wholeMs}`);
      },
    ),
  );
});

test('jitter uses all of its part', () => {
  const at = (drawn: number, jitter: 'half' | 'full') =>
    jitteredBackOffMs(
      2,
      { firstMs: 100, maxMs: 10_000, jitter },
      { next: () => drawn, below: () => assert.fail() },
    );
  assert.deepEqual([at(0, 'half'), at(0.5, 'half'), at(1, 'half')], [200, 300, 400]);
  assert.deepEqual([at(0, 'full'), at(0.5, 'full'), at(1, 'full')], [0, 200, 400]);
});
