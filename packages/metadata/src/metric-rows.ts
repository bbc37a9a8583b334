import type { MetricRow } from '@weir/core';
import { eventMetricRows } from './events/event-metrics.ts';
import { jobQueueMetricRows } from './jobs/job-queue-metrics.ts';
import { leaderMetricRows } from './leader/leader-metrics.ts';
import { queryQueueMetricRows } from './queries/query-queue-metrics.ts';

/** Metrics of a process that leads clusters. */
export const leadingMetricRows: readonly MetricRow[] = [
  ...leaderMetricRows,
  ...eventMetricRows,
  ...jobQueueMetricRows,
  ...queryQueueMetricRows,
];
