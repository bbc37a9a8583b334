import type { Clock, Log, Metrics } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { diagnosticEventData } from './event.ts';
import { MemoryDiagnosticsStore } from './memory-store.ts';
import type { Transition } from './record.ts';
import { DiagnosticsRunner } from './runner.ts';
import { takePicture } from './take-picture.ts';

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
  return new DiagnosticsRunner({
    clusterIds: () => (node.role === 'leader' ? [clusterId] : []),
    takePicture: (_clusterId, signal) => takePicture(node, { kind: 'kafka', nowMs: clock.nowMs, signal }),
    store: new MemoryDiagnosticsStore(),
    metricsOf: () => metrics,
    onTransition: (transition) => tell(transition, log),
    clock,
    log,
  });
}

function tell(transition: Transition, log: Log): void {
  const isGrave = transition.severity === 'high' || transition.severity === 'critical';
  const level = transition.kind === 'failed' && isGrave ? 'warn' : 'info';
  log[level]('a diagnostic has changed', { ...diagnosticEventData(transition) });
}
