import {
  type AgentDescription,
  agentSilenceMsMax,
  type GroupStateName,
  type InvalidAcl,
  type JobState,
  type LateLevel,
  type MigrationState,
  type ReportedDamage,
  type ReportedTable,
  type TokenDescription,
} from '@weir/cluster';

/**
 * The input of checks: one cluster at one point in time, as plain data. Unknown facts are absent; a check that needs
 * one reports no data.
 */
export interface DiagnosticSnapshot {
  readonly atMs: number;
  readonly cluster: ClusterFacts;
  /** Live agents, and recently lost ones. */
  readonly agents: readonly AgentFacts[];
  readonly topics?: readonly TopicFacts[] | undefined;
  readonly groups?: readonly GroupFacts[] | undefined;
  readonly produce?: ProduceFacts | undefined;
  /** One row per bucket that the agents use. */
  readonly buckets?: readonly BucketFacts[] | undefined;
  /** Files that agents cannot read as they were committed, and of which offsets are still in the log. */
  readonly damagedFiles?: readonly DamagedFileFacts[] | undefined;
  /** Files that nothing refers to any more. */
  readonly deadFiles?: DeadFileFacts | undefined;
  /** Files and partitions that should have been compacted. */
  readonly compaction?: CompactionFacts | undefined;
  /** Background jobs whose last attempt failed. */
  readonly failingJobs?: readonly FailingJobFacts[] | undefined;
  /** Kinds of background jobs of which some wait for an agent. */
  readonly waitingJobs?: readonly WaitingJobFacts[] | undefined;
  /** Pipelines that should run. */
  readonly pipelines?: readonly PipelineFacts[] | undefined;
  /** Tables that should be written; of data lake clusters. */
  readonly tables?: readonly TableFacts[] | undefined;
  /** The migration that should run; `null` if none should. */
  readonly migration?: MigrationFacts | null | undefined;
  /** Channels of alerts whose last attempts failed. */
  readonly alertChannels?: readonly AlertChannelFacts[] | undefined;
  /** The load of the cluster's leader, 0 to 1: the metric `control_plane_utilization`. */
  readonly controlPlaneUtilization?: number | undefined;
  /** How long ago the metadata backup had everything, if there is a backup. */
  readonly metadataBackupAgeMs?: number | undefined;
  readonly acls?: AclFacts | undefined;
  readonly credentials?: readonly CredentialFacts[] | undefined;
  readonly delegationTokens?: readonly DelegationTokenFacts[] | undefined;
  /** Records that did not fit their schema, by topic and reason. */
  readonly invalidRecords?: readonly InvalidRecordFacts[] | undefined;
  readonly registry?: RegistryFacts | undefined;
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
  /** How far the agent's clock is ahead of the control plane's, if the agent reports its time. */
  readonly clockOffsetMs?: number | undefined;
  /** Why the agent cannot write to its bucket, if it cannot. */
  readonly writeProblem?: string | undefined;
  /** Certificates that the agent presents to clients or to other agents. */
  readonly certificates?: readonly Expiring[] | undefined;
  /** Tokens that the agent presents to the control plane and to stores. */
  readonly tokens?: readonly Expiring[] | undefined;
  /** Why the agent does not use the bucket that the cluster names; empty if it does. Absent without reports. */
  readonly bucketProblem?: string | undefined;
}

/** A certificate or token with an expiry. The name is not a secret. */
export interface Expiring {
  readonly name: string;
  readonly expiresMs: number;
  /** The issue time, if known. */
  readonly issuedMs?: number | undefined;
}

export interface TopicFacts {
  readonly name: string;
  readonly partitionCount: number;
  /** Whether its cleanup.policy lets retention remove records. */
  readonly isDeleting: boolean;
  /** The effective value, of the topic or the cluster; `undefined` for unlimited retention. */
  readonly retentionMs: number | undefined;
  readonly retentionBytes: number | undefined;
}

export interface GroupFacts {
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly memberCount: number;
  /** When the last member left, if the coordinator knows it. */
  readonly emptySinceMs?: number | undefined;
  /**
   * Partitions for which the group has committed an offset. An assigned partition without a commit may be one that a
   * client reads from its end and that got no record since, which is not a fault.
   */
  readonly partitions: readonly GroupPartition[];
}

export interface GroupPartition {
  readonly topic: string;
  readonly partition: number;
  readonly committedOffset: number;
  /** The last stable offset, so that open transactions do not count as lag. */
  readonly endOffset: number;
}

/** What agents wrote and were asked to write since the previous snapshot. */
export interface ProduceFacts {
  /** The length of that period. */
  readonly spanMs: number;
  readonly fileCount: number;
  readonly fileBytes: number;
  /** The shortest produce timeout of each client. */
  readonly clientTimeouts: readonly ClientTimeout[];
}

interface ClientTimeout {
  readonly clientId: string;
  readonly timeoutMs: number;
  readonly requestCount: number;
}

/** What agents observed of a bucket since the previous snapshot. */
export interface BucketFacts {
  /** Its URL without secrets. */
  readonly name: string;
  readonly operationCount: number;
  readonly failureCount: number;
  /** Permission failures by operation: `put`, `get`, `list`, `delete`. */
  readonly deniedOperations: readonly DeniedOperation[];
  /** Operations that found no bucket. */
  readonly missingCount: number;
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
  /** Including those that are not listed. */
  readonly partitionCount: number;
  readonly partitions: readonly DamagedPartition[];
}

interface DamagedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly firstOffset: number;
  /** The offset after the last one. */
  readonly nextOffset: number;
}

