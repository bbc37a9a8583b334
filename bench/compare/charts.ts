import { valuesOf } from './bars.ts';
import type { MetricName } from './metrics.ts';
import { type ResultsFile, rowsOfOneCommit } from './results-file.ts';
import { type SideId, sideIds, sideNames } from './side-names.ts';
import { spreadOf } from './spread.ts';
import type { Chart, ChartBar, ChartGroup } from './svg.ts';

/** A chart with the name of its file. */
interface NamedChart extends Chart {
  readonly name: string;
}

const tones: Readonly<Record<SideId, ChartBar['tone']>> = {
  kafka: 0,
  'kafka-flush': 1,
  playground: 2,
  local: 3,
  tansu: 4,
  'threads-1': 0,
  'threads-2': 2,
  'threads-4': 3,
  'threads-8': 4,
  'tansu-s3': 4,
  agent: 2,
};

interface ChartSpec extends Omit<NamedChart, 'groups'> {
  /** Row and figure of each group, and its label if it is not the title of the row. */
  readonly groups: readonly (readonly [row: string, metric: MetricName, label?: string])[];
}

const loadedRows = [
  'steady',
  'full-1',
  'full-64',
  'defaults',
  'consume',
  'light-steady',
  'light-full',
  'light-small',
  'light-fetch-1',
  'light-fetch-16',
] as const;
const ownRows = ['threads-disk', 'threads-memory', 'store-8', 'store-60'] as const;

const specs: readonly ChartSpec[] = [
  {
    name: 'cpu',
    title: 'Server CPU for each GB, without compiler threads',
    unit: 's/GB',
    groups: loadedRows.map((row) => [row, 'warmCpuSecondsPerGb']),
  },
  {
    name: 'throughput',
    title: 'Throughput',
    unit: 'MB/s',
    groups: loadedRows.filter((row) => !row.endsWith('steady')).map((row) => [row, 'mbPerSecond']),
  },
  {
    name: 'threads',
    title: 'Throughput by serving threads, light client at full speed',
    unit: 'MB/s',
    groups: [
      ['threads-disk', 'mbPerSecond', 'on disk'],
      ['threads-memory', 'mbPerSecond', 'in memory'],
    ],
  },
  {
    name: 'stores',
    title: 'Latency of a produce at 10 MB/s over an object store, open loop',
    unit: 'ms',
    isLogarithmic: true,
    groups: [
      ['store-8', 'openP50Ms', 'p50, store of 8 ms'],
      ['store-8', 'openP99Ms', 'p99, store of 8 ms'],
      ['store-60', 'openP50Ms', 'p50, store of 60 ms'],
      ['store-60', 'openP99Ms', 'p99, store of 60 ms'],
    ],
  },
  {
    name: 'store-throughput',
    title: 'Throughput over an object store',
    unit: 'MB/s',
    isLogarithmic: true,
    groups: [
      ['store-8', 'mbPerSecond', 'produce, store of 8 ms'],
      ['store-8', 'fetchMbPerSecond', 'fetch, store of 8 ms'],
      ['store-60', 'mbPerSecond', 'produce, store of 60 ms'],
      ['store-60', 'fetchMbPerSecond', 'fetch, store of 60 ms'],
    ],
  },
  {
    name: 'latency',
    title: 'Latency of a produce at 60 MB/s, open loop',
    unit: 'ms',
    isLogarithmic: true,
    groups: [
      ['steady', 'openP50Ms', 'p50, Java client'],
      ['steady', 'openP99Ms', 'p99, Java client'],
      ['steady', 'openP999Ms', 'p99.9, Java client'],
      ['light-steady', 'openP50Ms', 'p50, light client'],
      ['light-steady', 'openP99Ms', 'p99, light client'],
      ['light-steady', 'openP999Ms', 'p99.9, light client'],
    ],
  },
  {
    name: 'memory',
    title: 'Peak memory of a run',
    unit: 'MiB',
    groups: [...loadedRows, 'memory', ...ownRows].map((row) => [row, 'peakMib']),
  },
  {
    name: 'start',
    title: 'Process start to first produce',
    unit: 'ms',
    groups: [['start', 'startMs', 'start']],
  },
];

/** The charts for which there are results of the same commit. */
export function chartsOf(results: ResultsFile): NamedChart[] {
  const rows = rowsOfOneCommit(results);
  return specs.flatMap(({ groups, ...chart }) => {
    const drawn = groups.flatMap(([name, metric, label]): ChartGroup[] => {
      const row = rows.find((other) => other.name === name);
      if (row === undefined) return [];
      const bars = sideIds.flatMap((side): ChartBar[] => {
        const spread = spreadOf(valuesOf(row.runs, side, metric));
        return spread === undefined ? [] : [{ label: sideNames[side], tone: tones[side], spread }];
      });
      return bars.length === 0 ? [] : [{ label: label ?? row.title, bars }];
    });
    return drawn.length === 0 ? [] : [{ ...chart, groups: drawn }];
  });
}
