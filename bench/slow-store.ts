import { randomBytes } from 'node:crypto';
import { GiB, MiB, systemClock } from '@weir/core';
import { apis, buildRecordBatch } from '@weir/wire';
import { connect } from '../tests/interop/brokers/stored.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, atMost, type Benchmark, type Row } from './benchmark.ts';
import { RequestRefused, succeeded } from './groups/answer.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { recordBytes } from './kafka/load.ts';
import { counterIn } from './kafka/prometheus.ts';
import { startSlowBucket } from './kafka/slow-bucket.ts';
import type { StoreLatency } from './kafka/store-latency.ts';
import { startCluster } from './kafka/weir.ts';
import type { SharedCluster } from './shared-cluster.ts';
import type { Effort } from './side-by-side.ts';
import { PacedProducer } from './slow-store/paced-producer.ts';

/** Latencies are drawn with this seed, so that runs differ by the machine alone. */
const seed = 17;
const usualStore: StoreLatency = { kind: 'log-normal', medianMs: 60, p99Ms: 400 };
const fastStore: StoreLatency = { kind: 'constant', ms: 8 };

const topic = 'slow';
const timeoutMs = 60_000;
/** The last version that identifies topics by name. */
const lastProduceVersionWithNames = 12;
/** Size of a 1 KiB record in a batch. */
const storedRecordBytes = recordBytes + 16;
/** Producers share one value: nothing compresses it, and a store does not care. */
const value = randomBytes(recordBytes);

interface Load {
  readonly producers: number;
  readonly partitions: number;
  readonly batchBytes: number;
  readonly lingerMs: number;
  /** Of all producers together; as much as the agent takes if absent. */
  readonly mbPerSecond?: number;
  readonly seconds: number;
  /** Megabytes to write if there is no rate. */
  readonly megabytes?: number;
}

interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mbPerSecond: number;
  readonly putsPerGib: number;
  readonly detail: string;
}

/** The first part of a run fills the percentiles that hedging uses, and warms up the agent. */
const warmUpShare = 0.25;

async function measure(
  effort: Effort,
  store: StoreLatency,
  agentFlags: readonly string[],
  load: Load,
): Promise<Measured> {
  const isSmokeTest = effort.turns <= 1;
  return withCluster(effort, store, agentFlags, async ({ bucket, cluster }) => {
    await createTopic(cluster.servers, topic, load.partitions);
    const rate =
      load.mbPerSecond === undefined ? undefined : (load.mbPerSecond * 1e6) / recordBytes / load.producers;
    const wanted = rate === undefined ? ((load.megabytes ?? 0) * 1e6) / recordBytes : rate * load.seconds;
    const records = Math.ceil(wanted / (isSmokeTest ? 100 : 1));
    const warmUpRecords = Math.floor(records * warmUpShare);
    const latenciesMs: number[] = [];
    let warmMs = 0;
    const producers = await Promise.all(
      Array.from({ length: load.producers }, () => openProducer(cluster.servers, load.partitions)),
    );
    const startMs = systemClock.monotonicMs();
    try {
      await Promise.all(
        producers.map(({ send }, index) =>
          new PacedProducer({
            clock: systemClock,
            partitions: load.partitions,
            rate,
            records,
            lingerMs: load.lingerMs,
            recordsPerBatch: Math.floor(load.batchBytes / storedRecordBytes),
            recordBytes: storedRecordBytes,
            send,
            onAcknowledged(latencyMs, at) {
              if (at >= warmUpRecords) latenciesMs.push(latencyMs);
              else warmMs = systemClock.monotonicMs();
            },
            // Apart by a fraction of the time between two records.
          }).run(startMs + index * 0.37),
        ),
      );
    } finally {
      for (const { close } of producers) close();
    }
    const endMs = systemClock.monotonicMs();
    const { puts } = await bucket.counts();
    const metrics = await cluster.metrics();
    const hedges = counterIn(metrics, 'service_fast_retrier_speculative_retry', 'operation="put"');
    latenciesMs.sort((a, b) => a - b);
    const bytes = records * load.producers * recordBytes;
    const part = (records - warmUpRecords) / records;
    const at = (share: number) => latenciesMs[Math.floor(share * latenciesMs.length)] ?? Number.NaN;
    const p999 = Math.round(at(0.999));
    return {
      p50Ms: Math.round(at(0.5)),
      p99Ms: Math.round(at(0.99)),
      mbPerSecond: Math.round((bytes * part) / 1e3 / (endMs - warmMs)),
      putsPerGib: Math.round(puts / (bytes / GiB)),
      detail: `p99.9 ${p999} ms, ${puts} PUTs, ${hedges} of them second ones`,
    };
  });
}

