import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { measuredLoad, systemLoad } from './load-source.ts';

/** Counters of a process with a given usage per millisecond. */
function stage(cpus: number) {
  const clock = new HandClock();
  const used = { process: 0, thread: 0, loop: 0 };
  const source = measuredLoad(
    { processCpuMs: () => used.process, threadCpuMs: () => used.thread, loopBusyMs: () => used.loop },
    clock,
    cpus,
  );
  const pass = (byMs: number, busy: { process: number; thread: number; loop: number }) => {
    clock.advance(byMs);
    used.process += busy.process * byMs;
    used.thread += busy.thread * byMs;
    used.loop += busy.loop * byMs;
    return source.sample();
  };
  return { pass };
}

test('shares are relative to what the process may use, since the last sample', () => {
  const cases: [cpus: number, busy: { process: number; thread: number; loop: number }, expected: object][] = [
    [2, { process: 0, thread: 0, loop: 0 }, { cpu: 0, eventLoop: 0, loopCpu: 0 }],
    [4, { process: 1, thread: 0.75, loop: 1 }, { cpu: 0.25, eventLoop: 1, loopCpu: 0.75 }],
    // The loop never waits for events, but mostly for a processor that others use.
    [2, { process: 0.5, thread: 0.5, loop: 1 }, { cpu: 0.25, eventLoop: 1, loopCpu: 0.5 }],
    // Half a processor, fully used.
    [0.5, { process: 0.5, thread: 0.5, loop: 1 }, { cpu: 1, eventLoop: 1, loopCpu: 1 }],
    [1, { process: 3, thread: 2, loop: 1 }, { cpu: 1, eventLoop: 1, loopCpu: 1 }],
  ];
  for (const [cpus, busy, expected] of cases) {
    const { pass } = stage(cpus);
    pass(1000, { process: 0.125, thread: 0.125, loop: 0.125 });
    assert.deepEqual(pass(250, busy), expected, `${cpus} ${JSON.stringify(busy)}`);
  }
});

test('two samples close together return the same load', () => {
  const { pass } = stage(1);
  const first = pass(100, { process: 0.5, thread: 0.5, loop: 0.5 });
  assert.deepEqual(pass(10, { process: 1, thread: 1, loop: 1 }), first);
  assert.equal(pass(90, { process: 0.5, thread: 1, loop: 1 }).loopCpu, 1);
});

test('this process has a load', async () => {
  const source = systemLoad(systemClock, 1);
  const until = systemClock.monotonicMs() + 60;
  while (systemClock.monotonicMs() < until);
  await new Promise<void>((resolve) => systemClock.after(1, resolve));
  const { cpu, eventLoop, loopCpu } = source.sample();
  for (const one of [cpu, eventLoop, loopCpu])
    assert.ok(one > 0 && one <= 1, String([cpu, eventLoop, loopCpu]));
});
