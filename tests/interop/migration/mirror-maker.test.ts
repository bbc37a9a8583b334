import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { committedOffsets, createTopic, produceRecords, readRecords, resetOffsets } from '@weir/client';
import { startApache } from '../../../bench/kafka/apache.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { pause } from '../brokers/waiting.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { buildApacheKafka, missingApacheKafka } from '../connectors/apache-kafka.ts';
import { openCluster, startDestination } from './migrating.ts';
import { missingMirrorMaker, startMirrorMaker } from './mirror-maker/mirror-maker.ts';
import { rawLogs } from './raw-log.ts';

const skip = missingApacheKafka() || missingMirrorMaker();

/** Those of one broker, and intervals that do not make the test wait. */
const ofTheTest = [
  'replication.factor = 1',
  'offset-syncs.topic.replication.factor = 1',
  'checkpoints.topic.replication.factor = 1',
  'heartbeats.topic.replication.factor = 1',
  'offset.storage.replication.factor = 1',
  'status.storage.replication.factor = 1',
  'config.storage.replication.factor = 1',
  'refresh.topics.interval.seconds = 2',
  'refresh.groups.interval.seconds = 2',
  'emit.checkpoints.interval.seconds = 1',
  'sync.group.offsets.interval.seconds = 1',
];

/** The way back that the guide of migrations describes, with the lines that are in it. */
test('MirrorMaker copies topics of Weir to Apache Kafka', { skip, timeout: 400_000 }, async () => {
  const lifetime = lastFirst({ after });
  const done = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();
  const running = Lifetime.during(async (processes) => {
    started.resolve((await startApache(processes, buildApacheKafka())).servers);
    await done.promise;
  });
  running.catch(started.reject);
  lifetime.after(async () => {
    done.resolve();
    await running;
  });
  const [weir, kafka] = [(await startDestination(lifetime)).broker, await started.promise];
  const [here, there] = [openCluster(lifetime, weir), openCluster(lifetime, kafka)];
  await createTopic(here, { name: 'orders', partitions: 2, configs: [] });
  const records = Array.from({ length: 500 }, (_, n) => ({ key: null, value: Buffer.from(`order ${n}`) }));
  const write = (from: number, to: number) =>
    produceRecords(here, 'orders', new Map([[1, records.slice(from, to)]]), { acks: 'all', codec: 'lz4' });
  await write(0, 300);
  await resetOffsets(here, 'billing', [{ topic: 'orders', partition: 1, offset: 200n }]);

  const { ended } = startMirrorMaker(lifetime, [...linesOfGuide(weir, kafka), ...ofTheTest]);
  const orders = 'weir.orders';
  const copied = async () => {
    for (;;) {
      const log = (await rawLogs(kafka, orders).catch(() => []))[1];
      if (log !== undefined && log.recordCount === 500) return;
      await pause(500);
    }
  };
  const untilCommitted = async () => {
    for (;;) {
      const offset = (await committedOffsets(there, 'billing')).get(orders)?.get(1);
      if (offset !== undefined && offset > 0n) return offset;
      await pause(500);
    }
  };
  await write(300, 500);
  await Promise.race([copied(), ended]);
  const committed = await Promise.race([untilCommitted(), ended]);
  assert.ok(committed <= 200n, 'MirrorMaker is never ahead of what was read');
  const values: string[] = [];
  const from = new Map([[1, { offset: 0n, end: 500n }]]);
  for await (const some of readRecords(there, {
    ...{ topicName: orders, from, recordsMax: 1_000, waitMs: 5_000 },
  }))
    for (const { value } of some) values.push(String(value));
  assert.deepEqual(
    values,
    records.map(({ value }) => String(value)),
  );
});

/** The properties of the guide, with the brokers of the test. */
function linesOfGuide(weir: string, kafka: string): string[] {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/migration.md'), 'utf8');
  const block = /```properties\n([^`]+)```/.exec(guide)?.[1];
  assert.ok(block !== undefined, 'the guide has properties');
  return block
    .replace('weir-agent.example.com:9092', weir)
    .replace('old-kafka.example.com:9092', kafka)
    .trimEnd()
    .split('\n');
}
