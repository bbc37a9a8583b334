import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CpuPressure, delayMsMax, firstDelayMs, startSamples, sustainedSamples } from './cpu-pressure.ts';

/** Pressure of a process whose start phase is over. */
function started(thresholdPercent: number): CpuPressure {
  const pressure = new CpuPressure({ thresholdPercent });
  for (let sample = 0; sample < startSamples; sample++) pressure.sample(0);
  return pressure;
}

function after(thresholdPercent: number, loads: readonly number[]): CpuPressure {
  const pressure = started(thresholdPercent);
  for (const load of loads) pressure.sample(load / 100);
  return pressure;
}

const sustained = new Array<number>(sustainedSamples).fill(99);

test('a sustained load slows clients down until it ends', () => {
  // what, threshold, loads, delay
  const cases: [what: string, threshold: number, loads: number[], delayMs: number][] = [
    ['no samples', 98, [], 0],
    ['one sample too few', 98, sustained.slice(1), 0],
    ['sustained', 98, sustained, firstDelayMs],
    ['exactly the threshold', 98, sustained.fill(98), firstDelayMs],
    ['a pause restarts the count', 98, [...sustained.slice(1), 97, ...sustained.slice(1)], 0],
    ['still above: longer delay', 98, [...sustained, 99], 15],
    ['above once more: longer still', 98, [...sustained, 99, 99], 23],
    ['slightly below: unchanged', 98, [...sustained, 99, 95, 94], 15],
    ['above again: grows from there', 98, [...sustained, 99, 95, 99], 23],
    ['five points below: ends', 98, [...sustained, 99, 92.9], 0],
    ['ended, and not restarted before the sustained time', 98, [...sustained, 90, ...sustained.slice(1)], 0],
    ['ended, and restarted after the sustained time', 98, [...sustained, 90, ...sustained], firstDelayMs],
    ['a lower threshold', 50, sustained.map(() => 50), firstDelayMs],
    ['0 turns it off', 0, sustained.map(() => 100), 0],
    ['only 100 reaches a threshold of 100', 100, sustained, 0],
    ['short pauses, however many', 98, Array.from({ length: 200 }, (_, i) => (i % 8 === 0 ? 40 : 100)), 0],
  ];
  for (const [what, threshold, loads, delayMs] of cases) {
    const pressure = after(threshold, loads);
    assert.equal(pressure.delayMs, delayMs, what);
    assert.equal(pressure.isPressing, delayMs > 0, what);
  }
});

test('the delay is bounded, never starts early, and ends with the load', () => {
  const loads = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 120 });
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 100 }), loads, (threshold, some) => {
      const pressure = started(threshold);
      let above = 0;
      for (const load of some) {
        const wasPressing = pressure.isPressing;
        pressure.sample(load / 100);
        above = load / 100 >= threshold / 100 ? above + 1 : 0;
        assert.ok(pressure.delayMs <= delayMsMax);
        if (!wasPressing && pressure.isPressing) assert.ok(above >= sustainedSamples);
        if (load / 100 < threshold / 100 - 0.05) assert.equal(pressure.delayMs, 0);
      }
    }),
  );
  assert.equal(after(98, new Array<number>(100).fill(100)).delayMs, delayMsMax);
});

test('a busy start of the process does not slow clients down', () => {
  const pressure = new CpuPressure({ thresholdPercent: 98 });
  for (let sample = 0; sample < startSamples + sustainedSamples - 1; sample++) pressure.sample(1);
  assert.equal(pressure.isPressing, false);
  pressure.sample(1);
  assert.equal(pressure.isPressing, true);
});
