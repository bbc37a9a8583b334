import { GiB } from '@weir/core';
import { weirAtLeast, weirAtMost, weirUnder } from '../bars.ts';
import type { BenchResult } from '../bench-result.ts';
import type { BenchRow, BenchRun } from '../bench-run.ts';
import { Lifetime } from '../lifetime.ts';
import { recordBytes } from '../load.ts';
import { type SlowBucket, startSlowBucket } from '../slow-bucket.ts';
import type { StoreLatency } from '../store-latency.ts';
import { measured, measuredResultOf, type ResultSpec, type Sample } from '../versus.ts';
import { startCluster, type WeirCluster } from '../weir.ts';
import { steadyRate } from './end-to-end.ts';
import { throughputSettings } from './produce.ts';

/** Typical object store latency. Reads take as long as writes. */
const usualStore: StoreLatency = { kind: 'log-normal', medianMs: 60, p99Ms: 400 };
const fastStore: StoreLatency = { kind: 'constant', ms: 8 };

const topic = 'slow';

interface SlowStoreRow {
  readonly name: string;
  readonly row: string;
  readonly isQuick: boolean;
  readonly store: StoreLatency;
  readonly agentFlags?: readonly string[];
  readonly partitions: number;
  readonly results: readonly ResultSpec[];
  measure(bench: BenchRun, cluster: WeirCluster, bucket: SlowBucket): Promise<Sample>;
}

const memory: ResultSpec = { key: 'peakMib', metric: 'peak memory, agent and control plane', unit: 'MiB' };
const cpu: ResultSpec = { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB' };

const latencyResults = (p50Ms: number, p99Ms: number): readonly ResultSpec[] => [
  { key: 'p50Ms', metric: 'p50', unit: 'ms', bar: weirUnder(p50Ms, 'ms') },
  { key: 'p99Ms', metric: 'p99', unit: 'ms', bar: weirUnder(p99Ms, 'ms') },
  { key: 'p999Ms', metric: 'p99.9', unit: 'ms' },
  cpu,
  memory,
];

/**
 * Runs 16 producers at a fixed rate. A record's latency runs from the time at which it was due until its
 * acknowledgement.
 */
async function produceSteadily(
  { load, sizes }: BenchRun,
  cluster: WeirCluster,
  rate: number,
): Promise<Sample> {
  const warmUpRecords = sizes.steadyWarmUpSeconds * rate;
  const { done, sample } = await measured({ broker: cluster }, (servers) =>
    load.produce(servers, {
      topics: [topic],
      partitions: 16,
      producers: 16,
      records: warmUpRecords + sizes.steadySeconds * rate,
      warmUpRecords,
      rate,
      settings: throughputSettings,
    }),
  );
  const { p50Ms, p99Ms, p999Ms } = done.latency;
  return { ...sample, p50Ms, p99Ms, p999Ms };
}

const rows: readonly SlowStoreRow[] = [
  {
    name: 'slow-store-latency',
    row: 'produce at 10 MB/s, 16 producers, store 60 ms (p99 400 ms), default window',
    isQuick: true,
    store: usualStore,
    partitions: 16,
    results: latencyResults(300, 600),
    measure: (bench, cluster) => produceSteadily(bench, cluster, steadyRate),
  },
  {
    name: 'slow-store-one-producer',
    row: 'one idempotent producer, 1 partition, store 60 ms (p99 400 ms), linger.ms=20, batch.size=1MiB',
    isQuick: false,
    store: usualStore,
    partitions: 1,
    results: [
      { key: 'mbPerSecond', metric: 'throughput', unit: 'MB/s', bar: weirAtLeast(60, 'MB/s') },
      cpu,
      memory,
    ],
    async measure({ load, sizes }, cluster) {
      const settings = { 'linger.ms': 20, 'batch.size': 1024 * 1024 };
      const work = { topics: [topic], partitions: 1, producers: 1, settings };
      await load.produce(cluster.servers, { ...work, records: Math.ceil(sizes.warmUpRecords / 8) });
      const records = Math.ceil(sizes.records / 2);
      const { sample } = await measured({ broker: cluster }, (servers) =>
        load.produce(servers, { ...work, records }),
      );
      return sample;
    },
  },
  {
    name: 'fast-store-latency',
    row: 'produce at 10 MB/s, 16 producers, store 8 ms, window 25 ms',
    isQuick: false,
    store: fastStore,
    agentFlags: ['-batchTimeout', '25ms'],
    partitions: 16,
    results: latencyResults(35, 60),
    measure: (bench, cluster) => produceSteadily(bench, cluster, steadyRate),
  },
  {
    name: 'slow-store-requests',
    row: 'requests to the store, 50 MB/s from 16 producers, then read by one consumer after a restart',
    isQuick: false,
    store: usualStore,
    partitions: 16,
    results: [
      { key: 'mbPerSecond', metric: 'throughput, of 50 MB/s', unit: 'MB/s' },
      { key: 'putsPerGib', metric: 'PUTs per GiB', unit: '', bar: weirAtMost(40, '') },
      { key: 'getsPerPage', metric: 'GETs per page', unit: '', bar: weirAtMost(1, '') },
      { key: 'readMbPerSecond', metric: 'first read', unit: 'MB/s' },
      cpu,
      memory,
    ],
    async measure(bench, cluster, bucket) {
      const { load } = bench;
      const rate = Math.round(50e6 / recordBytes);
      const sample = await produceSteadily(bench, cluster, rate);
      const written = await bucket.counts();
      const records = (bench.sizes.steadyWarmUpSeconds + bench.sizes.steadySeconds) * rate;
      const restarted = await cluster.restart();
      const work = { topic, partitions: 16, records, repeats: 1 };
      const read = await load.fetch(restarted.servers, work);
      const { gets, pages } = await bucket.counts();
      return {
        ...sample,
        putsPerGib: written.puts / ((records * recordBytes) / GiB),
        getsPerPage: gets / pages,
        readMbPerSecond: read.bytes / 1e6 / read.seconds,
      };
    },
  },
];

export const slowStoreRows: readonly BenchRow[] = rows.map(
  ({ name, row, isQuick, store, agentFlags = [], partitions, results, measure }) => ({
    name,
    isQuick,
    async run(bench) {
      const samples: Sample[] = [];
      for (let turn = 0; turn < bench.sizes.runs; turn++) {
        samples.push(await Lifetime.during((lifetime) => measureOnce(lifetime)));
      }
      return results.map((spec): BenchResult => measuredResultOf(row, spec, samples));

      async function measureOnce(lifetime: Lifetime): Promise<Sample> {
        const bucket = await startSlowBucket(lifetime, store);
        const cluster = await startCluster(lifetime, {
          ...bench.weirOptions,
          bucketUrl: bucket.url,
          agentFlags,
        });
        await bench.load.createTopics(cluster.servers, [topic], partitions);
        const sample = await measure(bench, cluster, bucket);
        bench.print(`  Weir: ${JSON.stringify(sample)}`);
        const { refused } = await bucket.counts();
        if (refused > 0) throw new Error(`the bucket was full and refused ${refused} objects`);
        return sample;
      }
    },
  }),
);
