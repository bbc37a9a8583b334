import type {
  ClusterBuckets,
  FlushLimits,
  ImpersonationOptions,
  ListenerLimits,
  LoadSource,
  PartitionAssignmentStrategy,
  ZoneOfAddress,
} from '@weir/broker';
import type { ClusterMetricsSettings, ClusterPort, ReportedExpiry } from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock, Log, Metrics, Random } from '@weir/core';
import type { RegistrySettings } from '@weir/gateway';
import type { JobSettings } from '@weir/jobs';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { AgentTls, ProxyProtocolOptions, SaslSettings } from '@weir/security';
import type { ObjectStore } from '@weir/storage';
import type { AgentEvents } from './events/agent-events.ts';
import type { AgentStats } from './stats/agent-stats.ts';

export interface AgentOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly group: string;
  /** Read each time it is needed, since an agent may learn it while it runs. */
  readonly zone: string;
  /** Where it is, if the cluster spans several regions. */
  readonly region?: string | undefined;
  /** Finds the zone of a client whose client id names none. */
  readonly zoneOfAddress?: ZoneOfAddress;
  readonly roles: readonly string[];
  /** Where it listens. */
  readonly host: string;
  /** 0 takes any free port, here and below. */
  readonly kafkaPort: number;
  readonly httpPort: number;
  /** The host that Metadata shows to clients; the port is that of the listener. */
  readonly advertisedHost: string;
  /** Where other agents of the zone reach this one, when that is elsewhere. */
  readonly internalHost?: string;
  /** The listeners that use TLS. If absent, none does. */
  readonly tls?: AgentTls;
  /** Kafka clients come through a proxy that sends a PROXY protocol header. */
  readonly proxyProtocol?: ProxyProtocolOptions;
  /** The schema registry of the cluster, on a port of its own. If absent, the agent does not serve it. */
  readonly registry?: RegistrySettings | undefined;
  /** What pipelines and exporters may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
  /** Whether `/metrics` answers. */
  readonly servesMetrics: boolean;
  /** Cluster-wide metrics to publish if this is the publishing agent, which needs the role `jobs`. */
  readonly clusterMetrics?: ClusterMetricsSettings | undefined;
  readonly cluster: ClusterPort;
  /**
   * The key that admits this agent to its cluster. If absent, it shares no pages with others. Agents authenticate each
   * other by a secret of the cluster, and by the key while there is none.
   */
  readonly agentKey?: () => string;
  readonly store: ObjectStore;
  /** The buckets behind the store, which change while the agent runs. If absent, there is one. */
  readonly buckets?: ClusterBuckets | undefined;
  readonly flush: FlushLimits;
  /** Whether a slow upload is sent a second time. By default it is not. */
  readonly hedgesUploads?: boolean | undefined;
  /** Whether the commit of a file of a bucket, by its number, stores the file. Not by default. */
  readonly commitsContent?: ((bucket: number) => boolean) | undefined;
  /** Whether it accepts and serves records while no control plane leads (ADR 0231). By default it does not. */
  readonly hasRipcord?: boolean | undefined;
  /** Whether ids of new files are taken out of ranges. By default each is drawn. */
  readonly usesFileIdRanges?: boolean | undefined;
  readonly recordBytesMax: number;
  /** Impersonation settings. If absent, the sender is the author and no principal header is added. */
  readonly impersonation?: ImpersonationOptions;
  /** Schemas of another registry than an own one. If there is neither, topics that validate take no records. */
  readonly schemas?: RecordSchemas | undefined;
  readonly fetchRequestBytesMax: number;
  readonly fetchPartitionBytesMax: number;
  /** Whether a fetch returns one batch of each partition. Default: false. */
  readonly fetchesSingleBatch?: boolean;
  /** Whether an offset that is out of range in a topic under migration is an error of the storage. Default: false. */
  readonly hidesOutOfRange?: boolean;
  /** Whether metrics with one series per topic are counted. Default: false. */
  readonly countsPerTopic?: boolean;
  readonly pageCacheBytesMax: number;
  /** Whether readers of one partition find the next pages in memory. */
  readonly readahead: boolean;
  readonly bufferedBytesMax: number;
  readonly idleConnectionMs: number;
  /** The load of the processor at which clients are slowed down, from 0 to 100; 0 never does. */
  readonly highCpuPercent: number;
  /** Whether Metadata shows topics as the leader has them now, and not as of a round trip ago. Default: false. */
  readonly metadataAsksLeader?: boolean;
  /** Metadata requests that run at a time, per processor; 0 is no limit. */
  readonly metadataRequestsPerCpu: number;
  /** Where limits of the Kafka listener differ from those that follow from the processors. */
  readonly limits?: Partial<ListenerLimits>;
  /** Load of the process; tests set it. */
  readonly load?: LoadSource;
  /** Whether it waits, before it stops, while another agent of its group stops. */
  readonly locksShutdown?: boolean;
  readonly defaultStrategy: PartitionAssignmentStrategy;
  /** SASL mechanisms. If absent, clients cannot log in. */
  readonly sasl?: SaslSettings;
  /** Settings of background jobs, which agents with the role `jobs` run. */
  readonly jobs?: JobSettings;
  /** The rate limit of managed pipelines per core, in bytes per second; by default it depends on the roles. */
  readonly pipelineBytesPerCpu?: number | undefined;
  /** Whether it runs event queries; by default it does not. */
  readonly answersQueries?: boolean;
  /** The topic of logs that arrive over HTTP without naming one. */
  readonly logIntakeDefaultTopic?: string | undefined;
  /** Whether denials by ACLs are logged; by default they are. */
  readonly logsAclDenials?: boolean;
  /** Name of the machine, for logs and events. */
  readonly hostname?: string;
  readonly cpuCount: number;
  /** Threads that own the connections of Kafka clients. Default and 1: the main thread owns them. */
  readonly servingThreads?: number | undefined;
  /** Stats that heartbeats report. The caller counts requests of the store in it. */
  readonly stats?: AgentStats;
  /** Expiry times of the credentials for the control plane. */
  readonly tokens?: () => readonly ReportedExpiry[];
  /** Aborted when the start is cancelled; an agent that cannot reach its cluster waits forever otherwise. */
  readonly givenUp?: AbortSignal;
  /** Given by callers whose own log lines become events too. If absent, only those of the agent do. */
  readonly events?: AgentEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RunningAgent {
  readonly kafkaPort: number;
  readonly httpPort: number;
  /** The port of the schema registry, if the agent serves it. */
  readonly registryPort: number | undefined;
  /** Where other agents connect, when that is a listener of its own. */
  readonly internalPort: number | undefined;
  /**
   * Accepts no new requests, writes what is buffered, finishes running requests, and ends; after `deadlineMs` it ends
   * anyway.
   */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}
