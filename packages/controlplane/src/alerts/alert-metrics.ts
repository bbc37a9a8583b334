import type { MetricRow } from '@weir/core';

export const alertEvaluationsRow: MetricRow<'result'> = {
  name: 'alert_evaluations_total',
  kind: 'counter',
  help: 'Evaluations of alerts by this process: ok, or failed if events could not be counted.',
  labels: ['result'],
};

export const alertDeliveriesRow: MetricRow<'kind' | 'result'> = {
  name: 'alert_deliveries_total',
  kind: 'counter',
  help: 'Attempts to send an alert, by kind of channel: delivered, retried, or failed if it was given up.',
  labels: ['kind', 'result'],
};

export const alertMetricRows: readonly MetricRow[] = [alertEvaluationsRow, alertDeliveriesRow];
