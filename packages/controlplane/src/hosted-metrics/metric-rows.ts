import { leftOutRow, publishedMetrics } from '@weir/cluster';
import type { MetricRow } from '@weir/core';

/** The metrics of a cluster that the control plane exports, by scrape or push. */
export const hostedMetricRows: readonly MetricRow[] = [...publishedMetrics, leftOutRow];
