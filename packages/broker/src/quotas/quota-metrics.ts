import type { MetricRow, Metrics, QuotaKey, Series } from '@weir/core';

export const throttledRow: MetricRow<'quota'> = {
  name: 'agent_client_quota_throttle_count',
  kind: 'counter',
  help: 'Times that a client was throttled, or its connection refused, because of a quota.',
  labels: ['quota'],
};

export const sensorsRow: MetricRow<never> = {
  name: 'agent_client_quota_sensors',
  kind: 'gauge',
  help: 'Users, clients and IP addresses with a quota whose usage is tracked.',
  labels: [],
};

export interface QuotaMetrics {
  throttled(quota: QuotaKey): Series;
  readonly sensors: Series;
}

export function quotaMetrics(metrics: Metrics): QuotaMetrics {
  return {
    throttled: (quota) => metrics.series(throttledRow, { quota }),
    sensors: metrics.series(sensorsRow, {}),
  };
}
