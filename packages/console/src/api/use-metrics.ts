import type { CallOf, OutputOf } from '@weir/api/client';
import { useClusterOperation } from './use-cluster.ts';

type Query = Omit<CallOf<'query_metrics'>, 'virtual_cluster_id'>;
export type Metrics = OutputOf<'query_metrics'>;
type MetricName = Metrics['series'][number]['metric'];

/** The leader samples this often. */
const sampledEveryMs = 10_000;

/** Metrics of the cluster that the page is about, over time; read again with every sample. */
export function useMetrics(query: Query, isEnabled = true) {
  return useClusterOperation('query_metrics', query, { everyMs: sampledEveryMs, isEnabled });
}

export function timesOf({ start_at, step_seconds, series }: Metrics): readonly number[] {
  const startMs = Date.parse(start_at);
  return (series[0]?.values ?? []).map((_, index) => startMs + index * step_seconds * 1_000);
}

/** The values of the only series of a metric; none if it has no series. */
export function valuesOf({ series }: Metrics, name: MetricName): readonly (number | null)[] {
  return series.find(({ metric }) => metric === name)?.values ?? [];
}

/** The last value, if one of the last three steps has any. */
export function lastOf(values: readonly (number | null)[]): number | null {
  return values.slice(-3).findLast((value) => value !== null) ?? null;
}
