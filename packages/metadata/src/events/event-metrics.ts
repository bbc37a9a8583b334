import type { MetricRow, Metrics, Series } from '@weir/core';

const droppedRow: MetricRow<'cluster'> = {
  name: 'control_plane_events_dropped_total',
  kind: 'counter',
  help: 'Events of the control plane that were dropped because no agent took them: it takes one with the role jobs.',
  labels: ['cluster'],
};

const handedOverRow: MetricRow<'cluster'> = {
  name: 'control_plane_events_handed_over_total',
  kind: 'counter',
  help: 'Events of the control plane that agents have written.',
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
