import type { MetricRow, Metrics, Series } from '@weir/core';

/** Metrics of event queries on the agent. */
const queryRows = {
  taken: {
    name: 'agent_query_engine_query_started',
    kind: 'counter',
    help: 'Event queries claimed by this agent.',
    labels: [],
  },
  limitHit: {
    name: 'agent_query_engine_active_queries_limit_hit',
    kind: 'counter',
    help: 'Times that this agent was at its limit of concurrent event queries.',
    labels: [],
  },
  started: {
    name: 'query_engine_query_started',
    kind: 'counter',
    help: 'Event queries started by the engine; invalid queries do not count.',
    labels: [],
  },
  active: {
    name: 'query_engine_active_queries_count',
    kind: 'gauge',
    help: 'Event queries running in the engine.',
    labels: [],
  },
  runnable: {
    name: 'query_engine_runnable_tasks_count',
    kind: 'gauge',
    help: 'Log segments queued or being scanned.',
    labels: [],
  },
  queued: {
    name: 'query_engine_queue_runnable_task',
    kind: 'counter',
    help: 'Log segments submitted for scanning.',
    labels: [],
  },
  executed: {
    name: 'query_engine_exec_task',
    kind: 'counter',
    help: 'Log segments scanned.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

const taskRow: MetricRow<'outcome'> = {
  name: 'query_engine_task_completed_count',
  kind: 'counter',
  help: 'Finished event queries, by outcome.',
  labels: ['outcome'],
};

/** In nanoseconds, as existing dashboards expect. */
const taskDurationRow: MetricRow<'outcome'> = {
  name: 'query_engine_task_completed_duration',
  kind: 'histogram',
  help: 'Duration of event queries in nanoseconds, by outcome.',
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
