import { leftOutRow, publishedMetrics } from '@weir/cluster';
import type { MetricRow } from '@weir/core';
import { diagnosticFailureRow } from '../diagnostics/gauges.ts';
import { utilizationRow } from '../diagnostics/utilization.ts';

/** What the control plane tells of a cluster, whether it is scraped or pushes. */
export const hostedMetricRows: readonly MetricRow[] = [
  ...publishedMetrics,
  leftOutRow,
  diagnosticFailureRow,
  utilizationRow,
];
