import type { MetricRow, Metrics } from '@weir/core';

/** Without a cluster label: most clusters never have queries, and a series for each would be most of a scrape. */
const queueQueriesRow: MetricRow<'outcome'> = {
  name: 'query_queue_queries_total',
  kind: 'counter',
  help: 'Event queries run by agents, by outcome.',
  labels: ['outcome'],
};

const queueActiveRow: MetricRow<never> = {
  name: 'query_queue_active_queries_count',
  kind: 'gauge',
  help: 'Event queries queued or running.',
  labels: [],
};

const queueMovedRow: MetricRow<never> = {
  name: 'query_queue_moved_queries_total',
  kind: 'counter',
  help: 'Event queries reassigned to another agent because theirs was lost or stopped.',
  labels: [],
};

export const queryQueueMetricRows: readonly MetricRow[] = [queueQueriesRow, queueActiveRow, queueMovedRow];

export interface QueryQueueMetrics {
  began(): void;
  moved(): void;
  ended(outcome: string): void;
}

export function queryQueueMetrics(metrics: Metrics): QueryQueueMetrics {
  const active = metrics.series(queueActiveRow, {});
  const moved = metrics.series(queueMovedRow, {});
  return {
    began: () => active.add(1),
    moved: () => moved.add(1),
    ended(outcome) {
      active.add(-1);
      metrics.series(queueQueriesRow, { outcome }).add(1);
    },
  };
}
