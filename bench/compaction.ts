import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KiB, Metrics, MiB, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import { createClusterView } from '../packages/broker/src/cluster/following-view.ts';
import { createWritePath } from '../packages/broker/src/write-path/file-write-path.ts';
import { produced } from '../packages/broker/testing/data-path.ts';
import { type MergePlan, mergeFiles } from '../packages/jobs/src/compaction/merge-files.ts';
import { MergePace } from '../packages/jobs/src/compaction/merge-pace.ts';
import { MergeThreads } from '../packages/jobs/src/compaction/merge-thread.ts';
import { TestCluster } from '../packages/metadata/testing/index.ts';
import {
  buildLogFile,
  createBucket,
  logFileKey,
  newFileId,
  type ObjectStore,
  openStore,
} from '../packages/storage/src/index.ts';
import { atLeast, atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { startSlowBucket } from './kafka/slow-bucket.ts';
import { type Effort, median } from './side-by-side.ts';

const clusterId = 'vci_test';
const fileCount = 32;
const topicId = Buffer.alloc(16, 1).toString('base64url');

/** Sizes of the input: few partitions with large batches, and many with small ones. */
const shapes = [
  { name: '100 partitions, batches of 16 KiB', partitions: 100, batches: 3, batchBytes: 16 * KiB },
  { name: '1,000 partitions, batches of 4 KiB', partitions: 1_000, batches: 1, batchBytes: 4 * KiB },
] as const;

/** Producers beside the merge: as many requests in this interval. */
const produceEveryMs = 5;
const producedBatch = buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.alloc(8 * KiB, 'weir') }]);
const stretchMs = 1_000;
const fullStretches = 20;
/** Of the S3 server, as a store in the same building answers. */
const storeMs = 8;

/**
 * Merging 32 files of a bucket on disk: what a core merges in a second, reads and writes of the disk included; and how
 * long produce requests take beside a merge that never ends, compared with those alone, in turns of a second. The merge
 * has a thread of its own; all share the cores and the disk.
 */