/** Runs the work over a bucket with this latency; a smoke test may bring a cluster over a bucket of its own. */
function withCluster<Result>(
  { shared }: Effort,
  store: StoreLatency,
  agentFlags: readonly string[],
  work: (stage: SharedCluster) => Promise<Result>,
): Promise<Result> {
  if (shared !== undefined) return work(shared);
  return Lifetime.during(async (lifetime) => {
    const bucket = await startSlowBucket(lifetime, store, seed);
    const cluster = await startCluster(lifetime, {
      profileFolder: undefined,
      bucketUrl: bucket.url,
      agentFlags,
    });
    return work({ bucket, cluster });
  });
}

/** An idempotent producer with a connection of its own. */
async function openProducer(servers: string, partitions: number) {
  const connection = await connect(servers, 'bench');
  const { producerId, producerEpoch } = succeeded(
    'InitProducerId',
    await connection.request(
      apis.InitProducerId,
      { transactionalId: null, transactionTimeoutMs: timeoutMs },
      { timeoutMs },
    ),
  );
  const sequences = Array<number>(partitions).fill(0);
  return {
    close: () => connection.close(),
    async send(batches: readonly { readonly partition: number; readonly records: number }[]): Promise<void> {
      const partitionData = batches.map(({ partition: index, records: count }) => {
        const baseSequence = sequences[index]!;
        sequences[index] = baseSequence + count;
        const records = Array.from({ length: count }, () => ({ timestamp: 0n, key: null, value }));
        return { index, records: buildRecordBatch(records, { producerId, producerEpoch, baseSequence }) };
      });
      const { responses } = await connection.request(
        apis.Produce,
        { acks: -1, timeoutMs, topicData: [{ name: topic, partitionData }] },
        { timeoutMs, highestUseful: lastProduceVersionWithNames },
      );
      for (const { errorCode } of responses[0]!.partitionResponses) {
        if (errorCode !== 0) throw new RequestRefused('Produce', errorCode);
      }
    },
  };
}

const many = { producers: 16, partitions: 16, batchBytes: 256 * 1024, lingerMs: 5 } as const;

/**
 * Produce over an S3 server with the latency of object stores: a control plane, an agent and the store are processes of
 * their own. Producers send as Apache's do by default: idempotent, acks=all, five requests in flight.
 */
export const slowStore: Benchmark = {
  name: 'slow-store',
  startsServers: true,
  async run(effort) {
    const rows: Row[] = [];
    const latency = (what: string, { p50Ms, p99Ms, detail }: Measured, p50Max: number, p99Max: number) => {
      rows.push({ what: `${what}: p50`, result: p50Ms, unit: 'ms', bar: atMost(p50Max), detail });
      rows.push({ what: `${what}: p99`, result: p99Ms, unit: 'ms', bar: atMost(p99Max), detail: '' });
    };

    const usual = await measure(effort, usualStore, [], { ...many, mbPerSecond: 10, seconds: 40 });
    latency('10 MB/s from 16 producers, store 60 ms (p99 400 ms)', usual, 250, 450);
    // The others start the same processes.
    if (effort.turns <= 1) return rows;

    const fast = await measure(effort, fastStore, ['-batchTimeout', '25ms'], {
      ...many,
      mbPerSecond: 10,
      seconds: 20,
    });
    latency('10 MB/s from 16 producers, store 8 ms, window 25 ms', fast, 25, 45);

    const one = await measure(effort, usualStore, [], {
      producers: 1,
      partitions: 1,
      batchBytes: MiB,
      lingerMs: 20,
      seconds: 0,
      megabytes: 2_000,
    });
    rows.push({
      what: 'one producer, batches of 1 MiB, store 60 ms (p99 400 ms)',
      result: one.mbPerSecond,
      unit: 'MB/s',
      bar: atLeast(65),
      detail: one.detail,
    });

    const paid = await measure(effort, usualStore, [], { ...many, mbPerSecond: 50, seconds: 30 });
    rows.push({
      what: '50 MB/s from 16 producers, store 60 ms (p99 400 ms): PUTs',
      result: paid.putsPerGib,
      unit: 'per GiB',
      bar: atMost(90),
      detail: `${paid.mbPerSecond} MB/s, p50 ${paid.p50Ms} ms, p99 ${paid.p99Ms} ms, ${paid.detail}`,
    });
    return rows;
  },
};
