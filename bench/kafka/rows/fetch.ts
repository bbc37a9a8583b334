import { ratioAtLeast, ratioAtMost, serverMemory } from '../bars.ts';
import type { BenchRow, BenchRun } from '../bench-run.ts';
import { measured, type Plan, versus } from '../versus.ts';
import { throughputSettings } from './produce.ts';

const topic = 'read';
const partitions = 16;
/**
 * Hot data is still in the server's cache: 160 MiB are written, of which 128 are read repeatedly. An agent on two cores
 * caches 192 MiB. The reader stops before the end, because a consumer at the end has a long poll in flight and cannot
 * restart before it is answered.
 */
const hotRecordsWritten = 160 * 1024;
const hotRecords = 128 * 1024;

/** Reads recently written data, which both servers have in memory. */
const hot: BenchRow = {
  name: 'fetch-hot',
  isQuick: true,
  run(bench) {
    const repeats = Math.max(1, Math.ceil(bench.sizes.records / hotRecords));
    return versus(bench, {
      row: 'fetch, hot',
      results: [
        { key: 'mbPerSecond', metric: 'throughput', unit: 'MB/s', bar: ratioAtLeast(1) },
        { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB', bar: ratioAtMost(1) },
        serverMemory,
      ],
      async prepare({ servers }) {
        await writeFirst(bench, servers, hotRecordsWritten);
        await bench.load.fetch(servers, { topic, partitions, records: hotRecords, repeats });
      },
      async run(contender) {
        const { sample } = await measured(contender, (servers) =>
          bench.load.fetch(servers, { topic, partitions, records: hotRecords, repeats }),
        );
        return sample;
      },
    });
  },
};

/** Reads after a restart: the server's own cache is empty, but the operating system may still cache the files. */
const cold: BenchRow = {
  name: 'fetch-cold',
  isQuick: false,
  run(bench) {
    const { records } = bench.sizes;
    const plan: Plan = {
      row: 'fetch, cold (after a restart)',
      results: [
        { key: 'mbPerSecond', metric: 'throughput', unit: 'MB/s' },
        { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB' },
        serverMemory,
      ],
      prepare: ({ servers }) => writeFirst(bench, servers, records),
      async run(contender) {
        contender.broker = await contender.broker.restart();
        const { sample } = await measured(contender, (servers) =>
          bench.load.fetch(servers, { topic, partitions, records, repeats: 1 }),
        );
        return sample;
      },
    };
    return versus(bench, plan);
  },
};

async function writeFirst({ load }: BenchRun, servers: string, records: number): Promise<void> {
  await load.createTopics(servers, [topic], partitions);
  // Round-robin per record, so that all partitions have the same number of records.
  const settings = { ...throughputSettings, 'linger.ms': 50 };
  await load.produce(servers, {
    topics: [topic],
    partitions,
    producers: 4,
    records,
    settings,
    spread: 'turns',
  });
}

export const fetchRows: readonly BenchRow[] = [hot, cold];
