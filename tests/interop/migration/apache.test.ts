import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  committedOffsets,
  createTopic,
  describeConfigs,
  type KafkaCluster,
  produceRecords,
  readRecords,
  resetOffsets,
} from '@weir/client';
import { apis } from '@weir/wire';
import { startApache } from '../../../bench/kafka/apache.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { pause } from '../brokers/waiting.ts';
import { buildApacheKafka, missingApacheKafka } from '../connectors/apache-kafka.ts';
import { buildKafka2, missingKafka2, startKafka2 } from './kafka-2/server.ts';
import { openCluster, startDestination, untilSame, writeTransaction } from './migrating.ts';
import { rawLogs } from './raw-log.ts';

const bounded = { timeout: 180_000 };
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
const partitionCount = 3;

interface Release {
  readonly name: string;
  readonly missing: string | false;
  /** What topics inherit from its brokers. */
  readonly maxMessageBytes: string;
  start(processes: Lifetime): Promise<string>;
}

/** 2.4 has neither ids of topics nor epochs in answers to fetches. */
const releases: readonly Release[] = [
  {
    name: '4.3',
    missing: missingApacheKafka(),
    maxMessageBytes: '1048588',
    start: async (processes) => (await startApache(processes, buildApacheKafka())).servers,
  },
  {
    name: '2.4',
    missing: missingKafka2(),
    maxMessageBytes: '1000012',
    start: (processes) => startKafka2(processes, buildKafka2()),
  },
];

for (const release of releases)
  describe(`a migration from Apache Kafka ${release.name}`, { skip: release.missing }, () =>
    migrateFrom(release),
  );

/** One migration of all topics, from Apache's server. Copies are compared byte by byte, except for leader epochs. */
function migrateFrom({ start, maxMessageBytes }: Release): void {
  let from = '';
  let source: KafkaCluster;
  let to: Awaited<ReturnType<typeof startDestination>>;
  /** Of the whole file: `after` of node:test is that of the hook or test that calls it. */
  const cleanUps: (() => Promise<void> | void)[] = [];
  const lifetime = { after: (run: () => Promise<void> | void) => void cleanUps.push(run) };
  const done = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;

  const create = (name: string, configs: Readonly<Record<string, string>> = {}) =>
    createTopic(source, {
      name,
      partitions: partitionCount,
      configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
    });
  const produce = async (
    topic: string,
    values: readonly string[],
    codec: (typeof codecs)[number] = 'none',
  ) => {
    const records = values.map((value, at) => ({
      key: Buffer.from(`k${at % 5}`),
      value: Buffer.from(value),
    }));
    const byPartition = new Map(Array.from({ length: partitionCount }, (_, at) => [at, records]));
    await produceRecords(source, topic, byPartition, { acks: 'all', codec });
  };
  const texts = (count: number) =>
    Array.from({ length: count }, (_, n) => `value ${n} ${'text '.repeat(30)}`);

  before(async () => {
    const started = Promise.withResolvers<string>();
    running = Lifetime.during(async (processes) => {
      started.resolve(await start(processes));
      await done.promise;
    });
    running.catch(started.reject);
    from = await started.promise;
    source = openCluster(lifetime, from);
    to = await startDestination(lifetime);
    await create('before', { 'retention.ms': '86400000000' });
    await produce('before', texts(50));
    await resetOffsets(source, 'readers', [{ topic: 'before', partition: 1, offset: 7n, metadata: 'm' }]);
    await to.migrate(from);
  }, bounded);
  after(async () => {
    for (const run of cleanUps.reverse()) await run();
    done.resolve();
    await running;
  });

  test('topics, configs and offsets of groups are there', bounded, async () => {
    const [log] = await untilSame(from, to.broker, 'before');
    assert.equal(log!.endOffset, 50);
    const here = openCluster(lifetime, to.broker);
    const committed = async () => (await committedOffsets(here, 'readers')).get('before')?.get(1);
    while ((await committed()) !== 7n) await pause(200);
    const configs = await describeConfigs(here, { kind: 'topic', name: 'before' });
    const shown = (name: string) => configs.find((config) => config.name === name)?.value;
    // Of the topic, and of the brokers of the source.
    assert.equal(shown('retention.ms'), '86400000000');
    assert.equal(shown('max.message.bytes'), maxMessageBytes);
  });

  for (const codec of codecs)
    test(`batches of ${codec}`, bounded, async () => {
      await create(codec);
      for (let turn = 0; turn < 3; turn++) await produce(codec, texts(100), codec);
      const [log] = await untilSame(from, to.broker, codec);
      assert.ok(log!.endOffset === 300 && log!.byteLength > 0);
    });

  test('transactions with their markers, and times of the broker', bounded, async () => {
    await create('transactions', { 'message.timestamp.type': 'LogAppendTime' });
    for (const outcome of ['commit', 'abort', 'commit'] as const) {
      await writeTransaction(source, 'transactions', partitionCount, outcome);
      await produce('transactions', texts(5));
    }
    const logs = await untilSame(from, to.broker, 'transactions');
    // Two records and a marker, and five records.
    while ((await rawLogs(from, 'transactions'))[0]!.endOffset < 24) await pause(100);
    assert.equal((await untilSame(from, to.broker, 'transactions')).length, logs.length);
    assert.equal(await committedCount(to.broker, 'transactions'), 19);
  });

  test('gaps of compaction', bounded, async () => {
    await create('compacted', {
      'cleanup.policy': 'compact',
      'segment.bytes': '1048576',
      'min.cleanable.dirty.ratio': '0.01',
      'min.compaction.lag.ms': '0',
      'max.compaction.lag.ms': '1',
    });
    for (let turn = 0; turn < 6; turn++) await produce('compacted', texts(2_000));
    await untilSame(from, to.broker, 'compacted');
  });

  test('a log start that moved', bounded, async () => {
    await create('deleted');
    await produce('deleted', texts(20));
    await produce('deleted', texts(20));
    await untilSame(from, to.broker, 'deleted');
    const leader = await source.controller();
    await leader.request(
      apis.DeleteRecords,
      {
        topics: [{ name: 'deleted', partitions: [{ partitionIndex: 0, offset: 30n }] }],
        timeoutMs: 30_000,
      },
      { timeoutMs: 30_000 },
    );
    for (;;) {
      const [here] = await rawLogs(to.broker, 'deleted');
      if (here!.logStart === 30) break;
      await pause(200);
    }
  });

  /** Records that a reader of committed records sees in the first partition. */
  async function committedCount(broker: string, topicName: string): Promise<number> {
    const cluster = openCluster(lifetime, broker);
    const { endOffset } = (await rawLogs(broker, topicName))[0]!;
    const from = new Map([[0, { offset: 0n, end: BigInt(endOffset) }]]);
    let count = 0;
    const reading = readRecords(cluster, {
      topicName,
      from,
      recordsMax: 1_000,
      waitMs: 0,
      isolation: 'read_committed',
    });
    for await (const records of reading) count += records.length;
    return count;
  }
}
