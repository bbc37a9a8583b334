import type { Series } from './chart.tsx';

/** A line of a few samples is easier to read with some room before it. */
const shortestMs = 5 * 60_000;

/**
 * Series without the time before their first sample: an hour of a cluster that is three minutes old would be a chart
 * with nothing but its edge. Without any sample nothing is left.
 */
export function sinceFirstSample(
  timesMs: readonly number[],
  series: readonly Series[],
): { readonly timesMs: readonly number[]; readonly series: readonly Series[] } {
  const first = timesMs.findIndex((_, at) => series.some(({ values }) => isSample(values[at])));
  if (first === -1) return { timesMs: [], series: [] };
  const latestStartMs = timesMs.at(-1)! - shortestMs;
  const room = timesMs.findLastIndex((timeMs) => timeMs <= latestStartMs);
  const start = Math.min(first, Math.max(room, 0));
  return {
    timesMs: timesMs.slice(start),
    series: series.map((one) => ({ ...one, values: one.values.slice(start) })),
  };
}

function isSample(value: number | null | undefined): boolean {
  return value !== null && value !== undefined;
}
