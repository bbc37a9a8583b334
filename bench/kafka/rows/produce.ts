import { ratioAtLeast, ratioAtMost, serverMemory } from '../bars.ts';
import type { BenchRow } from '../bench-run.ts';
import type { ClientSettings } from '../load.ts';
import { measured, versus } from '../versus.ts';

/** Batch size of a typical throughput-oriented configuration. The linger is Apache's default since 4.0. */
export const throughputSettings: ClientSettings = { acks: 'all', 'linger.ms': 5, 'batch.size': 256 * 1024 };
/** Apache's defaults: 16 KiB batches and acks=all. */
export const defaultSettings: ClientSettings = {};

interface ProduceRow {
  readonly name: string;
  readonly producers: number;
  readonly partitions: number;
  readonly settings?: ClientSettings;
  readonly spread?: 'client' | 'turns';
  readonly note?: string;
  readonly isQuick?: true;
}

const rows: readonly ProduceRow[] = [
  { name: 'produce-1x1', producers: 1, partitions: 1, isQuick: true },
  { name: 'produce-16x1', producers: 16, partitions: 1 },
  { name: 'produce-1x288', producers: 1, partitions: 288 },
  { name: 'produce-16x288', producers: 16, partitions: 288, isQuick: true },
  {
    name: 'produce-keyed',
    producers: 16,
    partitions: 288,
    spread: 'turns',
    note: 'every record to another partition',
  },
  {
    name: 'produce-defaults',
    producers: 1,
    partitions: 1,
    settings: defaultSettings,
    note: 'all settings default',
  },
];

export const produceRows: readonly BenchRow[] = rows.map(
  ({ name, producers, partitions, settings = throughputSettings, spread = 'client', note, isQuick }) => ({
    name,
    isQuick: isQuick ?? false,
    run(bench) {
      const { load, sizes } = bench;
      const work = { partitions, producers, settings, spread };
      return versus(bench, {
        row: [
          'produce',
          `${producers} producer${producers === 1 ? '' : 's'}`,
          `${partitions} partition${partitions === 1 ? '' : 's'}`,
          ...(note === undefined ? [] : [note]),
        ].join(', '),
        results: [
          { key: 'mbPerSecond', metric: 'throughput', unit: 'MB/s', bar: ratioAtLeast(1) },
          { key: 'cpuSecondsPerGb', metric: 'server CPU', unit: 's/GB', bar: ratioAtMost(0.6) },
          serverMemory,
        ],
        async prepare({ servers }) {
          await load.createTopics(servers, ['warm-up'], partitions);
          await load.produce(servers, { ...work, topics: ['warm-up'], records: sizes.warmUpRecords });
        },
        async run(contender, turn) {
          const topics = [`run-${turn}`];
          await load.createTopics(contender.broker.servers, topics, partitions);
          const { sample } = await measured(contender, (servers) =>
            load.produce(servers, { ...work, topics, records: sizes.records }),
          );
          return sample;
        },
      });
    },
  }),
);
