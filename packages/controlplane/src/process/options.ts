import type { ClusterMetricsSettings } from '@weir/cluster';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import type { FirstCluster } from './founding.ts';
import type { OwnerKeys } from './one-user.ts';

export interface ControlPlaneProcessOptions {
  /** `postgres://…`, the path of a SQLite file, or `memory://name`. */
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The host under which agents reach this process. */
  readonly advertisedHost: string;
  /** Where browsers and tools reach the control plane, when that is not this process: a load balancer, a proxy. */
  readonly publicUrl?: string | undefined;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean | undefined;
  /** Its own among all control-plane processes. Used where the database has no better name for it. */
  readonly processId: string;
  /**
   * A cluster that is to be there whatever the database says. Without it, a new installation begins with one of its
   * own.
   */
  readonly clusterId?: string | undefined;
  /** Asked for when a cluster is to be made. */
  readonly firstCluster: () => FirstCluster;
  /** A key of the settings that admits agents to the own cluster; those that people made are in the database. */
  readonly agentKey?: string | undefined;
  /** The file with the credentials of the own cluster. */
  readonly credentialsFile?: string | undefined;
  /** The file that says whose identity tokens admit an agent. */
  readonly bindingsFile?: string | undefined;
  /** The file with the keys by which secrets are kept that have to be told again. */
  readonly sealingKeysFile?: string | undefined;
  /** Whether issuers that users name may have addresses that are not on the public internet. */
  readonly allowsPrivateIssuers?: boolean | undefined;
  /** What the stats of whole clusters are told by. */
  readonly clusterMetrics?: ClusterMetricsSettings | undefined;
  /** The metrics that agents have of themselves, for those who ask what there is. */
  readonly agentMetricRows?: readonly MetricRow[] | undefined;
  /** For a process whose only user reads its output, and needs no password. */
  readonly oneUser?: OwnerKeys | undefined;
  /**
   * Whether accounts and the API may be loaded on first use, which halves the time of a start. Only for a process with
   * a cluster of its own and a database that is new with it.
   */
  readonly isQuick?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}
