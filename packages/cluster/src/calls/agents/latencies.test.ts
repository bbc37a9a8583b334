import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addLatencies,
  isLatencies,
  latencyOfStep,
  latencyP99,
  latencyStepOf,
  noLatencies,
  packLatencies,
} from './latencies.ts';

const latencyMs = fc.double({ min: 1, max: 150_000, noNaN: true });

function countsOf(latencies: readonly number[]) {
  const counts = noLatencies();
  for (const ms of latencies) counts[latencyStepOf(ms)]!++;
  return counts;
}

test('the latency of a step is accurate to a twentieth', () => {
  fc.assert(
    fc.property(latencyMs, (ms) => {
      const restored = latencyOfStep(latencyStepOf(ms));
      assert.ok(Math.abs(restored - ms) <= 0.05 * ms + 1, `${ms} is restored as ${restored}`);
    }),
  );
});

test('packed latencies of several agents add up to the percentile of all of them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(latencyMs, { maxLength: 200 }), { minLength: 1, maxLength: 4 }),
      (agents) => {
        const sum = noLatencies();
        for (const latencies of agents) {
          const packed = JSON.parse(JSON.stringify(packLatencies(countsOf(latencies)))) as unknown;
          assert.ok(isLatencies(packed));
          addLatencies(sum, packed);
        }
        const all = agents.flat().sort((a, b) => a - b);
        const expected = all[Math.ceil(all.length * 0.99) - 1];
        const measured = latencyP99(sum);
        if (expected === undefined) assert.equal(measured, undefined);
        else
          assert.ok(
            Math.abs(measured! - expected) <= 0.05 * expected + 1,
            `${expected} is measured as ${measured}`,
          );
      },
    ),
  );
});

test('out-of-range latencies fall into the first or last step', () => {
  const rows: readonly [latencyMs: number, step: number][] = [
    [0, 0],
    [0.3, 0],
    [-5, 0],
    [Number.NaN, 0],
    [1e9, 127],
    [Number.POSITIVE_INFINITY, 127],
  ];
  for (const [ms, step] of rows) assert.equal(latencyStepOf(ms), step, String(ms));
});

test('a value that is not a list of pairs is rejected', () => {
  for (const value of [null, 'x', [1], [128, 1], [-1, 1], [1, -1], [1.5, 1], [1, '2'], Array(258).fill(0)])
    assert.equal(isLatencies(value), false, JSON.stringify(value));
  assert.equal(isLatencies([]), true);
});
