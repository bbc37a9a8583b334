import { type MetricName, metrics, type RunRecord } from './metrics.ts';
import { type SideId, threadCounts } from './side-names.ts';
import { ratioSpread, type Spread, spreadOf } from './spread.ts';

/** What a figure of a row has to be. */
export interface CompareBar {
  readonly row: RowName;
  readonly metric: MetricName;
  readonly side: SideId;
  /** The bar applies to the ratio to this side; absent where it applies to the value. */
  readonly against?: SideId;
  readonly atMost?: number;
  readonly atLeast?: number;
}

const lightRowNames = [
  'light-steady',
  'light-full',
  'light-small',
  'light-fetch-1',
  'light-fetch-16',
] as const;
export type LightRowName = (typeof lightRowNames)[number];
const threadRowNames = ['threads-disk', 'threads-memory'] as const;
export type ThreadRowName = (typeof threadRowNames)[number];
const storeRowNames = ['store-8', 'store-60'] as const;
export type StoreRowName = (typeof storeRowNames)[number];
/** In the order in which they are measured and printed. */
export const rowNames = [
  'start',
  'steady',
  'full-1',
  'full-64',
  'defaults',
  'consume',
  ...lightRowNames,
  'memory',
  ...threadRowNames,
  ...storeRowNames,
] as const;
export type RowName = (typeof rowNames)[number];

const weirSides = ['playground', 'local'] as const;
/** Rows of the servers that all rows share. */
const sharedRows = rowNames.filter(
  (row) => ![...threadRowNames, ...storeRowNames].some((other) => other === row),
);

const bar = (
  row: RowName,
  metric: MetricName,
  side: SideId,
  rest: Pick<CompareBar, 'against' | 'atMost' | 'atLeast'>,
): CompareBar => ({ row, metric, side, ...rest });

/**
 * Every bar there is. Ratios are Weir divided by Kafka. Kafka's CPU counts without its compiler, which a server that
 * runs for days does not need and which is not always done when a row begins; Weir's counts with its own.
 */
export const bars: readonly CompareBar[] = [
  bar('start', 'startMs', 'local', { atMost: 400 }),
  bar('start', 'idleMib', 'local', { atMost: 120 }),
  ...(['steady', 'light-steady'] as const).flatMap((row) => [
    bar(row, 'warmCpuSecondsPerGb', 'playground', { against: 'kafka', atMost: 1 }),
    bar(row, 'warmCpuSecondsPerGb', 'local', { against: 'kafka', atMost: 0.8 }),
    // Weir syncs before it acknowledges, and Kafka does not.
    bar(row, 'openP50Ms', 'playground', { atMost: 3 }),
    bar(row, 'openP99Ms', 'playground', { atMost: 12 }),
  ]),
  ...(['full-1', 'full-64', 'light-full'] as const).flatMap((row) => [
    bar(row, 'mbPerSecond', 'playground', { against: 'kafka', atLeast: 0.8 }),
    bar(row, 'mbPerSecond', 'local', { against: 'kafka', atLeast: 1 }),
  ]),
  bar('light-small', 'mbPerSecond', 'playground', { against: 'kafka', atLeast: 0.5 }),
  bar('light-small', 'mbPerSecond', 'local', { against: 'kafka', atLeast: 0.8 }),
  bar('defaults', 'mbPerSecond', 'playground', { against: 'kafka', atLeast: 0.9 }),
  bar('defaults', 'mbPerSecond', 'local', { against: 'kafka', atLeast: 1.2 }),
  ...weirSides.flatMap((side) =>
    (['consume', 'light-fetch-1', 'light-fetch-16'] as const).flatMap((row) => [
      bar(row, 'mbPerSecond', side, { against: 'kafka', atLeast: 0.8 }),
      bar(row, 'warmCpuSecondsPerGb', side, { against: 'kafka', atMost: 1.5 }),
    ]),
  ),
  ...threadRowNames.flatMap((row) => [
    // Of cores that clients leave alone; where there are none, the count is not measured.
    bar(row, 'mbPerSecond', 'threads-2', { against: 'threads-1', atLeast: 1.7 }),
    ...threadCounts.map((threads) => bar(row, 'peakMib', `threads-${threads}`, { atMost: 512 })),
  ]),
  bar('store-8', 'openP50Ms', 'agent', { atMost: 22 }),
  bar('store-8', 'openP99Ms', 'agent', { atMost: 40 }),
  bar('store-60', 'openP50Ms', 'agent', { atMost: 150 }),
  bar('store-60', 'openP99Ms', 'agent', { atMost: 420 }),
  ...storeRowNames.map((row) => bar(row, 'peakMib', 'agent', { atMost: 512 })),
  ...weirSides.flatMap((side) => sharedRows.map((row) => bar(row, 'peakMib', side, { atMost: 512 }))),
];

export type RunsBySide = Readonly<Partial<Record<SideId, readonly RunRecord[]>>>;

export interface BarOutcome {
  readonly bar: CompareBar;
  readonly spread: Spread;
  /** What the bar applies to. */
  readonly value: number;
  readonly isMet: boolean;
}

export function valuesOf(runs: RunsBySide, side: SideId, name: MetricName): (number | undefined)[] {
  return (runs[side] ?? []).map(({ values }) => values[name]);
}

/** Checks the bars of a row. A bar whose figure was not measured has no outcome. */
export function outcomesOf(row: string, runs: RunsBySide): BarOutcome[] {
  return bars
    .filter((bar) => bar.row === row)
    .flatMap((bar) => {
      const ours = valuesOf(runs, bar.side, bar.metric);
      const spread =
        bar.against === undefined
          ? spreadOf(ours)
          : ratioSpread(ours, valuesOf(runs, bar.against, bar.metric));
      if (spread === undefined) return [];
      const value = bar.against === undefined ? spread[metrics[bar.metric].of] : spread.median;
      const isMet =
        value <= (bar.atMost ?? Number.POSITIVE_INFINITY) &&
        value >= (bar.atLeast ?? Number.NEGATIVE_INFINITY);
      return [{ bar, spread, value, isMet }];
    });
}
