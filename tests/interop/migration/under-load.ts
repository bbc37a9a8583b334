import assert from 'node:assert/strict';
import {
  allAnswers,
  createTopic,
  type KafkaCluster,
  offsetRanges,
  Producer,
  type ReadRecord,
  RememberedTopic,
  readRecords,
  TransactionalProducer,
} from '@weir/client';
import { systemClock } from '@weir/core';
import { pause } from '../brokers/waiting.ts';
import type { compactedSoon } from './compacted-log.ts';
import { openCluster, type startDestination, untilSame } from './migrating.ts';
import { rawLogs } from './raw-log.ts';

type Destination = Awaited<ReturnType<typeof startDestination>>;
type Codec = 'none' | 'lz4' | 'gzip';

interface Loaded {
  readonly source: KafkaCluster;
  /** A broker of it, whose logs are compacted soon. */
  readonly from: string;
  readonly to: Destination;
  readonly pipelineId: string;
  /** Configs of a topic that is compacted soon. */
  readonly compacted: ReturnType<typeof compactedSoon>;
}

const partitionCount = 2;
/** Of each writer, so that a log can be read again and again to compare it. */
const betweenMs = 10;
const keyCount = 20;
const written = 'load-written';
const transactions = 'load-transactions';
const keys = 'load-keys';
/** Clocks of clients may be wrong. Apache's brokers refuse what is more than an hour ahead, unless that is set. */
const aheadMs = 3_000_000;
const wrongTimes = [0n, BigInt(Date.UTC(1999, 0)), BigInt(Math.trunc(systemClock.nowMs()) + aheadMs)];

/**
 * Producers write all the time: batches of several sizes and codecs, records of wrong clocks, transactions that are
 * committed and aborted, and keys to a topic that the source compacts meanwhile. The copy follows, is paused for a
 * while, and goes on. In the end it has the bytes of the source. Of what is compacted it has all records that the
 * source has left, and some more that it read before the source removed them.
 */
export async function assertCopiedUnderLoad(
  lifetime: Parameters<typeof openCluster>[0],
  { source, from, to, pipelineId, compacted }: Loaded,
): Promise<void> {
  for (const name of [written, transactions])
    await createTopic(source, { name, partitions: partitionCount, configs: [] });
  await createTopic(source, { name: keys, partitions: 1, configs: compacted });
  const isCopied = async () => (await rawLogs(to.broker, keys)).length > 0;
  while (!(await isCopied())) await pause(200);

  const load = new Load(source);
  const change = (desired_state: string) =>
    to.call('change_pipeline_state', { ...to.on, pipeline_id: pipelineId, desired_state });
  await load.during(async () => {
    const untilCopied = async (least: number) => {
      while ((await rawLogs(to.broker, written))[0]!.endOffset < least) await pause(200);
    };
    await untilCopied(1_000);
    await change('paused');
    // The source compacts what the copy does not have yet.
    const copied = (await rawLogs(to.broker, keys))[0]!.endOffset;
    while (!(await isCompactedBehind(source, copied))) await pause(500);
    await change('running');
    await untilCopied((await rawLogs(from, written))[0]!.endOffset + 1_000);
  });
  for (const topic of [written, transactions]) await untilSame(from, to.broker, topic);
  const here = openCluster(lifetime, to.broker);
  for (const cluster of [source, here])
    assert.equal((await recordsOf(cluster, transactions, 'read_committed')).length, load.committedCount);
  const times = new Set((await recordsOf(here, written)).map(({ timestamp }) => timestamp));
  for (const time of wrongTimes) assert.ok(times.has(time), `records of ${time}`);

  const [end] = await rawLogs(from, keys);
  while ((await rawLogs(to.broker, keys))[0]!.endOffset < end!.endOffset) await pause(200);
  const copies = new Map((await recordsOf(here, keys)).map((record) => [record.offset, shown(record)]));
  const left = await recordsOf(source, keys);
  assert.ok(left.length < load.keyedCount / 2, 'the source removed most records');
  for (const record of left) assert.equal(copies.get(record.offset), shown(record));
  assert.deepEqual(newest(await recordsOf(here, keys)), newest(left));
}

/** Writes to all topics until it is stopped. */
class Load {
  /** Records of transactions that were committed. */
  committedCount = 0;
  /** Records that have keys. */
  keyedCount = 0;
  readonly #source: KafkaCluster;
  #isRunning = true;

  constructor(source: KafkaCluster) {
    this.#source = source;
  }

