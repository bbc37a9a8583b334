import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { sampleIntervalMs, startSamples, sustainedSamples } from './cpu-pressure.ts';
import { LoadMonitor } from './load-monitor.ts';
import type { Load } from './load-source.ts';

test('process load and event-loop load both count, and metrics show them', () => {
  const clock = new HandClock();
  const metrics = new Metrics();
  let load: Load = { cpu: 0.3, eventLoop: 0.5, loopCpu: 0.5 };
  const monitor = new LoadMonitor({
    thresholdPercent: 98,
    source: { sample: () => load },
    clock,
    log: silentLog,
    metrics,
  });
  monitor.start();
  const metricValue = (name: string) =>
    Number(new RegExp(`^service_${name} (\\S+)$`, 'm').exec(metrics.render())?.[1]);
  const pass = (samples: number) => clock.advance(samples * sampleIntervalMs);

  pass(startSamples);
  assert.equal(monitor.delayMs, 0);
  assert.equal(monitor.cpu, 0.3);

  // Other processes keep the machine busy: the loop is never idle, but uses a quarter of what it may.
  load = { cpu: 0.27, eventLoop: 1, loopCpu: 0.54 };
  pass(10 * sustainedSamples);
  assert.equal(monitor.delayMs, 0);

  // The loop uses up its processor while the others are idle.
  load = { cpu: 0.5, eventLoop: 1, loopCpu: 0.99 };
  pass(sustainedSamples - 1);
  assert.equal(monitor.delayMs, 0);
  pass(1);
  assert.equal(monitor.delayMs, 10);
  assert.equal(metricValue('agent_cpu_backpressure'), 1);
  assert.equal(metricValue('agent_cpu_backpressure_delay_seconds'), 0.01);

  load = { cpu: 0.1, eventLoop: 0.1, loopCpu: 0.1 };
  pass(1);
  assert.equal(monitor.delayMs, 0);
  assert.equal(metricValue('agent_cpu_backpressure'), 0);

  load = { cpu: 1, eventLoop: 0.2, loopCpu: 0.2 };
  pass(20);
  assert.ok(monitor.delayMs > 0);
  assert.equal(metricValue('cpu_utilization_os'), 1);
  assert.equal(metricValue('event_loop_utilization'), 0.2);
  assert.ok(metricValue('resident_memory_bytes') > 1_000_000);

  monitor.stop();
  assert.equal(clock.waiting, 0);
});
