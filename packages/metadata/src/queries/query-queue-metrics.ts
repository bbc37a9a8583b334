import type { MetricRow, Metrics } from '@weir/core';

/** Without a cluster label: most clusters never have queries, and a series for each would be most of a scrape. */
const queueQueriesRow: MetricRow<'outcome'> = {
  name: 'query_desk_queries_total',
  kind: 'counter',
  help: 'Queries about events that control planes had agents answer, by how they ended.',
  labels: ['outcome'],
};

const queueActiveRow: MetricRow<never> = {
  name: 'query_desk_active_queries_count',
  kind: 'gauge',
  help: 'Queries about events that wait for an agent or are worked on by one.',
  labels: [],
};

const queueMovedRow: MetricRow<never> = {
  name: 'query_desk_moved_queries_total',
  kind: 'counter',
  help: 'Queries about events that went to another agent, because theirs fell silent or stopped.',
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
