import type { CallOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { readAhead } from '../../api/use-operation.ts';
import { lagQuery, lakeMetrics, rateQuery } from '../tables/table-metrics.ts';

type Query = Omit<CallOf<'query_metrics'>, 'virtual_cluster_id'>;

/** What the numbers and most charts of the overview show. */
export const overviewMetrics: Query = {
  metrics: [
    'in_bytes_per_second',
    'out_bytes_per_second',
    'in_records_per_second',
    'out_records_per_second',
    'produce_latency_p50_ms',
    'produce_latency_p99_ms',
    'lag',
    'agents',
  ],
};

/** The groups that are furthest behind. */
export const lagOfGroups: Query = { metrics: ['lag'], group_by: 'group', limit: 5 };

/** All calls of the overview at once, instead of one after the other. */
export function readOverview(clusterId: string): void {
  const input = { virtual_cluster_id: clusterId };
  readAhead('describe_virtual_cluster', input);
  readAhead('describe_cluster_overview', input);
  readAhead('list_diagnostics', { ...input, state: 'failing' });
  readAhead('list_agents', input);
  if (clusterKind(clusterId) === 'data lake') {
    readAhead('dl/list_tables', { ...input, include_status: true });
    for (const query of [lakeMetrics, lagQuery(undefined, 3600), rateQuery(undefined, 3600)])
      readAhead('query_metrics', { ...input, ...query });
    return;
  }
  readAhead('query_metrics', { ...input, ...overviewMetrics });
  readAhead('query_metrics', { ...input, ...lagOfGroups });
}
