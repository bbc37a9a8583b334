import { GiB } from '@weir/core';
import type { BenchResult } from '../bench-result.ts';
import type { BenchRow } from '../bench-run.ts';
import { Lifetime } from '../lifetime.ts';
import { recordBytes } from '../load.ts';
import { histogramIn } from '../prometheus.ts';
import { measured, measuredResultOf, type ResultSpec, type Sample } from '../versus.ts';
import { startCluster, type WeirCluster } from '../weir.ts';
import { throughputSettings } from './produce.ts';

const topic = 'steady-files';
const partitions = 16;
const megabytesPerSecond = [20, 60];

const results: readonly ResultSpec[] = [
  { key: 'filesPerGib', metric: 'files per GiB', unit: '' },
  { key: 'filesPerSecond', metric: 'files', unit: '/s' },
  { key: 'p50Ms', metric: 'p50', unit: 'ms' },
  { key: 'p99Ms', metric: 'p99', unit: 'ms' },
  { key: 'p999Ms', metric: 'p99.9', unit: 'ms' },
  { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB' },
];

/** Returns the number of files committed so far. */
async function filesOf(cluster: WeirCluster): Promise<number> {
  const text = await cluster.metrics();
  return histogramIn(text, 'service_agent_segment_batcher_flush_file_size_compressed_bytes').get(
    Number.POSITIVE_INFINITY,
  )!;
}

/** Measures file sizes on a store without cost per request, at a rate that does not depend on responses. */
export const steadyRows: readonly BenchRow[] = megabytesPerSecond.map((megabytes) => ({
  name: `steady-files-${megabytes}`,
  isQuick: false,
  async run(bench) {
    const { load, sizes, print } = bench;
    const rate = Math.round((megabytes * 1e6) / recordBytes);
    const row = `produce at ${megabytes} MB/s, 16 producers, 16 partitions, bucket of files`;
    const samples: Sample[] = [];
    for (let turn = 0; turn < sizes.runs; turn++) {
      samples.push(await Lifetime.during((lifetime) => measureOnce(lifetime)));
    }
    return results.map((spec): BenchResult => measuredResultOf(row, spec, samples));

    async function measureOnce(lifetime: Lifetime): Promise<Sample> {
      const cluster = await startCluster(lifetime, bench.weirOptions);
      await load.createTopics(cluster.servers, [topic], partitions);
      const warmUpRecords = sizes.steadyWarmUpSeconds * rate;
      const records = warmUpRecords + sizes.steadySeconds * rate;
      const work = { topics: [topic], partitions, producers: 16, records, warmUpRecords, rate };
      const { done, sample } = await measured({ broker: cluster }, (servers) =>
        load.produce(servers, { ...work, settings: throughputSettings }),
      );
      const files = await filesOf(cluster);
      const { p50Ms, p99Ms, p999Ms } = done.latency;
      const found = {
        ...sample,
        p50Ms,
        p99Ms,
        p999Ms,
        filesPerGib: files / ((records * recordBytes) / GiB),
        filesPerSecond: (files * rate) / records,
      };
      print(`  Weir: ${JSON.stringify(found)}`);
      return found;
    }
  },
}));
