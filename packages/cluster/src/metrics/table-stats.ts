import { coreLimits } from '@weir/core';
import type { CombinedStats } from './combined-stats.ts';
import type { MeasuredPort } from './measured-cluster-view.ts';
import type { PublishedMetric } from './published-metric.ts';
import {
  tableCount,
  tableFileCount,
  tableFileLimit,
  tableIngestionLag,
  tableLimit,
  tableOffsetLag,
  tablePartitionCount,
  tablePartitionLimit,
  tableQueryLag,
  tableSnapshotCount,
  tableSnapshotLimit,
  tableTimeLag,
} from './table-metrics.ts';
import { unlessRefused } from './unless-refused.ts';

/** Adds what agents last reported of tables. Clusters without tables have no such metrics. */
export async function addTableStats(
  port: Pick<MeasuredPort, 'listReportedTables'>,
  stats: CombinedStats,
): Promise<void> {
  const tables = (await unlessRefused(port.listReportedTables())) ?? [];
  if (tables.length === 0) return;
  stats.add(tableCount, {}, tables.length);
  stats.add(tableLimit, {}, coreLimits.tablesPerClusterMax);
  for (const table of tables) {
    const { tableName, tableUuid, topic, lagRecords, ingestionLagMs, queryLagMs, replay } = table;
    const labels = { topic, table_name: tableName, table_uuid: tableUuid };
    const add = (metric: PublishedMetric<keyof typeof labels>, value: number | undefined) => {
      if (value !== undefined && value >= 0) stats.add(metric, labels, value);
    };
    add(tablePartitionCount, table.tablePartitionCount);
    add(tablePartitionLimit, table.tablePartitionLimit);
    add(tableSnapshotCount, table.snapshotCount);
    add(tableSnapshotLimit, table.snapshotLimit);
    add(tableFileCount, table.fileCount);
    add(tableFileLimit, table.fileLimit);
    add(tableIngestionLag, ingestionLagMs === undefined ? undefined : ingestionLagMs / 1000);
    add(tableQueryLag, queryLagMs === undefined ? undefined : queryLagMs / 1000);
    if (ingestionLagMs !== undefined && ingestionLagMs >= 0)
      stats.add(tableTimeLag, { ...labels, is_dlq: 'false' }, ingestionLagMs / 1000);
    stats.add(tableOffsetLag, { ...labels, is_dlq: 'false' }, Math.max(0, lagRecords));
    if (replay === undefined) continue;
    stats.add(tableOffsetLag, { ...labels, is_dlq: 'true' }, Math.max(0, replay.lagRecords));
    if (replay.lagMs !== undefined)
      stats.add(tableTimeLag, { ...labels, is_dlq: 'true' }, Math.max(0, replay.lagMs / 1000));
  }
}
