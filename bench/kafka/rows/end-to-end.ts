import { serverMemory, weirUnder } from '../bars.ts';
import type { BenchRow } from '../bench-run.ts';
import { type ClientSettings, recordBytes } from '../load.ts';
import { measured, versus } from '../versus.ts';
import { defaultSettings, throughputSettings } from './produce.ts';

/** 10 MB/s. */
export const steadyRate = Math.round(10e6 / recordBytes);

interface EndToEndRow {
  readonly name: string;
  readonly settings: ClientSettings;
  readonly note?: string;
  readonly isQuick: boolean;
}

const rows: readonly EndToEndRow[] = [
  { name: 'end-to-end', settings: throughputSettings, isQuick: true },
  // With one partition, 16 KiB batches and five requests in flight, a server that takes longer than 8 ms falls behind.
  { name: 'end-to-end-defaults', settings: defaultSettings, note: 'all settings default', isQuick: false },
];

/** Latency from the time at which a record was due until a consumer in the same process receives it. */
export const endToEndRows: readonly BenchRow[] = rows.map(({ name, settings, note, isQuick }) => ({
  name,
  isQuick,
  run(bench) {
    const { load, sizes } = bench;
    const topic = 'steady';
    const partitions = 1;
    const warmUpRecords = sizes.steadyWarmUpSeconds * steadyRate;
    return versus(bench, {
      row: `end to end at 10 MB/s, 1 producer, 1 partition${note === undefined ? '' : `, ${note}`}`,
      results: [
        { key: 'p50Ms', metric: 'p50', unit: 'ms' },
        { key: 'p99Ms', metric: 'p99', unit: 'ms', bar: weirUnder(25, 'ms') },
        { key: 'p999Ms', metric: 'p99.9', unit: 'ms' },
        { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB' },
        serverMemory,
      ],
      prepare: ({ servers }) => load.createTopics(servers, [topic], partitions),
      async run(contender) {
        const records = warmUpRecords + sizes.steadySeconds * steadyRate;
        const { done, sample } = await measured(contender, (servers) =>
          load.endToEnd(servers, { topic, partitions, records, rate: steadyRate, warmUpRecords, settings }),
        );
        const { p50Ms, p99Ms, p999Ms } = done.latency;
        return { ...sample, p50Ms, p99Ms, p999Ms };
      },
    });
  },
}));
