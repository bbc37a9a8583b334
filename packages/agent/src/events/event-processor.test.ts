import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProducedBatch } from '@weir/broker';
import { KiB, Metrics, silentLog } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import type { EventTypeName } from '@weir/events';
import { batchRecords, type ErrorName, RecordBatchView, textValue } from '@weir/wire';
import { eventRows } from './event-metrics.ts';
import { EventProcessor, gatherMs } from './event-processor.ts';

class World {
  readonly clock = new HandClock();
  readonly metrics = new Metrics();
  /** Appended batches, with their topic. */
  readonly appended: {
    readonly topicId: string;
    readonly values: readonly string[];
    readonly batch: ProducedBatch;
  }[] = [];
  /** Outcomes of the next appends; later ones succeed. */
  outcomes: ErrorName[] = [];
  topicOf: (type: EventTypeName) => string | undefined = (type) => `id of ${type}`;
  readonly processor: EventProcessor;

  constructor(limits = { eventBytesMax: 1024 * KiB, bytesMax: 16 * 1024 * KiB, countMax: 50_000 }) {
    const { clock, metrics } = this;
    this.processor = new EventProcessor({
      topics: { known: (type) => this.topicOf(type), ensure: async (type) => this.topicOf(type) },
      writePath: {
        appendInBackground: async ([batch]) => {
          const values = [...batchRecords(new RecordBatchView(batch!.bytes))].map(({ value }) =>
            value!.toString(),
          );
          this.appended.push({ topicId: batch!.topicId, values, batch: batch! });
          const error = this.outcomes.shift() ?? 'NONE';
          return { results: [{ error, baseOffset: 0, logStartOffset: 0 }], throttleTimeMs: 0 };
        },
      },
      limits,
      clock,
      log: silentLog,
      metrics,
    });
  }

  stat(name: keyof typeof eventRows): number {
    const found = this.metrics.read().find(({ row }) => row.name === eventRows[name].name);
    return found!.series[0]!.value;
  }

  submit(type: EventTypeName, text: string, timeMs: number): void {
    this.processor.submit(type, textValue(text), timeMs);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.clock.advance(50);
      await pause(1);
    }
  }

  /** Advances time until it happened: compression threads return when they can. */
  async passUntil(hasHappened: () => boolean): Promise<void> {
    while (!hasHappened()) await this.pass(50);
  }
}

test('events gather into one batch per type', async () => {
  const world = new World();
  world.submit('acl_logs', 'a', 5);
  world.submit('agent_logs', 'b', 6);
  world.submit('acl_logs', 'ü', 4);
  await world.pass(gatherMs - 50);
  await pause();
  assert.equal(world.appended.length, 0);
  await world.passUntil(() => world.stat('written') === 3);
  // Batches are compressed in parallel, so either may be appended first.
  const appended = world.appended.toSorted((a, b) => (a.topicId < b.topicId ? -1 : 1));
  assert.deepEqual(
    appended.map(({ topicId, values }) => [topicId, values]),
    [
      ['id of acl_logs', ['a', 'ü']],
      ['id of agent_logs', ['b']],
    ],
  );
  const { batch } = appended[0]!;
  assert.deepEqual(
    [batch.partition, batch.recordCount, batch.maxTimestampMs, batch.producerId],
    [0, 2, 5, -1],
  );
  assert.equal(new RecordBatchView(batch.bytes).codec, 'zstd');
  assert.deepEqual([world.stat('submitted'), world.stat('submittedBytes'), world.stat('written')], [3, 4, 3]);
});

test('many events are written without waiting', async () => {
  const world = new World();
  for (let n = 0; n < 513; n++) world.submit('agent_logs', 'x'.repeat(KiB), n);
  await world.pass(50);
  await until(() => world.appended.length === 1);
});

const retried: [outcomes: ErrorName[], appends: number, isWritten: boolean][] = [
  [['KAFKA_STORAGE_ERROR'], 2, true],
  [['UNKNOWN_TOPIC_ID', 'UNKNOWN_TOPIC_OR_PARTITION', 'KAFKA_STORAGE_ERROR'], 4, true],
  [Array<ErrorName>(6).fill('KAFKA_STORAGE_ERROR'), 6, false],
  // It may have been written, and must not appear twice.
  [['REQUEST_TIMED_OUT'], 1, false],
];

for (const [outcomes, appends, isWritten] of retried) {
  test(`${outcomes.join(', ')}: ${appends} tries, ${isWritten ? 'written' : 'given up and counted'}`, async () => {
    const world = new World();
    world.outcomes = [...outcomes];
    world.submit('agent_logs', 'x', 1);
    await world.passUntil(() => world.stat('written') + world.stat('lost') === 1);
    assert.equal(world.appended.length, appends);
    assert.equal(world.stat('written'), isWritten ? 1 : 0);
    assert.equal(world.stat('lost'), isWritten ? 0 : 1);
  });
}

test('without a topic events are given up after some tries, and their room is free again', async () => {
  const world = new World({ eventBytesMax: 10, bytesMax: 10, countMax: 1 });
  world.topicOf = () => undefined;
  world.submit('agent_logs', 'x', 1);
  world.submit('agent_logs', 'y', 1);
  world.submit('agent_logs', 'x'.repeat(11), 1);
  assert.deepEqual([world.stat('refused'), world.stat('tooLarge')], [1, 1]);
  await world.passUntil(() => world.stat('lost') === 1);
  assert.equal(world.appended.length, 0);
  world.topicOf = () => 'there';
  world.submit('agent_logs', 'z', 1);
  await world.passUntil(() => world.appended.length === 1);
  assert.deepEqual(world.appended[0]!.values, ['z']);
});

test('settled resolves when all submitted events are written or given up', async () => {
  const world = new World();
  world.submit('agent_logs', 'x', 1);
  await world.processor.settled();
  assert.equal(world.stat('written'), 1);
});

test('stopping hands pending events over at once, and takes no more', async () => {
  const world = new World();
  world.topicOf = (type) => (type === 'acl_logs' ? undefined : 'there');
  world.submit('agent_logs', 'x', 1);
  world.submit('acl_logs', 'nowhere to go', 1);
  await world.processor.stop();
  world.submit('agent_logs', 'y', 1);
  assert.deepEqual(
    world.appended.map(({ values }) => values),
    [['x']],
  );
  await pause();
  assert.deepEqual([world.stat('written'), world.stat('lost'), world.stat('submitted')], [1, 1, 2]);
  assert.equal(world.clock.waiting, 0);
});
