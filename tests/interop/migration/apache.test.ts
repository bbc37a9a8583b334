import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  committedOffsets,
  createTopic,
  deleteTopic,
  describeConfigs,
  type KafkaCluster,
  Producer,
  produceRecords,
  readRecords,
  resetOffsets,
} from '@weir/client';
import { systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { startApache } from '../../../bench/kafka/apache.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { pause, untilSucceeds } from '../brokers/waiting.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { buildApacheKafka, missingApacheKafka } from '../connectors/apache-kafka.ts';
import { moveApplications } from './applications.ts';
import { compactedSoon, compactsSoon, makeCompactedLog } from './compacted-log.ts';
import { buildKafka2, missingKafka2, startKafka2 } from './kafka-2/server.ts';
import { openCluster, startDestination, untilSame, writeTransaction } from './migrating.ts';
import { firstMagic, rawLogs } from './raw-log.ts';
import { assertCopiedUnderLoad } from './under-load.ts';

const bounded = { timeout: 180_000 };
/** A broker starts and compacts a log. */
const slow = { timeout: 600_000 };
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
const partitionCount = 3;

interface Release {
  readonly name: string;
  readonly missing: string | false;
  readonly codecs: readonly (typeof codecs)[number][];
  /** What topics inherit from its brokers. */
  readonly maxMessageBytes: string;
  /** Formats before 2017 that its topics may have: what they are named, and the format. */
  readonly oldFormats: readonly (readonly [name: string, magic: number])[];
  readonly isSince23: boolean;
  /** Whether an application of the newest Kafka Streams can work exactly once there. */
  readonly hasStreams: boolean;
  start(processes: Lifetime): Promise<Started>;
}

interface Started {
  readonly servers: string;
  /** Kills the broker, and starts it again with what it has on its disk. */
  readonly killAndRestart?: () => Promise<void>;
}

/**
 * 2.4 has neither ids of topics nor epochs in answers to fetches. 2.0 does not say where epochs of leaders end either,
 * and does not know zstd.
 */
const releases: readonly Release[] = [
  {
    name: '4.3',
    missing: missingApacheKafka(),
    codecs,
    maxMessageBytes: '1048588',
    oldFormats: [],
    isSince23: true,
    hasStreams: true,
    start: async (processes) => {
      let broker = await startApache(processes, buildApacheKafka(), compactsSoon);
      return {
        servers: broker.servers,
        async killAndRestart() {
          for (const { pid } of broker.processes) process.kill(pid, 'SIGKILL');
          while (broker.processes.some(({ isRunning }) => isRunning)) await pause(20);
          broker = await broker.restart();
        },
      };
    },
  },
  {
    name: '2.4',
    missing: missingKafka2('2.4'),
    codecs,
    maxMessageBytes: '1000012',
    oldFormats: [
      ['0.9.0', 0],
      ['0.10.0', 1],
    ],
    isSince23: true,
    hasStreams: false,
    start: async (processes) => ({ servers: await startKafka2(processes, buildKafka2('2.4'), compactsSoon) }),
  },
  {
    name: '2.0',
    missing: missingKafka2('2.0'),
    codecs: codecs.filter((codec) => codec !== 'zstd'),
    maxMessageBytes: '1000012',
    oldFormats: [['0.9.0', 0]],
    isSince23: false,
    hasStreams: false,
    start: async (processes) => ({ servers: await startKafka2(processes, buildKafka2('2.0'), compactsSoon) }),
  },
];

for (const release of releases)
  describe(`a migration from Apache Kafka ${release.name}`, { skip: release.missing }, () =>
    migrateFrom(release),
  );

/** One migration of all topics, from Apache's server. Copies are compared byte by byte, except for leader epochs. */
function migrateFrom(release: Release): void {
  const { start, codecs: known, maxMessageBytes, oldFormats, hasStreams } = release;
  const compacted = compactedSoon(release);
  let from = '';
  let killAndRestart: (() => Promise<void>) | undefined;
  let source: KafkaCluster;
  let to: Awaited<ReturnType<typeof startDestination>>;
  let pipelineId = '';
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
    const started = Promise.withResolvers<Started>();
    running = Lifetime.during(async (processes) => {
      started.resolve(await start(processes));
      await done.promise;
    });
    running.catch(started.reject);
    ({ servers: from, killAndRestart } = await started.promise);
    source = openCluster(lifetime, from);
    to = await startDestination(lifetime);
    await create('before', { 'retention.ms': '86400000000' });
    await produce('before', texts(50));
    await resetOffsets(source, 'readers', [{ topic: 'before', partition: 1, offset: 7n, metadata: 'm' }]);
    await makeCompactedLog(source, from, 'compacted', release);
    pipelineId = await to.migrate(from);
  }, slow);
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

  for (const codec of known)
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

  test('gaps of compaction, and batches that it left empty', bounded, async () => {
    const [log] = await untilSame(from, to.broker, 'compacted');
    assert.ok(log!.emptyBatchCount > 0 && log!.recordCount < log!.endOffset / 2);
  });

  test('producers, transactions and compaction go on while a copy follows', slow, () =>
    assertCopiedUnderLoad(lifetime, { source, from, to, pipelineId, compacted }),
  );

  for (const [format, magic] of oldFormats)
    test(`messages of ${format} are batches with the same offsets`, bounded, async () => {
      const topic = `format-${format}`;
      await create(topic, { 'message.format.version': format });
      const codecsThen = codecs.filter((codec) => codec !== 'zstd');
      for (const codec of codecsThen) await produce(topic, texts(100), codec);
      assert.equal(await firstMagic(from, topic), magic);
      const endOffset = codecsThen.length * 100;
      while ((await rawLogs(to.broker, topic)).at(-1)?.endOffset !== endOffset) await pause(200);
      assert.equal(await firstMagic(to.broker, topic), 2);
      assert.deepEqual(
        await readValues(to.broker, topic),
        codecsThen.flatMap(() => texts(100)).map((value, offset) => [offset, value]),
      );
    });

  test('partitions that are added', bounded, async () => {
    await create('grown');
    await produce('grown', texts(5));
    await untilSame(from, to.broker, 'grown');
    const count = partitionCount + 1;
    await (await source.controller()).request(
      apis.CreatePartitions,
      { topics: [{ name: 'grown', count, assignments: null }], timeoutMs: 30_000, validateOnly: false },
      { timeoutMs: 30_000 },
    );
    const record = { key: null, value: Buffer.from('in the added one') };
    const added = new Map([[partitionCount, [record]]]);
    while ((await rawLogs(from, 'grown')).length < count) await pause(200);
    await produceRecords(source, 'grown', added, { acks: 'all', codec: 'none' });
    const logs = await untilSame(from, to.broker, 'grown');
    assert.equal(logs.length, count);
    assert.equal(logs[partitionCount]!.endOffset, 1);
  });

  test('a topic that is made again is not copied over the one before', bounded, async () => {
    await create('again');
    await produce('again', texts(20));
    const before = await untilSame(from, to.broker, 'again');
    await deleteTopic(source, 'again');
    const problem = async () => {
      const { topics } = await to.call<{ topics: { topic: string; last_error?: string }[] }>(
        'orbit/auto_migration/status',
        to.on,
      );
      return topics.find(({ topic }) => topic === 'again')?.last_error ?? '';
    };
    while (!(await problem()).includes('deleted at the source')) await pause(200);
    // Brokers of 2.4 refuse the name for a moment.
    await untilSucceeds(() => create('again'));
    for (let turn = 0; turn < 3; turn++) await produce('again', texts(30));
    while (!/created again|other records|ends at offset/.test(await problem())) await pause(200);
    assert.deepEqual(await rawLogs(to.broker, 'again'), before);
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
    // A log cannot be read while its start moves.
    await untilSucceeds(async () => {
      const [here] = await rawLogs(to.broker, 'deleted');
      assert.equal(here!.logStart, 30);
    });
  });

  test('a broker that is killed under load comes back, and its records are copied', slow, async (t) => {
    if (killAndRestart === undefined) return t.skip('its ZooKeeper would have to forget it first');
    await create('killed');
    const producer = new Producer(source, {
      ...{ acks: 'all', codec: 'lz4', isIdempotent: true, batchBytesMax: 20_000 },
      ...{ timeoutMs: 300_000, metadataMaxAgeMs: 2_000 },
    });
    t.after(() => producer.close());
    let isWriting = true;
    let written = 0;
    const write = async () => {
      while (isWriting) {
        const record = {
          key: null,
          value: Buffer.from(`${written}`),
          timestamp: BigInt(systemClock.nowMs()),
        };
        const failed = await producer.send('killed', 0, [record]);
        assert.deepEqual([...failed.values()].map(String), []);
        written++;
      }
    };
    const writing = write();
    writing.catch(() => undefined);
    const untilMore = async (count: number) => {
      for (const before = written; written < before + count; )
        await Promise.race([pause(50), writing.then(() => assert.ok(isWriting, 'the writer ended'))]);
    };
    await untilMore(200);
    await killAndRestart();
    await untilMore(200);
    isWriting = false;
    await writing;
    await writeTransaction(source, 'killed', partitionCount, 'abort');
    const [log] = await untilSame(from, to.broker, 'killed');
    // Two records and a marker of the transaction.
    assert.equal(log!.endOffset, written + 3);
    assert.deepEqual(
      (await readValues(to.broker, 'killed')).slice(0, written).map(([, value]) => value),
      Array.from({ length: written }, (_, n) => `${n}`),
    );
  });

  if (hasStreams)
    test('applications move while they are at work', slow, async () => {
      const own = lastFirst(lifetime);
      await moveApplications(own, { from, to, keepsState: true, migrate: async () => {} });
    });

  /** Offsets and values of the first partition. */
  async function readValues(broker: string, topicName: string): Promise<[number, string][]> {
    const { endOffset } = (await rawLogs(broker, topicName))[0]!;
    const values: [number, string][] = [];
    const reading = readRecords(openCluster(lifetime, broker), {
      topicName,
      from: new Map([[0, { offset: 0n, end: BigInt(endOffset) }]]),
      recordsMax: 10_000,
      waitMs: 0,
    });
    for await (const records of reading)
      for (const { offset, value } of records) values.push([Number(offset), String(value)]);
    return values;
  }

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
