import assert from 'node:assert/strict';
import type { EventLoopUtilization } from 'node:perf_hooks';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { type MeasureLoop, measureUtilization } from './utilization.ts';

/** A loop whose load the test sets. */
function stage() {
  const clock = new HandClock();
  let [idle, active] = [0, 0];
  const measure: MeasureLoop = (since = { idle: 0, active: 0, utilization: 0 }): EventLoopUtilization => {
    const [idleMs, activeMs] = [idle - since.idle, active - since.active];
    const utilization = idleMs + activeMs === 0 ? 0 : activeMs / (idleMs + activeMs);
    return since.idle + since.active === 0
      ? { idle, active, utilization }
      : { idle: idleMs, active: activeMs, utilization };
  };
  const utilization = measureUtilization(clock, measure);
  return {
    utilization,
    work(ms: number, share: number) {
      idle += ms * (1 - share);
      active += ms * share;
      clock.advance(ms);
    },
  };
}

test('it reports about the last minute, however often it is called', () => {
  const { utilization, work } = stage();
  for (let second = 0; second < 60; second++) {
    work(1_000, 0.2);
    assert.ok(Math.abs(utilization() - 0.2) < 1e-9);
  }
  for (let second = 0; second < 75; second++) {
    work(1_000, 0.9);
    utilization();
  }
  assert.ok(Math.abs(utilization() - 0.9) < 1e-9, 'earlier samples have expired');
});

test('a burst counts as a part of the minute', () => {
  const { utilization, work } = stage();
  work(59_000, 0);
  work(1_000, 1);
  assert.ok(Math.abs(utilization() - 1 / 60) < 1e-9);
});

test('the loop of this process is measured', () => {
  const value = measureUtilization(new HandClock())();
  assert.ok(value >= 0 && value <= 1);
});
