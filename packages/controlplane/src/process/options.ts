import type { ClusterMetricsSettings } from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import type { SegmentedJournals } from '@weir/journal';
import type { ClusterNode } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import type { RegionSettings } from '../regions.ts';
import type { FirstCluster } from './founding.ts';
import type { OwnerKeys } from './one-user.ts';

export interface ControlPlaneProcessOptions {
  /** `postgres://…`, the path of a SQLite file, or `memory://name`. */
  readonly databaseUrl: string;
  /** Where entries of the database are appended first, if it is a SQLite file that this process has for itself. */
  readonly segments?: SegmentedJournals | undefined;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The host under which agents reach this process. */
  readonly advertisedHost: string;
  /** Where browsers and tools reach the control plane, if that is not this process: a load balancer, a proxy. */
  readonly publicUrl?: string | undefined;
  /** Where this process is, if processes of several regions share the database. */
  readonly regions?: RegionSettings | undefined;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean | undefined;
  /** Whether assistants get tools that change something, with keys that may. */
  readonly allowsMcpWrites?: boolean | undefined;
  /** Unique among all control-plane processes. Used if the database has no better name for it. */
  readonly processId: string;
  /** A cluster that must exist regardless of the database. Without it, a new installation creates its own. */
  readonly clusterId?: string | undefined;
  /** Called when a cluster has to be created. */
  readonly firstCluster: () => FirstCluster;
  /**
   * A data lake that must exist too, for a process that writes its tables itself. `onUsed` is called once, when it has
   * its first pipeline and this process leads it.
   */
  readonly dataLake?: OwnDataLake | undefined;
  /** A key of the settings that admits agents to the own cluster; keys that users created are in the database. */
  readonly agentKey?: string | undefined;
  /** The file with the credentials of the own cluster. */
  readonly credentialsFile?: string | undefined;
  /** The file that defines whose identity tokens admit an agent. */
  readonly bindingsFile?: string | undefined;
  /** The file with the keys that seal secrets which have to be sent again. */
  readonly sealingKeysFile?: string | undefined;
  /** Whether issuers that users name may have addresses that are not on the public internet. */
  readonly allowsPrivateIssuers?: boolean | undefined;
  /** What configurations of pipelines and channels of alerts may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
  /** How the metrics of whole clusters are reported. */
  readonly clusterMetrics?: ClusterMetricsSettings | undefined;
  /** The metrics of agents themselves, for listings. */
  readonly agentMetricRows?: readonly MetricRow[] | undefined;
  /** Where the metadata of the clusters that this process leads is copied to; nowhere without it. */
  readonly backup?: MetadataBackupSettings | undefined;
  /** For a process whose only user reads its output, and needs no password. */
  readonly oneUser?: OwnerKeys | undefined;
  /**
   * Whether accounts and the API may be loaded on first use, which halves the start time. Only for a process with its
   * own cluster and a new database.
   */
  readonly isQuick?: boolean | undefined;
  /** How often the diagnostics of a cluster run and its alerts are evaluated; by default once a minute. */
  readonly diagnosticsIntervalMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface OwnDataLake {
  readonly id: string;
  readonly onUsed: (cluster: ClusterNode) => void;
}

export interface MetadataBackupSettings {
  readonly store: ObjectStore;
  readonly intervalMs: number;
}
