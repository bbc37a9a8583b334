import { ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { AlertChannelFacts, ClusterKind } from './diagnostic-snapshot.ts';
import { diagnosticEventData } from './event.ts';
import { diagnosticSamples } from './gauges.ts';
import type { WantedMigration } from './migration-facts.ts';
import type { WantedPipeline } from './pipeline-facts.ts';
import type { DiagnosticRecord, Transition } from './record.ts';
import { RegistryLevels } from './registry-levels.ts';
import { DiagnosticsRunner } from './runner.ts';
import type { DiagnosticsStore } from './store.ts';
import type { TableToWrite } from './table-facts.ts';
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
  /** The metrics of one cluster. Clusters must not share them, since the gauges have no cluster label. */
  readonly metricsOf: (clusterId: string) => Metrics;
  /** How long ago the metadata backup of a cluster had everything, if there is a backup. */
  readonly backupAgeMsOf?: ((clusterId: string) => number | undefined) | undefined;
  /** The channels of the alerts of a cluster whose last attempts failed; unknown if absent. */
  readonly failingChannelsOf?: ((clusterId: string) => Promise<readonly AlertChannelFacts[]>) | undefined;
  /** The pipelines of a cluster that should run; unknown if absent. */
  readonly pipelinesOf?: ((clusterId: string) => Promise<readonly WantedPipeline[]>) | undefined;
  /** The tables of a data lake cluster that should be written; unknown if absent. */
  readonly tablesOf?: ((clusterId: string) => Promise<readonly TableToWrite[]>) | undefined;
  /** The migration of a Kafka cluster that should run, or `null`; unknown if absent. */
  readonly migrationOf?: ((clusterId: string) => Promise<WantedMigration | null>) | undefined;
  /** Called for every transition that is not silent, once it is stored. */
  readonly onTransition: (transition: Transition) => void;
  /** Called after every run with the current records. */
  readonly onChecked?: ((clusterId: string, records: readonly DiagnosticRecord[]) => void) | undefined;
  /** By default a minute. */
  readonly intervalMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Checks every cluster once per interval while this process leads it. Results are in the store and in the metrics of
 * the cluster. The next leader continues from the stored records.
 */
export function watchClusters({ leading, metricsOf, ...options }: WatchedClustersOptions): DiagnosticsRunner {
  const { clock, backupAgeMsOf, failingChannelsOf, pipelinesOf, tablesOf, migrationOf } = options;
  const utilization = measureUtilization(clock);
  const gaugeLabels = (clusterId: string) => ({ cluster: clusterId });
  const registryLevels = new Map<string, RegistryLevels>();
  let led: ReadonlyMap<string, LedCluster> = new Map();
  const noteHealth = (clusterId: string, records: readonly DiagnosticRecord[]) =>
    led.get(clusterId)?.node.noteHealth({
      diagnostics: diagnosticSamples(records).map(({ labels, value }) => ({
        labels,
        isFailing: value === 1,
      })),
      utilization: utilization(),
    });
  return new DiagnosticsRunner({
    ...options,
    metricsOf,
    clusterIds: () => {
      led = new Map(leading().map((cluster) => [cluster.clusterId, cluster]));
      return [...led.keys()];
    },
    takeDiagnosticSnapshot: async (clusterId, signal) => {
      const cluster = led.get(clusterId);
      if (cluster === undefined)
        throw new ClusterUnavailable(`cluster ${clusterId} moved to another control plane node`);
      const busy = utilization();
      const levels = registryLevels.get(clusterId) ?? new RegistryLevels();
      registryLevels.set(clusterId, levels);
      metricsOf(clusterId).series(utilizationRow, gaugeLabels(clusterId)).set(busy);
      return takeDiagnosticSnapshot(cluster.node, {
        kind: cluster.kind,
        nowMs: () => clock.nowMs(),
        utilization: busy,
        backupAgeMs: backupAgeMsOf?.(clusterId),
        alertChannels: await failingChannelsOf?.(clusterId),
        pipelines: await pipelinesOf?.(clusterId),
        tables: cluster.kind === 'data_lake' ? await tablesOf?.(clusterId) : undefined,
        migration: cluster.kind === 'kafka' ? await migrationOf?.(clusterId) : undefined,
        registryLevels: levels,
        signal,
      });
    },
    onChecked: (clusterId, records) => {
      noteHealth(clusterId, records);
      options.onChecked?.(clusterId, records);
    },
    onUnwatched: (clusterId) => {
      registryLevels.delete(clusterId);
      metricsOf(clusterId).remove(utilizationRow, gaugeLabels(clusterId));
    },
  });
}

/** Logs a transition: a severe deterioration as a warning. */
export function logTransition(transition: Transition, log: Log): void {
  const isSevere = transition.severity === 'high' || transition.severity === 'critical';
  const level = transition.kind === 'failed' && isSevere ? 'warn' : 'info';
  log[level]('changed status of diagnostic', { ...diagnosticEventData(transition) });
}
