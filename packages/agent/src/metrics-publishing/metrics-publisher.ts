import type { ClusterMetricsSettings, ClusterPort } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import { createClusterView } from '../cluster/following-view.ts';
import { startHttpListener } from '../http/http-server.ts';
import { metricsRoutes, probeRoutes } from '../http/probe-routes.ts';
import { ClusterMetrics } from './cluster-metrics.ts';

interface MetricsPublisherOptions {
  readonly cluster: ClusterPort;
  readonly settings: ClusterMetricsSettings;
  readonly host: string;
  /** 0 takes any free one. */
  readonly httpPort: number;
  /** Whether `/metrics` answers. */
  readonly servesMetrics: boolean;
  /** Aborted when nobody waits for the start any more. */
  readonly givenUp: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface MetricsPublisher {
  readonly httpPort: number;
  stop(): Promise<void>;
}

/**
 * A process that tells the stats of its cluster and does nothing else. It is no agent: no client and no other agent hears of it, and it
 * needs no bucket.
 */
export async function startMetricsPublisher(options: MetricsPublisherOptions): Promise<MetricsPublisher> {
  const { cluster, settings, host, givenUp, clock, log, metrics } = options;
  const running = new AsyncDisposableStack();
  try {
    const view = createClusterView(cluster, { log });
    running.defer(() => view.close());
    let isReady = false;
    const http = await startHttpListener({
      host,
      port: options.httpPort,
      routes: [...probeRoutes(() => isReady), ...(options.servesMetrics ? metricsRoutes(metrics) : [])],
      log,
    });
    running.defer(() => http.close());
    const giveUp = () => view.close();
    givenUp.addEventListener('abort', giveUp, { once: true });
    if (givenUp.aborted) giveUp();
    try {
      await view.ready();
    } finally {
      givenUp.removeEventListener('abort', giveUp);
    }
    const publishing = new ClusterMetrics({ view, settings, isPublisher: () => true, clock, log, metrics });
    publishing.start();
    running.defer(() => publishing.stop());
    isReady = true;
    return { httpPort: http.port, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
