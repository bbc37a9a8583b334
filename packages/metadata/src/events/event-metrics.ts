import type { MetricRow, Metrics, Series } from '@weir/core';

const droppedRow: MetricRow<'cluster'> = {
  name: 'control_plane_events_dropped_total',
  kind: 'counter',
  help: 'Control plane events dropped because no agent with the jobs role took them.',
  labels: ['cluster'],
};

const handedOverRow: MetricRow<'cluster'> = {
  name: 'control_plane_events_handed_over_total',
  kind: 'counter',
  help: 'Control plane events written by agents.',
  labels: ['cluster'],
};

export const eventMetricRows: readonly MetricRow[] = [droppedRow, handedOverRow];

export interface EventMetrics {
  readonly dropped: Series;
  readonly handedOver: Series;
}

export function eventMetrics(metrics: Metrics, cluster: string): EventMetrics {
  return {
    dropped: metrics.series(droppedRow, { cluster }),
    handedOver: metrics.series(handedOverRow, { cluster }),
  };
}
