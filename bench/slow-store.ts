import { randomBytes } from 'node:crypto';
import { GiB, systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { writeRows } from '../packages/broker/src/write-path/write-metrics.ts';
import { connect } from '../tests/interop/brokers/stored.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { RequestRefused, succeeded } from './groups/answer.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { counterIn, histogramIn, quantile } from './kafka/prometheus.ts';
import { startSlowBucket } from './kafka/slow-bucket.ts';
import type { StoreLatency } from './kafka/store-latency.ts';
import { startCluster } from './kafka/weir.ts';
import type { SharedCluster } from './shared-cluster.ts';
import type { Effort } from './side-by-side.ts';
import { BatchTemplates } from './slow-store/batch-templates.ts';
import {
  lightningLoads,
  type Measured,
  recordBytes,
  rowsOf,
  type SlowStoreLoad,
  slowStoreLoads,
  storedRecordBytes,
  warmUpShare,
} from './slow-store/loads.ts';
import { PacedProducer } from './slow-store/paced-producer.ts';

/** Latencies are drawn with this seed, so that runs differ by the machine alone. */
const seed = 17;
/** What agents and the control plane store about themselves is read again. */
const keptBytesMax = 64 * 1024;

const timeoutMs = 60_000;
/** The last version that identifies topics by name. */
const lastProduceVersionWithNames = 12;
/** Producers share one value, which nothing compresses. */
const templates = new BatchTemplates(randomBytes(recordBytes), systemClock);

async function measure(
  effort: Effort,
  { store, windowMs, load, isLightning }: SlowStoreLoad,
): Promise<{ readonly measured: Measured; readonly detail: string }> {
  const isSmokeTest = effort.turns <= 1;
  const agentFlags = windowMs === undefined ? [] : ['-batchTimeout', `${windowMs}ms`];
  return withCluster(effort, store, agentFlags, async ({ bucket, cluster }) => {
    const topic = isLightning ? 'lightning' : 'slow';
    const configs = isLightning ? { 'service.topic.type': 'lightning' } : {};
    await createTopic(cluster.servers, topic, load.partitions, { configs });
    const rate =
      load.mbPerSecond === undefined ? undefined : (load.mbPerSecond * 1e6) / recordBytes / load.producers;
    const wanted = (load.megabytes * 1e6) / recordBytes / load.producers;
    const records = Math.ceil(wanted / (isSmokeTest ? 100 : 1));
    const warmUpRecords = Math.floor(records * warmUpShare);
    const latenciesMs: number[] = [];
    let warmMs = 0;
    const producers = await Promise.all(
      Array.from({ length: load.producers }, () =>
        openProducer(cluster.servers, {
          topic,
          partitions: load.partitions,
          isIdempotent: isLightning !== true,
        }),
      ),
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
      measured: {
        p50Ms: Math.round(at(0.5)),
        p99Ms: Math.round(at(0.99)),
        mbPerSecond: Math.round((bytes * part) / 1e3 / (endMs - warmMs)),
        putsPerGib: Math.round(puts / (bytes / GiB)),
      },
      detail: `p99.9 ${p999} ms, ${puts} PUTs, ${hedges} files sent again; ${fileTimes(metrics)}`,
    };
  });
}

/** How long files took to fill, to upload and to commit: median and 99th percentile of each. */
function fileTimes(metrics: string): string {
  const steps = {
    fill: writeRows.fillSeconds,
    upload: writeRows.uploadSeconds,
    commit: writeRows.commitSeconds,
  };
  return Object.entries(steps)
    .map(([step, { name }]) => {
      const buckets = histogramIn(metrics, `service_${name}`);
      const at = (share: number) => Math.round((quantile(buckets, share)?.guess ?? Number.NaN) * 1000);
      return `${step} ${at(0.5)} and ${at(0.99)} ms`;
    })
    .join(', ');
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
    const bucket = await startSlowBucket(lifetime, store, seed, keptBytesMax);
    const cluster = await startCluster(lifetime, {
      profileFolder: undefined,
      bucketUrl: bucket.url,
      agentFlags,
    });
    return work({ bucket, cluster });
  });
}

const noProducerId = { producerId: -1n, producerEpoch: -1 };

/** A producer with a connection of its own. */
async function openProducer(
  servers: string,
  {
    topic,
    partitions,
    isIdempotent,
  }: { readonly topic: string; readonly partitions: number; readonly isIdempotent: boolean },
) {
  const connection = await connect(servers, 'bench');
  const initialise = async () =>
    succeeded(
      'InitProducerId',
      await connection.request(
        apis.InitProducerId,
        { transactionalId: null, transactionTimeoutMs: timeoutMs },
        { timeoutMs },
      ),
    );
  const { producerId, producerEpoch } = isIdempotent ? await initialise() : noProducerId;
  const sequences = Array<number>(partitions).fill(0);
  return {
    close: () => connection.close(),
    async send(batches: readonly { readonly partition: number; readonly records: number }[]): Promise<void> {
      const partitionData = batches.map(({ partition: index, records: count }) => {
        const baseSequence = isIdempotent ? sequences[index]! : -1;
        sequences[index] = baseSequence + count;
        return { index, records: templates.batchOf(count, { producerId, producerEpoch, baseSequence }) };
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

/**
 * Produce over an S3 server with the latency of object stores: a control plane, an agent and the store are processes of
 * their own. `close-policy` runs the same loads in virtual time.
 */
export const slowStore: Benchmark = {
  name: 'slow-store',
  startsServers: true,
  async run(effort) {
    const rows: Row[] = [];
    // The others start the same processes.
    for (const load of effort.turns <= 1 ? slowStoreLoads.slice(0, 1) : slowStoreLoads) {
      const { measured, detail } = await measure(effort, load);
      rows.push(...rowsOf(load, measured, detail));
    }
    return rows;
  },
};

/** Lightning topics over the same stores, one agent. */
export const lightning: Benchmark = {
  name: 'lightning',
  startsServers: true,
  async run(effort) {
    const rows: Row[] = [];
    for (const load of effort.turns <= 1 ? lightningLoads.slice(0, 1) : lightningLoads) {
      const { measured, detail } = await measure(effort, load);
      rows.push(...rowsOf(load, measured, detail));
    }
    return rows;
  },
};
