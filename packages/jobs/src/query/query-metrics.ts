import type { MetricRow, Metrics, Series } from '@weir/core';

/** Metrics of event queries on the agent. */
const queryRows = {
  taken: {
    name: 'agent_query_engine_query_started',
    kind: 'counter',
    help: 'Queries about events that this agent took from its control plane.',
    labels: [],
  },
  limitHit: {
    name: 'agent_query_engine_active_queries_limit_hit',
    kind: 'counter',
    help: 'How often this agent worked on as many queries as it may and took no more.',
    labels: [],
  },
  started: {
    name: 'query_engine_query_started',
    kind: 'counter',
    help: 'Queries that the engine began to work on; those that cannot be understood are not among them.',
    labels: [],
  },
  active: {
    name: 'query_engine_active_queries_count',
    kind: 'gauge',
    help: 'Queries that the engine works on.',
    labels: [],
  },
  runnable: {
    name: 'query_engine_runnable_tasks_count',
    kind: 'gauge',
    help: 'Parts of the log that threads look at or that wait for one.',
    labels: [],
  },
  queued: {
    name: 'query_engine_queue_runnable_task',
    kind: 'counter',
    help: 'Parts of the log that the engine was given to look at.',
    labels: [],
  },
  executed: {
    name: 'query_engine_exec_task',
    kind: 'counter',
    help: 'Parts of the log that were looked at.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

const taskRow: MetricRow<'outcome'> = {
  name: 'query_engine_task_completed_count',
  kind: 'counter',
  help: 'Queries that the engine is done with, by how they ended.',
  labels: ['outcome'],
};

/** In nanoseconds, as existing dashboards expect. */
const taskDurationRow: MetricRow<'outcome'> = {
  name: 'query_engine_task_completed_duration',
  kind: 'histogram',
  help: 'How long queries took, in nanoseconds, by how they ended.',
  labels: ['outcome'],
  buckets: [1e6, 1e7, 1e8, 3e8, 1e9, 3e9, 1e10, 3e10],
};

export const queryMetricRows: readonly MetricRow[] = [...Object.values(queryRows), taskRow, taskDurationRow];

export type QueryMetrics = Readonly<Record<keyof typeof queryRows, Series>> & {
  /** Records a query that ended after `elapsedMs`. */
  ended(outcome: string, elapsedMs: number): void;
};

export function queryMetrics(metrics: Metrics): QueryMetrics {
  const series = Object.fromEntries(
    Object.entries(queryRows).map(([name, row]) => [name, metrics.series(row, {})]),
  ) as Record<keyof typeof queryRows, Series>;
  return {
    ...series,
    ended(outcome, elapsedMs) {
      metrics.series(taskRow, { outcome }).add(1);
      metrics.series(taskDurationRow, { outcome }).observe(elapsedMs * 1e6);
    },
  };
}
