import { ratioAtLeast, ratioAtMost, serverMemory } from '../bars.ts';
import type { BenchRow, BenchRun } from '../bench-run.ts';
import { measured, type Plan, versus } from '../versus.ts';
import { throughputSettings } from './produce.ts';

const topic = 'read';
const partitions = 16;
/**
 * Hot means that the server still has it: 160 MiB, of which 128 are read over and over. An agent on two cores keeps 192. A
 * consumer that came to the end would have a request there that waits for more, and could not start again before it is answered.
 */
const hotRecordsWritten = 160 * 1024;
const hotRecords = 128 * 1024;

/** What was just written, which both servers have in memory. */
const hot: BenchRow = {
  name: 'fetch-hot',
  isQuick: true,
  run(bench) {
    const repeats = Math.max(1, Math.ceil(bench.sizes.records / hotRecords));
    return versus(bench, {
      row: 'fetch, hot',
      results: [
        { key: 'mbPerSecond', figure: 'throughput', unit: 'MB/s', bar: ratioAtLeast(1) },
        { key: 'cpuSecondsPerGb', figure: 'server CPU', unit: 's/GB', bar: ratioAtMost(1) },
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

/** After a restart: whatever the server itself kept in memory is gone, while the system may still have the files. */
const cold: BenchRow = {
  name: 'fetch-cold',
  isQuick: false,
  run(bench) {
    const { records } = bench.sizes;
    const plan: Plan = {
      row: 'fetch, cold (after a restart)',
      results: [
        { key: 'mbPerSecond', figure: 'throughput', unit: 'MB/s' },
        { key: 'cpuSecondsPerGb', figure: 'server CPU', unit: 's/GB' },
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
  // One partition after the other for every record, so that all have the same number.
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
