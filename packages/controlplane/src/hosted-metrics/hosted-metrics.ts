import type { Metrics } from '@weir/core';
import type { Handler } from '../http/route-table.ts';
import { HostedTexts } from './hosted-texts.ts';
import { type MeasureOptions, measureCluster } from './measure-cluster.ts';
import { type PrometheusRouteOptions, prometheusRoute } from './prometheus-route.ts';

export type HostedMetricsOptions = MeasureOptions & Omit<PrometheusRouteOptions, 'textOf'>;

/** The metrics of all clusters of a control plane, for scraping and pushing. */
export interface HostedMetrics {
  readonly answer: Handler;
  /** Returns the metrics of a cluster. Rejects with `ClusterUnavailable` while it has no leader. */
  readonly measure: (clusterId: string) => Promise<Metrics>;
  close(): void;
}

export function hostedMetrics(options: HostedMetricsOptions): HostedMetrics {
  const measure = (clusterId: string) => measureCluster(clusterId, options);
  const texts = new HostedTexts({
    measure: async (clusterId) => (await measure(clusterId)).render(),
    clock: options.clock,
  });
  const answer = prometheusRoute({ ...options, textOf: (clusterId) => texts.textOf(clusterId) });
  return { answer, measure, close: () => texts.close() };
}
