import type { MetricRow, Metrics } from '@weir/core';

/** Without a cluster label, like the metrics of queries. */
const plannedRow: MetricRow<'kind'> = {
  name: 'job_queue_planned_total',
  kind: 'counter',
  help: 'Background jobs planned by leaders.',
  labels: ['kind'],
};

const endedRow: MetricRow<'kind' | 'outcome'> = {
  name: 'job_queue_ended_total',
  kind: 'counter',
  help: 'Background jobs assigned to agents, by outcome.',
  labels: ['kind', 'outcome'],
};

export const jobQueueMetricRows: readonly MetricRow[] = [plannedRow, endedRow];

export interface JobQueueMetrics {
  planned(kind: string): void;
  ended(kind: string, outcome: string): void;
}

export function jobQueueMetrics(metrics: Metrics): JobQueueMetrics {
  return {
    planned: (kind) => metrics.series(plannedRow, { kind }).add(1),
    ended: (kind, outcome) => metrics.series(endedRow, { kind, outcome }).add(1),
  };
}
