import type { ClusterPort } from '@weir/cluster';
import type { MetricRow } from '@weir/core';
import type { DiagnosticsStore, Transition } from '@weir/diagnostics';
import type { VirtualClusters } from '../../accounts/workspaces/virtual-clusters.ts';
import type { ClusterRegistries } from '../../schema-registry/cluster-registries.ts';

/** Dependencies of the operations on clusters. */
export interface ClusterServices {
  /** The leader of a cluster, local or remote. Calls reject with `ClusterUnavailable` while there is none. */
  readonly clusterPort: (clusterId: string) => ClusterPort;
  /** The schema registries of clusters, loaded on demand. */
  readonly registries: Pick<ClusterRegistries, 'use'>;
  readonly virtualClusters: Pick<VirtualClusters, 'change'>;
  readonly diagnostics: DiagnosticsStore;
  /** Called when a diagnostic is muted or unmuted. */
  readonly onTransition: (transition: Transition) => void;
  /** The metrics of a cluster. */
  readonly metricRows: (clusterId: string) => readonly MetricRow[];
  /** For ids. */
  readonly freshUuid: () => string;
  /** For passwords: cryptographically secure. */
  readonly randomBytes: (count: number) => Uint8Array;
}
