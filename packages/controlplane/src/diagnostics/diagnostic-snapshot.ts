import {
  type AgentDescription,
  agentSilenceMsMax,
  type GroupStateName,
  type InvalidAcl,
  type ReportedDamage,
} from '@weir/cluster';

/**
 * The input of checks: one cluster at one moment, as plain data. Unknown facts are absent; a check that needs one
 * answers with no data.
 */
export interface DiagnosticSnapshot {
  readonly atMs: number;
  readonly cluster: ClusterFacts;
  /** Those that live, and those that were lost a short time ago. */
  readonly agents: readonly AgentFacts[];
  readonly topics?: readonly TopicFacts[] | undefined;
  readonly groups?: readonly GroupFacts[] | undefined;
  readonly produce?: ProduceFacts | undefined;
  /** One row per bucket that the agents use. */
  readonly buckets?: readonly BucketFacts[] | undefined;
  /** Files that agents cannot read as they were committed, of which offsets are still in the log. */
  readonly damagedFiles?: readonly DamagedFileFacts[] | undefined;
  /** How busy the leader of the cluster is, 0 to 1: the metric `control_plane_utilization`. */
  readonly controlPlaneUtilization?: number | undefined;
  readonly acls?: AclFacts | undefined;
  readonly credentials?: readonly CredentialFacts[] | undefined;
  /** Metrics of the cluster with the number of their series. */
  readonly metrics?: readonly MetricFacts[] | undefined;
}

export const clusterKinds = ['kafka', 'schema_registry', 'data_lake'] as const;
export type ClusterKind = (typeof clusterKinds)[number];

export interface ClusterFacts {
  readonly clusterId: string;
  readonly kind: ClusterKind;
  readonly topicCount: number;
  readonly partitionCount: number;
  readonly partitionCountMax: number;
}

export interface AgentFacts extends AgentDescription {
  /** The last heartbeat, by the clock of the control plane. */
  readonly lastSeenMs: number;
  /** How far the agent's clock is ahead of the control plane's, when the agent tells its time. */
  readonly clockOffsetMs?: number | undefined;
  /** What the agent shows to clients or to other agents. */
  readonly certificates?: readonly Expiring[] | undefined;
  /** What the agent shows to the control plane and to stores. */
  readonly tokens?: readonly Expiring[] | undefined;
}

/** Something that ends at a time. The name says what it is and is no secret. */
export interface Expiring {
  readonly name: string;
  readonly expiresMs: number;
  /** When it began, where that is known. */
  readonly issuedMs?: number | undefined;
}

export interface TopicFacts {
  readonly name: string;
  readonly partitionCount: number;
  /** Whether its cleanup.policy lets retention remove records. */
  readonly isDeleting: boolean;
  /** What counts for the topic, its own value or the cluster's; `undefined` keeps records for ever. */
  readonly retentionMs: number | undefined;
  readonly retentionBytes: number | undefined;
}

export interface GroupFacts {
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly memberCount: number;
  /** When the last member left, as far as the coordinator remembers. */
  readonly emptySinceMs?: number | undefined;
  /**
   * Partitions for which the group has committed an offset. An assigned partition without a commit may be one that a client
   * reads from its end and that got no record since: no sign of a fault.
   */
  readonly partitions: readonly GroupPartition[];
}

export interface GroupPartition {
  readonly topic: string;
  readonly partition: number;
  readonly committedOffset: number;
  /** Up to where the group could read: the last stable offset, so that open transactions are no lag. */
  readonly endOffset: number;
}

/** What agents wrote and were asked to write since the look before. */
export interface ProduceFacts {
  /** How long that was. */
  readonly spanMs: number;
  readonly fileCount: number;
  readonly fileBytes: number;
  /** The shortest time that each client gave its writes. */
  readonly clientTimeouts: readonly ClientTimeout[];
}

interface ClientTimeout {
  readonly clientId: string;
  readonly timeoutMs: number;
  readonly requestCount: number;
}

/** What agents saw of a bucket since the look before. */
export interface BucketFacts {
  /** Its URL without anything secret. */
  readonly name: string;
  readonly operationCount: number;
  readonly failureCount: number;
  /** Failures because something is not allowed, by operation: `put`, `get`, `list`, `delete`. */
  readonly deniedOperations: readonly DeniedOperation[];
  readonly putP99Ms?: number | undefined;
  readonly getP99Ms?: number | undefined;
}

interface DeniedOperation {
  readonly operation: string;
  readonly count: number;
}

export interface DamagedFileFacts {
  readonly fileId: string;
  readonly kind: ReportedDamage['kind'];
  /** Those that are listed and those that are not. */
  readonly partitionCount: number;
  readonly partitions: readonly DamagedPartition[];
}

interface DamagedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly firstOffset: number;
  /** Behind the last one. */
  readonly nextOffset: number;
}

const aclModes = ['off', 'shadow', 'enforced'] as const;

export interface AclFacts {
  readonly mode: (typeof aclModes)[number];
  readonly ruleCount: number;
  readonly invalid: readonly InvalidAcl[];
}

export interface CredentialFacts {
  readonly username: string;
  readonly isSuperuser: boolean;
  readonly createdMs: number;
  /** The last login; `null` for one that never was used, `undefined` when logins are not told. */
  readonly lastUsedMs?: number | null | undefined;
}

export interface MetricFacts {
  readonly name: string;
  readonly seriesCount: number;
}

/** The agents that were not lost. */
export function livingAgents({ agents, atMs }: DiagnosticSnapshot): readonly AgentFacts[] {
  return agents.filter(({ lastSeenMs }) => atMs - lastSeenMs < agentSilenceMsMax);
}