  /** A writer that fails ends the work, too. */
  async during(work: () => Promise<void>): Promise<void> {
    const writing = Promise.all([
      this.#writeBatches('none', 20),
      this.#writeBatches('lz4', 200),
      this.#writeBatches('gzip', 1),
      this.#writeTransactions(),
      this.#writeKeys(),
    ]);
    try {
      await Promise.race([work(), writing]);
    } finally {
      this.#isRunning = false;
      await writing;
    }
  }

  async #writeBatches(codec: Codec, recordsInBatch: number): Promise<void> {
    await this.#withProducer(codec, async (producer) => {
      for (let turn = 0; this.#isRunning; turn++) {
        const partition = turn % partitionCount;
        const records = Array.from({ length: recordsInBatch }, (_, n) => ({
          key: null,
          value: Buffer.from(`${codec} ${turn} ${n} ${'text '.repeat(20)}`),
          timestamp: wrongTimes[(turn + n) % 5] ?? BigInt(systemClock.nowMs()),
        }));
        throwFailed(await producer.send(written, partition, records));
        await pause(betweenMs);
      }
    });
  }

  async #writeKeys(): Promise<void> {
    await this.#withProducer('none', async (producer) => {
      for (; this.#isRunning; this.keyedCount += 50) {
        const records = Array.from({ length: 50 }, (_, n) => ({
          key: Buffer.from(`k${n % keyCount}`),
          value: Buffer.from(`${this.keyedCount + n} ${'text '.repeat(200)}`),
          timestamp: BigInt(systemClock.nowMs()),
        }));
        throwFailed(await producer.send(keys, 0, records));
        await pause(betweenMs);
      }
    });
  }

  async #withProducer(codec: Codec, work: (producer: Producer) => Promise<void>): Promise<void> {
    const producer = new Producer(this.#source, {
      ...{ acks: 'all', codec, isIdempotent: true, batchBytesMax: 200_000 },
      ...{ timeoutMs: 60_000, metadataMaxAgeMs: 5_000 },
    });
    try {
      await work(producer);
    } finally {
      producer.close();
    }
  }

  async #writeTransactions(): Promise<void> {
    const producer = new TransactionalProducer(this.#source, {
      ...{ transactionalId: 'of the load', transactionTimeoutMs: 60_000 },
    });
    await producer.open();
    const topic = new RememberedTopic(this.#source, transactions);
    for (let turn = 0; this.#isRunning; turn++) {
      const records = Array.from({ length: 1 + (turn % 5) }, (_, n) => ({
        key: null,
        value: Buffer.from(`transaction ${turn} ${n}`),
      }));
      const byPartition = new Map(Array.from({ length: partitionCount }, (_, at) => [at, records]));
      const isCommitted = turn % 3 !== 1;
      await producer.write([{ topic, byPartition }], isCommitted ? 'commit' : 'abort');
      if (isCommitted) this.committedCount += records.length * partitionCount;
    }
  }
}

function throwFailed(failed: ReadonlyMap<number, Error>): void {
  for (const problem of failed.values()) throw problem;
}

/** Whether the source removed most of at least a thousand records from an offset on. */
async function isCompactedBehind(source: KafkaCluster, offset: number): Promise<boolean> {
  const left = (await recordsOf(source, keys)).filter((record) => record.offset >= offset);
  const span = Number(left.at(-1)?.offset ?? 0n) - offset;
  return span > 1_000 && left.length < span / 2;
}

/** All records, ordered by partition and offset. */
async function recordsOf(
  cluster: KafkaCluster,
  topicName: string,
  isolation: 'read_committed' | 'read_uncommitted' = 'read_uncommitted',
): Promise<readonly ReadRecord[]> {
  const partitions = topicName === keys ? [0] : Array.from({ length: partitionCount }, (_, at) => at);
  const ranges = allAnswers(await offsetRanges(cluster, topicName, partitions, isolation));
  const from = new Map(
    [...ranges].map(([at, { earliest, latest }]) => [at, { offset: earliest, end: latest }]),
  );
  const found: ReadRecord[] = [];
  const options = { topicName, from, recordsMax: Number.POSITIVE_INFINITY, waitMs: 0, isolation };
  for await (const records of readRecords(cluster, options)) found.push(...records);
  return found;
}

function shown({ key, value, timestamp }: ReadRecord): string {
  return `${timestamp} ${String(key)} ${String(value)}`;
}

/** The last record of each key. */
function newest(records: readonly ReadRecord[]): readonly (readonly [key: string, record: string])[] {
  return [...new Map(records.map((record) => [String(record.key), shown(record)]))].toSorted();
}
