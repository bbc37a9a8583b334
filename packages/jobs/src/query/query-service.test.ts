import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventStage, type EventStageOptions, stageEvents, testAgent } from '@weir/broker/testing';
import { type Clock, Metrics, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { parseFilter, type QueryAnswer, type QueryRequest } from '@weir/events';
import { CpuShare } from './cpu-share.ts';
import { AgentEventSource } from './event-source.ts';
import { QueryService } from './query-service.ts';
import { RangeReader } from './range-reader.ts';
import { SidecarJob } from './sidecar-job.ts';
import { coverAfterMs } from './sidecar-ranges.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

const startMs = 1_760_000_000_000;
const window = { startMs, endMs: startMs + 3_600_000 };

/** A cluster whose agents answer queries. */
async function stage(options?: EventStageOptions) {
  const staged = await stageEvents(options);
  const services: QueryService[] = [];
  const addAgent = async (
    agentId: string,
    given: Partial<ConstructorParameters<typeof QueryService>[0]> = {},
  ) => {
    await staged.node.heartbeat(testAgent(agentId));
    const service = new QueryService({
      ...staged,
      agentId,
      answersQueries: true,
      writesSidecars: false,
      cpuCount: 2,
      cpuLoad: () => 0,
      clock: systemClock,
      log: silentLog,
      metrics: new Metrics(),
      ...given,
    });
    service.start();
    services.push(service);
    return service;
  };
  let queryCount = 0;
  return {
    ...staged,
    addAgent,
    async ask(request: unknown, limitMs = 120_000) {
      const queryId = `q${queryCount++}`;
      const bytes = Buffer.from(JSON.stringify(request));
      const outcome = await staged.node.runQuery({ queryId, request: bytes, limitMs });
      if (outcome.kind === 'refused') return `${outcome.refusal}: ${outcome.message}`;
      return JSON.parse(Buffer.from(outcome.answer).toString()) as QueryAnswer;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(services.map((service) => service.stop()));
      await staged[Symbol.asyncDispose]();
    },
  };
}

function search(filter: string, differences: object = {}): QueryRequest {
  const parsed = parseFilter(filter).filter!;
  return { kind: 'search', types: [], window, filter: parsed, order: 'desc', limit: 100, ...differences };
}

async function fill({ addTopic, append }: EventStage): Promise<void> {
  await addTopic('acl_logs');
  await addTopic('agent_logs');
  for (let minute = 0; minute < 10; minute++) {
    const timeMs = startMs + minute * 60_000;
    await append('acl_logs', [
      { timeMs, data: { operation: 'WRITE', minute } },
      { timeMs: timeMs + 1, data: { operation: 'READ', minute } },
    ]);
    await append('agent_logs', [{ timeMs: timeMs + 2, data: { message: 'all is well', minute } }]);
  }
}

function idsOf(answer: QueryAnswer | string): readonly string[] {
  assert.ok(typeof answer === 'object' && answer.kind === 'search', String(answer));
  return answer.rows.map(({ event }) => (event as { id: string }).id);
}

test('an agent answers queries of the control plane', async () => {
  await using staged = await stage();
  await fill(staged);
  await staged.addAgent('a');
  const found = await staged.ask(search('data.operation == "WRITE" and data.minute >= 8'));
  assert.deepEqual(idsOf(found), ['event-27', 'event-24']);
  const all = await staged.ask(search('', { order: 'asc', limit: 4 }));
  assert.deepEqual(idsOf(all), ['event-0', 'event-1', 'event-2', 'event-3']);
  const timeline = { aggregation: 'count', groupBy: { path: ['type'] } };
  const timelineAnswer = await staged.ask(search('', { limit: 0, timeline }));
  assert.ok(typeof timelineAnswer === 'object' && timelineAnswer.kind === 'search');
  assert.deepEqual(
    timelineAnswer.timeline!.series.map(({ key, count }) => [key, count]),
    [
      ['acl_logs', 20],
      ['agent_logs', 10],
    ],
  );
  const one = await staged.ask({ kind: 'event', types: [], window, id: 'event-5', neighbours: 1 });
  assert.ok(typeof one === 'object' && one.kind === 'event');
  assert.deepEqual(
    [...one.before, one.event!, ...one.after].map(({ offset, type }) => [type, offset]),
    [
      ['acl_logs', 3],
      ['agent_logs', 1],
      ['acl_logs', 4],
    ],
  );
});

test('an agent finds batch boundaries for the control plane', async () => {
  await using staged = await stage();
  const topicId = await staged.addTopic('acl_logs');
  await staged.append('acl_logs', [{ timeMs: startMs, data: {} }]);
  await staged.addAgent('a');
  const [found] = await staged.node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  const { fileId, byteStart, byteLength, baseOffset, nextOffset } = found!.pointers;
  const range = {
    fileId: fileId[0],
    byteStart: byteStart[0],
    byteLength: byteLength[0],
    baseOffset: baseOffset[0],
    nextOffset: nextOffset[0],
    offset: nextOffset[0],
  };
  const query = (ranges: readonly unknown[]) => staged.ask({ kind: 'batchBoundaries', ranges });
  assert.deepEqual(await query([range, { ...range, offset: 0 }]), [
    { offset: nextOffset[0], byteLength: byteLength[0], maxTimestampMs: startMs },
    { offset: 0, byteLength: 0, maxTimestampMs: -1 },
  ]);
  assert.match(String(await query([{ ...range, fileId: 7 }])), /^failed: .*fileId: not a text/);
});

test('answers are the same with sidecars, which are read instead of records', async () => {
  await using staged = await stage();
  await fill(staged);
  await staged.addAgent('a');
  const timeline = { aggregation: 'sum', field: { path: ['data', 'minute'] }, groupBy: { path: ['type'] } };
  const question = search('data.minute > 3', { limit: 3, timeline });
  const before = await staged.ask(question);
  await writeSidecars(staged);
  await staged.addAgent('b');
  // The second agent has not cached a list of sidecars yet, and the first one is gone.
  await staged.node.leave('a');
  const gets = staged.store.gets;
  const after = await staged.ask(question);
  assert.ok(typeof before === 'object' && before.kind === 'search');
  assert.ok(typeof after === 'object' && after.kind === 'search');
  const { stats: _, ...found } = before;
  const { stats, ...foundAfter } = after;
  assert.deepEqual(foundAfter, found);
  assert.ok(staged.store.gets - gets < 20, `${staged.store.gets - gets} reads`);
  assert.equal(stats.isExact, true);
});

async function writeSidecars(staged: EventStage): Promise<void> {
  const clock: Clock = { ...systemClock, nowMs: () => startMs + 3_600_000 + coverAfterMs };
  const shelf = new SidecarShelf({ ...staged, clock });
  const turns = new CpuShare({ clock, share: () => 1 });
  const source = new AgentEventSource({ ...staged, ranges: new RangeReader(staged), sidecars: shelf, turns });
  const metrics = new Metrics();
  const job = new SidecarJob({
    ...{ ...staged, agentId: 'jobs', port: staged.node, source, shelf, clock, log: silentLog, metrics },
    deletesFiles: true,
  });
  await job.run(new AbortController().signal);
}

test('a sidecar that retention has partly removed yields only the remaining events', async () => {
  await using staged = await stage();
  await fill(staged);
  await writeSidecars(staged);
  const { topicId } = staged.view.topicByName('__service_events_acl_logs')!;
  await staged.node.deleteRecords([{ topicId, partition: 0, offset: 7 }]);
  await until(() => staged.view.ends(topicId, 0)!.logStartOffset === 7);
  await staged.addAgent('a');
  const timeline = { aggregation: 'count', groupBy: { path: ['type'] } };
  const question = search('data.operation == "READ"', { order: 'asc', limit: 1, timeline });
  const answer = await staged.ask(question);
  assert.ok(typeof answer === 'object' && answer.kind === 'search');
  assert.deepEqual([answer.rows[0]!.offset, answer.timeline!.series.map(({ count }) => count)], [7, [7]]);
});

test('a query in a cluster without events is not an error', async () => {
  await using staged = await stage();
  await staged.addAgent('a');
  const answer = await staged.ask(search(''));
  assert.ok(typeof answer === 'object');
  assert.equal(answer.hasNoData, true);
});

test('an agent refuses requests that it does not know, and reports events that it cannot read', async () => {
  await using staged = await stage();
  await fill(staged);
  await staged.addAgent('a');
  assert.match(String(await staged.ask({ kind: 'dance' })), /^failed: a query for events: /);
  staged.store.beforeGet = () => {
    throw new Error('the bucket is away');
  };
  assert.equal(await staged.ask(search('')), 'failed: the bucket is away');
});

test('a query of an agent that stops is answered by another', async () => {
  await using staged = await stage();
  await fill(staged);
  const first = await staged.addAgent('a');
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  staged.store.beforeGet = () => {
    reached.resolve();
    return held.promise;
  };
  const answer = staged.ask(search(''));
  await reached.promise;
  staged.store.beforeGet = () => {};
  await staged.addAgent('b');
  const stopped = first.stop();
  held.resolve();
  await stopped;
  assert.equal(idsOf(await answer).length, 30);
});

test('questions about tables go to what answers them, and are refused without it', async () => {
  await using staged = await stage();
  const table = { tableName: 'k1__orders', tableUuid: 'u' };
  const question = { kind: 'describeTable', table };
  const plain = await staged.addAgent('a');
  assert.equal(
    await staged.ask(question),
    'failed: the agent has no tables; only agents of data lake clusters do',
  );
  await plain.stop();
  const answer = async (text: string) => JSON.stringify({ asked: JSON.parse(text) });
  await staged.addAgent('b', { tableQuestions: { answer } });
  assert.deepEqual(await staged.ask(question), { asked: question });
  assert.match(
    String(await staged.ask({ kind: 'describeTable', table: {} })),
    /^failed: question.table.tableName: /,
  );
});
