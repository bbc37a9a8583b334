import type { CallOf } from '@weir/api/client';

type Query = Omit<CallOf<'query_metrics'>, 'virtual_cluster_id'>;

/** Tables that a chart of a cluster shows. */
const tablesShown = 5;

/** How far one table is behind, or those of the cluster that are farthest behind. */
export function lagQuery(table: string | undefined, range_seconds: number): Query {
  const of = table === undefined ? ({ group_by: 'table', limit: tablesShown } as const) : { table };
  return { metrics: ['lag_seconds', 'lag'], range_seconds, ...of };
}

/** Rows come with commits, usually one a minute: shorter steps would show peaks and zeros. */
export function rateQuery(table: string | undefined, range_seconds: number): Query {
  const step_seconds = Math.max(60, Math.ceil(range_seconds / 360));
  return {
    metrics: ['in_records_per_second', 'out_records_per_second', 'out_bytes_per_second'],
    range_seconds,
    step_seconds,
    ...(table === undefined ? {} : { table }),
  };
}

/** The whole cluster over time, beside its numbers. */
export const lakeMetrics: Query = { metrics: ['stored_bytes', 'lag_seconds'], range_seconds: 3600 };
