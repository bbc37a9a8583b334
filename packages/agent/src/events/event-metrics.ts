import type { MetricRow, Metrics, Series } from '@weir/core';

const prefix = 'events_processor';

function counter(name: string, help: string): MetricRow<never> {
  return { name: `${prefix}_${name}`, kind: 'counter', help, labels: [] };
}

export const eventRows = {
  submitted: counter('submit_success_count', 'Events that were taken on to be written.'),
  refused: counter(
    'submit_error_count',
    'Events that were dropped because too many waited to be written, or because they were no JSON.',
  ),
  submittedBytes: counter('submit_bytes_count', 'Bytes of the events that were taken on.'),
  tooLarge: counter('event_too_large_count', 'Events that were dropped because they were too large.'),
  written: counter('produce_success_count', 'Events that were written.'),
  lost: counter('produce_error_count', 'Accepted events that were not written, or whose outcome is unknown.'),
  metricsLeftOut: counter(
    'cluster_metrics_left_out_count',
    'Metrics of the cluster that did not become events because there were too many of them.',
  ),
} as const satisfies Record<string, MetricRow<never>>;

export type EventMetrics = Readonly<Record<keyof typeof eventRows, Series>>;

export function eventMetrics(metrics: Metrics): EventMetrics {
  const of = (row: MetricRow<never>) => metrics.series(row, {});
  return {
    submitted: of(eventRows.submitted),
    refused: of(eventRows.refused),
    submittedBytes: of(eventRows.submittedBytes),
    tooLarge: of(eventRows.tooLarge),
    written: of(eventRows.written),
    lost: of(eventRows.lost),
    metricsLeftOut: of(eventRows.metricsLeftOut),
  };
}