export const compaction: Benchmark = {
  name: 'compaction',
  async run(effort: Effort) {
    const isFull = effort.turns > 1;
    const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
    const bucketUrl = `file://${folder}`;
    const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
    await createBucket(bucketUrl);
    const store = await openStore(bucketUrl, { ...deps, environment: {} });
    try {
      const rows: Row[] = [];
      let input: Input | undefined;
      for (const shape of shapes) {
        input = await writeInput(store, isFull ? shape : { ...shape, partitions: 4 });
        rows.push(await throughput(shape.name, store, input, isFull ? 7 : 1));
      }
      const [stretches, lengthMs] = isFull ? [fullStretches, stretchMs] : [1, 50];
      const onDisk = { name: 'a disk', bucketUrl, environment: {}, store };
      rows.push(await latency(onDisk, input!.plan, stretches, lengthMs));
      rows.push(
        await Lifetime.during(async (lifetime) => {
          const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: storeMs });
          const environment = { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' };
          const s3 = await openStore(bucket.url, { ...deps, environment });
          try {
            const { plan } = await writeInput(s3, isFull ? shapes[1] : { ...shapes[1], partitions: 4 });
            const name = `S3 of ${storeMs} ms`;
            return await latency(
              { name, bucketUrl: bucket.url, environment, store: s3 },
              plan,
              stretches,
              lengthMs,
            );
          } finally {
            await s3.close();
          }
        }),
      );
      return rows;
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Input {
  readonly plan: MergePlan;
  readonly bytes: number;
}

async function writeInput(
  store: ObjectStore,
  shape: { readonly partitions: number; readonly batches: number; readonly batchBytes: number },
): Promise<Input> {
  const { partitions, batches, batchBytes } = shape;
  const random = seededRandom(1);
  const batch = buildRecordBatch([
    { timestamp: 1n, key: null, value: Buffer.alloc(batchBytes - 80, 'weir') },
  ]);
  const fileIds: string[] = [];
  const starts: number[] = [];
  let bytes = 0;
  for (let file = 0; file < fileCount; file++) {
    const fileId = newFileId(1_700_000_000_000 + file, random);
    const content = Array.from({ length: partitions * batches }, (_, index) => ({
      topicId,
      partition: Math.floor(index / batches),
      bytes: batch,
    }));
    const { slices, placed, fileBytes } = buildLogFile({ clusterId, fileId, batches: content });
    await store.put(logFileKey(clusterId, fileId), slices);
    fileIds.push(fileId);
    for (let partition = 0; partition < partitions; partition++)
      starts[partition] = placed.byteStart[partition * batches]!;
    bytes += fileBytes;
  }
  const runs = starts.map((byteStart, partition) => ({
    topicId,
    partition,
    pointers: {
      fileId: fileIds,
      byteStart: new Float64Array(fileCount).fill(byteStart),
      byteLength: new Float64Array(fileCount).fill(batches * batch.length),
      baseOffset: Float64Array.from(fileIds, (_, file) => file * batches),
      nextOffset: Float64Array.from(fileIds, (_, file) => (file + 1) * batches),
    },
  }));
  return { plan: { clusterId, level: 1, runs }, bytes };
}

async function throughput(
  name: string,
  store: ObjectStore,
  { plan, bytes }: Input,
  turns: number,
): Promise<Row> {
  const rates: number[] = [];
  const wallRates: number[] = [];
  let requests = 0;
  for (let turn = 0; turn < turns; turn++) {
    const cpuBefore = process.cpuUsage();
    const startMs = systemClock.monotonicMs();
    const result = await mergeFiles(plan, {
      store,
      random: systemRandom,
      signal: new AbortController().signal,
    });
    const { user, system } = process.cpuUsage(cpuBefore);
    rates.push(bytes / Math.max(1, user + system));
    wallRates.push(bytes / 1_000 / (systemClock.monotonicMs() - startMs));
    requests = result.requestCount;
    for (const { fileId } of result.files) await store.delete(logFileKey(clusterId, fileId));
  }
  return {
    what: `merge of ${fileCount} files per core, ${name}`,
    result: Math.round(median(rates)),
    unit: 'MB/s',
    bar: atLeast(200),
    detail: `${Math.round(median(wallRates))} MB/s of time; ${requests} reads of ${(bytes / MiB).toFixed(0)} MiB`,
  };
}

/** Where files lie. */
interface Place {
  readonly name: string;
  readonly bucketUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly store: ObjectStore;
}

async function latency(
  { name, bucketUrl, environment, store }: Place,
  plan: MergePlan,
  stretches: number,
  lengthMs: number,
): Promise<Row> {
  const cluster = new TestCluster({ clusterId });
  const { topicId } = cluster.addTopic('t', 8);
  const view = createClusterView(cluster, { log: silentLog });
  await view.ready();
  const writePath = createWritePath({
    clusterId,
    store,
    cluster: view,
    flush: { windowMs: 0, uncompressedBytesMax: 64 * MiB, compressedBytesMax: MiB },
    inflightFilesMax: 64,
    bufferedBytesMax: 64 * MiB,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: new Metrics(),
  });
  const pass = (timeMs: number) => new Promise<void>((resolve) => systemClock.after(timeMs, resolve));

  async function produceFor(times: number[]): Promise<void> {
    const endMs = systemClock.monotonicMs() + lengthMs;
    const running: Promise<void>[] = [];
    for (let count = 0; systemClock.monotonicMs() < endMs; count++) {
      const startMs = systemClock.monotonicMs();
      const appended = writePath.append([produced(topicId, count % 8, producedBatch)], {
        deadlineMs: startMs + 60_000,
      });
      running.push(
        appended.then(() => {
          const tookMs = systemClock.monotonicMs() - startMs;
          times.push(tookMs);
          pace.written(tookMs);
        }),
      );
      await pass(produceEveryMs);
    }
    await Promise.all(running);
  }

  /** Merges again and again until stopped. */
  function merging(): { stop(): Promise<void> } {
    const stop = new AbortController();
    const threads = new MergeThreads({ clock: systemClock });
    const ended = (async () => {
      const task = { bucketUrl, environment, usesMetadataService: false, plan, limits: {} };
      while (!stop.signal.aborted) {
        const { files } = await threads.merge(task, { signal: stop.signal, pace });
        merges++;
        for (const { fileId } of files) await store.delete(logFileKey(clusterId, fileId));
      }
    })().catch(() => undefined);
    return {
      async stop() {
        stop.abort(new Error('enough'));
        await ended;
        await threads.end();
      },
    };
  }

  const pace = new MergePace(systemClock);
  let merges = 0;
  const times = { beside: [] as number[], alone: [] as number[] };
  await produceFor([]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const merge = merging();
    // The thread starts, and the first merge is under way.
    await pass(lengthMs / 4);
    await produceFor(times.beside);
    await merge.stop();
    await produceFor(times.alone);
  }
  view.close();
  const [beside, alone] = [p99(times.beside), p99(times.alone)];
  return {
    what: `produce p99 beside a merge / alone, ${name}`,
    result: Math.round((beside / alone) * 100) / 100,
    unit: 'x',
    bar: atMost(1.2),
    detail: `${ms(beside)}, ${ms(alone)}; medians ${ms(median(times.beside))}, ${ms(median(times.alone))}; ${merges} merges ended`,
  };
}

function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
