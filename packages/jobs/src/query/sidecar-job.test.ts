import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stageEvents } from '@weir/broker/testing';
import { type Clock, Metrics, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { CpuShare } from './cpu-share.ts';
import { AgentEventSource } from './event-source.ts';
import { RangeReader } from './range-reader.ts';
import { SidecarJob } from './sidecar-job.ts';
import { coverAfterMs, coverEventsMax, coverEventsMin, rangeToCover } from './sidecar-ranges.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

const never = new AbortController().signal;
const startMs = 1_760_000_000_000;

/** Real time for timers, and a wall clock that the test sets. */
function wallClock() {
  const wall = { nowMs: startMs };
  const clock: Clock = { ...systemClock, nowMs: () => wall.nowMs };
  return { wall, clock };
}

async function stage() {
  const staged = await stageEvents();
  const { wall, clock } = wallClock();
  const shelf = new SidecarShelf({ ...staged, clock });
  const source = new AgentEventSource({
    view: staged.view,
    ranges: new RangeReader(staged),
    sidecars: shelf,
    turns: new CpuShare({ clock: systemClock, share: () => 1 }),
  });
  const jobOf = (agentId: string) =>
    new SidecarJob({
      ...staged,
      agentId,
      port: staged.node,
      source,
      shelf,
      deletesFiles: true,
      clock,
      log: silentLog,
      metrics: new Metrics(),
    });
  const ranges = async (topicId: string) =>
    (await shelf.all(topicId)).map(({ fromOffset, toOffset }) => [fromOffset, toOffset]);
  return { ...staged, wall, source, shelf, jobOf, ranges };
}

test('events that are old enough get a sidecar, once, and the next sidecar follows it', async () => {
  await using staged = await stage();
  const { addTopic, append, wall, jobOf, ranges, shelf } = staged;
  const topicId = await addTopic('acl_logs');
  const job = jobOf('a');
  const events = (count: number) =>
    Array.from({ length: count }, (_, second) => ({ timeMs: wall.nowMs + second, data: { second } }));
  await append('acl_logs', events(5));
  await job.run(never);
  assert.deepEqual(await ranges(topicId), [], 'too young');
  wall.nowMs += coverAfterMs + 1000;
  await append('acl_logs', events(3));
  await job.run(never);
  await job.run(never);
  assert.deepEqual(await ranges(topicId), [[0, 5]]);
  const [first] = await shelf.all(topicId);
  assert.deepEqual([first!.minTimeMs, first!.maxTimeMs], [startMs, startMs + 4]);
  wall.nowMs += coverAfterMs + 1000;
  await job.run(never);
  assert.deepEqual(await ranges(topicId), [
    [0, 5],
    [5, 8],
  ]);
});

test('sidecars are removed with their events', async () => {
  await using staged = await stage();
  const { addTopic, append, wall, jobOf, ranges, node, view } = staged;
  const topicId = await addTopic('acl_logs');
  for (let round = 0; round < 2; round++) {
    await append('acl_logs', [{ timeMs: wall.nowMs }, { timeMs: wall.nowMs + 1 }]);
    wall.nowMs += coverAfterMs + 1000;
    await jobOf('a').run(never);
  }
  await node.deleteRecords([{ topicId, partition: 0, offset: 2 }]);
  await until(() => view.ends(topicId, 0)!.logStartOffset === 2);
  await jobOf('a').run(never);
  assert.deepEqual(await ranges(topicId), [[2, 4]]);
});

test('a sidecar that an agent did not finish is started again by the next agent', async () => {
  await using staged = await stage();
  const { addTopic, append, wall, jobOf, ranges, store } = staged;
  const topicId = await addTopic('acl_logs');
  await append('acl_logs', [{ timeMs: wall.nowMs }]);
  wall.nowMs += coverAfterMs + 1000;
  const stop = new AbortController();
  store.beforeGet = () => stop.abort(new Error('killed'));
  await assert.rejects(jobOf('a').run(stop.signal), /killed/);
  assert.deepEqual(await ranges(topicId), []);
  store.beforeGet = () => {};
  await jobOf('b').run(never);
  assert.deepEqual(await ranges(topicId), [[0, 1]]);
});

test('the next range to cover', async () => {
  const topic = { type: 'acl_logs', topicId: 't', startOffset: 100, endOffset: 1100 } as const;
  const covered = (fromOffset: number, toOffset: number) => ({
    ...{ id: `${fromOffset}`, fromOffset, toOffset, minTimeMs: 0, maxTimeMs: 0, byteLength: 1 },
  });
  const nowMs = 1e9;
  // Offsets up to which events are old enough, and settled.
  const sourceOf = (aged: number, settled: number) => ({
    offsetAt: async (_: unknown, timeMs: number) => (timeMs === nowMs - coverAfterMs ? aged : settled),
  });
  const next = (aged: number, settled: number, sidecars: ReturnType<typeof covered>[], endOffset = 1100) =>
    rangeToCover(sourceOf(aged, settled), { ...topic, endOffset }, sidecars, nowMs);
  assert.equal(await next(100, 900, []), undefined, 'nothing is old');
  assert.deepEqual(await next(101, 900, []), { fromOffset: 100, toOffset: 900 });
  assert.deepEqual(await next(500, 900, [covered(100, 400)]), { fromOffset: 400, toOffset: 900 });
  assert.equal(await next(400, 900, [covered(100, 400)]), undefined);
  assert.deepEqual(await next(100, 100, [], 100 + coverEventsMin), {
    fromOffset: 100,
    toOffset: 100 + coverEventsMin,
  });
  assert.deepEqual(await next(100, 100, [], 1e9), { fromOffset: 100, toOffset: 100 + coverEventsMax });
});
