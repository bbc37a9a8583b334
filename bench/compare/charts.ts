import { valuesOf } from './bars.ts';
import type { MetricName } from './metrics.ts';
import type { ResultsFile } from './results-file.ts';
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
    name: 'latency',
    title: 'Latency of a produce at 60 MB/s, open loop',
    unit: 'ms',
    isLogarithmic: true,
    groups: [
      ['steady', 'openP50Ms', 'p50'],
      ['steady', 'openP99Ms', 'p99'],
      ['steady', 'openP999Ms', 'p99.9'],
    ],
  },
  {
    name: 'memory',
    title: 'Peak memory of a run',
    unit: 'MiB',
    groups: [...loadedRows, 'memory'].map((row) => [row, 'peakMib']),
  },
  {
    name: 'start',
    title: 'Process start to first produce',
    unit: 'ms',
    groups: [['start', 'startMs', 'start']],
  },
];

/** The charts for which there are results. */
export function chartsOf({ rows }: ResultsFile): NamedChart[] {
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