export interface DeadFileFacts {
  readonly fileCount: number;
  readonly byteCount: number;
  /** When the oldest of them died. */
  readonly oldestDeadMs?: number | undefined;
  /** After this time they are to be deleted. */
  readonly deleteDelayMs: number;
  /** Whether the cluster lets agents delete files. */
  readonly isDeletionOn: boolean;
  /** Agents that take jobs that delete files. */
  readonly deletingAgentCount: number;
}

export interface CompactionFacts {
  readonly lateLevels: readonly LateLevel[];
  /** Compacted topics of which records should have been compacted by `max.compaction.lag.ms`. */
  readonly lateTopics: readonly LateTopic[];
  /** Agents that take jobs that merge files, and those that do but wait until clients write less. */
  readonly mergingAgentCount: number;
  readonly pausedAgentCount: number;
  /** Why the last job that merges failed, if one fails. */
  readonly problem?: string | undefined;
}

interface LateTopic {
  readonly name: string;
  readonly partitionCount: number;
  /** Since when the latest of them is due. */
  readonly dueMs: number;
}

interface FailingJobFacts {
  readonly kind: string;
  readonly scope: string;
  readonly failureCount: number;
  /** Whether it is retried only seldom, because an operator has to act. */
  readonly isStopped: boolean;
  readonly message: string;
}

interface WaitingJobFacts {
  readonly kind: string;
  readonly jobCount: number;
  /** Since when the first of them waits. */
  readonly oldestMs: number;
  /** Agents that take the kind now, and those that do but not now. */
  readonly agentCount: number;
  readonly pausedCount: number;
}

/** A pipeline that should run, with its deployed configuration. */
export interface PipelineFacts {
  readonly pipelineId: string;
  readonly name: string;
  readonly type: 'bento' | 'schema_linking';
  /** How many instances it should have. */
  readonly instanceCount: number;
  /** Only agents of this group run it; those of any if absent. */
  readonly agentGroup?: string | undefined;
  /** The consumer groups of its Kafka inputs. */
  readonly groupIds: readonly string[];
  /** Agents that take its instances. */
  readonly agentCount: number;
  readonly instances: readonly PipelineInstanceFacts[];
}

export interface PipelineInstanceFacts {
  /** Identifies an attempt. */
  readonly jobId: string;
  readonly instance: number;
  readonly state: JobState;
  readonly plannedMs: number;
  readonly startedMs: number | null;
  /** Attempts in a row that failed, and why the last of them did. */
  readonly failureCount: number;
  readonly message: string;
  /** Messages written since it was started, and how often something failed meanwhile. */
  readonly doneCount: number;
  readonly errorCount: number;
  readonly lastError: string;
  /** The component that failed last. */
  readonly lastErrorStage: string;
}

/** A table that a running pipeline writes. */
export interface TableFacts {
  readonly tableUuid: string;
  readonly name: string;
  /** Agents that take such jobs. */
  readonly agentCount: number;
  /** The state of its job, and since when it is planned; absent if there is none. */
  readonly state: JobState | undefined;
  readonly plannedMs: number | undefined;
  /** Attempts in a row that failed, and why the last of them did. */
  readonly failureCount: number;
  readonly message: string;
  /** What its agent last reported. */
  readonly report: ReportedTable | undefined;
}

/** The copy of another cluster. */
export interface MigrationFacts {
  readonly pipelineId: string;
  readonly name: string;
  /** Agents that take its jobs. */
  readonly agentCount: number;
  /** Why its jobs as a whole do not get on. */
  readonly errors: readonly string[];
  readonly topics: readonly MigratedTopicFacts[];
}

export interface MigratedTopicFacts {
  readonly name: string;
  /** Absent for a topic of the source that is not here. */
  readonly state: MigrationState | undefined;
  readonly changedBy: string;
  readonly changedMs: number;
  /** May be empty. */
  readonly reason: string;
  readonly isCuttingOver: boolean;
  readonly partitionCount: number;
  /** Absent while the source does not say where it ends. */
  readonly lagOffsets: number | undefined;
  readonly stopped: readonly { readonly partition: number; readonly error: string }[];
  readonly error: string | undefined;
  readonly unproxiedRecords: number;
}

export interface AlertChannelFacts {
  readonly name: string;
  /** Attempts in a row. */
  readonly failures: number;
  readonly sinceMs: number;
  readonly lastError: string;
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
  /** The last login; `null` if it was never used, `undefined` if logins are not reported. */
  readonly lastUsedMs?: number | null | undefined;
}

export type DelegationTokenFacts = Pick<
  TokenDescription,
  'tokenId' | 'owner' | 'issuedMs' | 'expiresMs' | 'endsMs'
>;

/** Records of the period before the snapshot. */
export interface InvalidRecordFacts {
  readonly topic: string;
  /** As agents count it, such as `unknown_schema`. */
  readonly reason: string;
  readonly count: number;
}

/** The schema registry of the cluster. */
export interface RegistryFacts {
  readonly subjectCount: number;
  /** Subjects whose level is NONE, and the first of them. */
  readonly uncheckedSubjectCount: number;
  readonly uncheckedSubjects: readonly string[];
  /** Whether the level of the registry itself is NONE. */
  readonly isUncheckedByDefault: boolean;
}

export interface MetricFacts {
  readonly name: string;
  readonly seriesCount: number;
}

/** Returns the agents that are not lost. */
export function livingAgents({
  agents,
  atMs,
}: Pick<DiagnosticSnapshot, 'agents' | 'atMs'>): readonly AgentFacts[] {
  return agents.filter(({ lastSeenMs }) => atMs - lastSeenMs < agentSilenceMsMax);
}
