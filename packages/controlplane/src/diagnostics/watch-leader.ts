import type { Clock, Log, Metrics } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { MemoryDiagnosticsStore } from './memory-store.ts';
import type { DiagnosticsRunner } from './runner.ts';
import { logTransition, watchClusters } from './watch-clusters.ts';

export interface WatchedLeaderOptions {
  readonly node: ClusterNode;
  readonly clusterId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Looks at one cluster for as long as this process leads it. How things stand is in the metrics of the process, and what changes in its
 * log. It is remembered in memory only: the next leader finds out by itself.
 */
export function watchLeader({
  node,
  clusterId,
  clock,
  log,
  metrics,
}: WatchedLeaderOptions): DiagnosticsRunner {
  return watchClusters({
    leading: () => (node.role === 'leader' ? [{ clusterId, kind: 'kafka', node }] : []),
    store: new MemoryDiagnosticsStore(),
    metricsOf: () => metrics,
    onTransition: (transition) => logTransition(transition, log),
    clock,
    log,
  });
}
