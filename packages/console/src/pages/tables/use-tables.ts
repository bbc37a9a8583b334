import type { OutputOf } from '@weir/api/client';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useOperation } from '../../api/use-operation.ts';

export type Table = OutputOf<'dl/list_tables'>['tables'][number];
export type TableStatus = NonNullable<Table['status']>;

/** Agents report this often. */
const reportedEveryMs = 10_000;

/** All tables of a data lake cluster, and how they are written. */
export function useTablesOf(clusterId: string, isEnabled = true) {
  return useOperation(
    'dl/list_tables',
    { virtual_cluster_id: clusterId, include_status: true },
    { everyMs: reportedEveryMs, isEnabled },
  );
}

export function useTables() {
  return useTablesOf(useClusterId());
}

/** One table by its name, and how it is written. */
export function useTable(name: string) {
  return useClusterOperation(
    'dl/get_table',
    { table_name: name, include_status: true },
    { everyMs: reportedEveryMs },
  );
}
