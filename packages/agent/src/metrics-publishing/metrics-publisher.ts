import { createClusterView } from '@weir/broker';
import type { ClusterMetricsSettings, ClusterPort } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import { metricsRoutes, probeRoutes, startHttpListener } from '@weir/http';
import { ClusterMetrics } from './cluster-metrics.ts';

interface MetricsPublisherOptions {
  readonly cluster: ClusterPort;
  readonly settings: ClusterMetricsSettings;
  readonly host: string;
  /** 0 takes any free port. */
  readonly httpPort: number;
  /** Whether `/metrics` is served. */
  readonly servesMetrics: boolean;
  /** Aborted when the start is cancelled. */
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
 * Starts a process that only publishes the metrics of its cluster. It is not an agent: it is not registered, so neither
 * clients nor other agents see it, and it needs no bucket.
 */
export async function startMetricsPublisher(options: MetricsPublisherOptions): Promise<MetricsPublisher> {
  const { cluster, settings, host, givenUp, clock, log, metrics } = options;
  const running = new AsyncDisposableStack();
  try {
    const view = createClusterView(cluster, { log });
    running.defer(() => view.close());
    const probed = {
      hasStarted: false,
      problem: () => (probed.hasStarted ? undefined : { reason: 'starting' }),
    };
    const http = await startHttpListener({
      host,
      port: options.httpPort,
      routes: [...probeRoutes(probed), ...(options.servesMetrics ? metricsRoutes(metrics, clock) : [])],
      clock,
      log,
      metrics,
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
    probed.hasStarted = true;
    return { httpPort: http.port, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
