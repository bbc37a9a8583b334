import { ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { ClusterKind } from './diagnostic-snapshot.ts';
import { diagnosticEventData } from './event.ts';
import type { DiagnosticRecord, Transition } from './record.ts';
import { DiagnosticsRunner } from './runner.ts';
import type { DiagnosticsStore } from './store.ts';
import { type DiagnosticCluster, takeDiagnosticSnapshot } from './take-diagnostic-snapshot.ts';
import { measureUtilization, utilizationRow } from './utilization.ts';

export interface LedCluster {
  readonly clusterId: string;
  readonly kind: ClusterKind;
  /** Leads the cluster in this process. */
  readonly node: DiagnosticCluster;
}

interface WatchedClustersOptions {
  /** The clusters that this process leads at the moment. */
  readonly leading: () => readonly LedCluster[];
  readonly store: DiagnosticsStore;
  /** The metrics of one cluster. Several clusters may not share one, since the gauges do not name theirs. */
  readonly metricsOf: (clusterId: string) => Metrics;
  /** Told of every transition that is not silent, once it is kept. */
  readonly onTransition: (transition: Transition) => void;
  /** Told after every look how things stand. */
  readonly onChecked?: ((clusterId: string, records: readonly DiagnosticRecord[]) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Looks at every cluster for as long as this process leads it, once a minute. How things stand is in the store and in
 * the metrics of the cluster. Whichever process leads next goes on from what is kept.
 */
export function watchClusters({ leading, metricsOf, ...options }: WatchedClustersOptions): DiagnosticsRunner {
  const { clock } = options;
  const utilization = measureUtilization(clock);
  const gaugeLabels = (clusterId: string) => ({ cluster: clusterId });
  let led: ReadonlyMap<string, LedCluster> = new Map();
  return new DiagnosticsRunner({
    ...options,
    metricsOf,
    clusterIds: () => {
      led = new Map(leading().map((cluster) => [cluster.clusterId, cluster]));
      return [...led.keys()];
    },
    takeDiagnosticSnapshot: (clusterId, signal) => {
      const cluster = led.get(clusterId);
      if (cluster === undefined) throw new ClusterUnavailable(`${clusterId} is led elsewhere by now`);
      const busy = utilization();
      metricsOf(clusterId).series(utilizationRow, gaugeLabels(clusterId)).set(busy);
      return takeDiagnosticSnapshot(cluster.node, {
        kind: cluster.kind,
        nowMs: () => clock.nowMs(),
        utilization: busy,
        signal,
      });
    },
    onUnwatched: (clusterId) => metricsOf(clusterId).remove(utilizationRow, gaugeLabels(clusterId)),
  });
}

/** Writes a transition into the log: what became worse in a grave way as a warning. */
export function logTransition(transition: Transition, log: Log): void {
  const isGrave = transition.severity === 'high' || transition.severity === 'critical';
  const level = transition.kind === 'failed' && isGrave ? 'warn' : 'info';
  log[level]('a diagnostic has changed', { ...diagnosticEventData(transition) });
}
