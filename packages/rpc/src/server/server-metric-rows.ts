import type { MetricRow } from '@weir/core';
import { forbiddenRow } from './call-executor.ts';
import { connectionsRow, servedCallRows } from './serve-connection.ts';
import { skippedRow } from './subscriptions.ts';

/** The metrics of a control plane about its agents. */
export const clusterServerMetricRows: readonly MetricRow[] = [
  connectionsRow,
  servedCallRows.calls,
  servedCallRows.seconds,
  forbiddenRow,
  skippedRow,
];
