import * as s from '../shapes/shape.ts';
import { type AlterConfigsResult, type ConfigsToAlter, configsToAlter } from './admin-calls.ts';
import type { AgentDescription } from './agents/agent-calls.ts';
import type { ReportedConnections } from './agents/agent-report.ts';
import { command, leaderCall, query } from './call.ts';
import type { ClusterSnapshot } from './change-stream.ts';
import {
  type MutationOptions,
  mutationOptions,
  type TopicDescription,
  type TopicError,
  type TopicReference,
  type TopicResult,
  topicReference,
} from './topic-calls.ts';

export interface SeenAgent extends AgentDescription {
  /** What the agent last reported of the bucket that the cluster names. Absent before its first such report. */
  readonly namedBucket?: NamedBucketReport | undefined;
  /** Time of the last heartbeat, by the leader's clock. */
  readonly lastSeenMs: number;
  /** When its process started, by its own clock. Absent before its first report, and of leaders of earlier releases. */
  readonly startedMs?: number | undefined;
}

export interface AgentClients extends ReportedConnections {
  readonly agentId: string;
  /** When the leader received the report, by the leader's clock; `null` without a recent one. */
  readonly heardMs: number | null;
}

/** Some topics of a cluster in the column layout of a snapshot: partitions in ascending order within each topic. */
export type TopicsWithEnds = Pick<
  ClusterSnapshot,
  'topics' | 'logStartOffset' | 'nextOffset' | 'lastStableOffset'
>;

export interface ResourceCounts {
  readonly topics: number;
  readonly partitions: number;
  readonly acls: number;
  readonly clientQuotas: number;
  readonly credentials: number;
}

export interface DeletedTopic {
  readonly topic: TopicDescription;
  readonly deletedMs: number;
  /** Computed with the cluster's current retention of deleted topics. */
  readonly restorableUntilMs: number;
  /** Bytes of its partitions in log files. */
  readonly byteCount: number;
}

const retentionEstimateRequest = s.struct({
  /** The topic whose configs are altered; `null` if those of the cluster are. */
  topicId: s.nullable(s.text),
  /** All configs that are set after the change. */
  configs: s.texts,
  /** Whether to count with the configs of now or with those after the change. */
  rules: s.oneOf('present', 'altered'),
});
export type RetentionEstimateRequest = s.TypeOf<typeof retentionEstimateRequest>;

const retentionEstimatePlace = s.struct({
  topicNumber: s.whole,
  partition: s.whole,
  /** Offsets of the partition before it were counted already. */
  offset: s.whole,
  /** The bytes that were counted with them. */
  bytesBefore: s.whole,
});
/** Where to continue counting: at a partition of the topic with this number, or the next existing one. */
export type RetentionEstimatePlace = s.TypeOf<typeof retentionEstimatePlace>;

export interface RetentionEstimatePart {
  /** Topics that lose records. One that is not finished is in the next part too. */
  readonly topics: readonly { readonly name: string; readonly records: number; readonly bytes: number }[];
  /** `null` when all topics have been examined. */
  readonly next: RetentionEstimatePlace | null;
}

const batchBoundary = s.struct({
  fileId: s.text,
  /** Where the range begins in the file. */
  byteStart: s.whole,
  /** Bytes of the range before the batch. */
  byteLength: s.whole,
  /** The latest timestamp of the records before the batch. */
  maxTimestampMs: s.number,
});

const cloneEnd = s.struct({
  partition: s.whole,
  /** From the log start to the last stable offset. */
  offset: s.whole,
  /** Where a batch begins with this offset, if that is within a stored range. */
  boundary: s.optional(batchBoundary),
  /** Whether a clone that would end within a range, and has no `boundary`, may end where the range begins. */
  roundsDown: s.optional(s.flag),
});
export type CloneEnd = s.TypeOf<typeof cloneEnd>;

const topicToClone = s.struct({
  sourceId: s.text,
  /** The name of the clone. */
  name: s.text,
  /** Configs that differ from those of the source. */
  configs: s.texts,
  /** Configs of the source that the clone does not have. */
  unsetConfigs: s.list(s.text),
  /** Where partitions end; others end at their last stable offset. */
  ends: s.list(cloneEnd),
});
export type TopicToClone = s.TypeOf<typeof topicToClone>;

export interface TopicCloneResult {
  readonly error:
    | TopicError
    | 'OFFSET_OUT_OF_RANGE'
    /** An end is not, or no longer, where a stored range or a batch begins: files were merged. Find it again. */
    | 'SOURCE_CHANGED';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
  readonly topic: TopicDescription | undefined;
  /** Columns by partition; absent on error. */
  readonly logStartOffset?: Float64Array | undefined;
  readonly nextOffset?: Float64Array | undefined;
}

/** How an agent takes to the bucket that the cluster names. */
export interface NamedBucketReport {
  /** `namedBucketDigest` of the bucket. */
  readonly digest: string;
  /** Why the agent does not use it. */
  readonly problem?: string | undefined;
}

/** Calls of the cluster's owner. Kafka has no equivalent, so agents do not make them. */
export const ownerCalls = {
  /** Returns the live agents by id, with their last heartbeat. */
  listAgents: leaderCall<[], SeenAgent[]>(s.tuple(), { onRetry: 'reexecute' }),
  /** Returns the clients connected to each live agent, as of its last report. */
  listClients: leaderCall<[], AgentClients[]>(s.tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Returns the configs set on the cluster. Agents get them from the change stream instead. */
  clusterConfigs: query<[], Readonly<Record<string, string>>>(s.tuple(), { membersOnly: true }),
  /** Returns topics by id or name, `null` for those that do not exist. Reads no other topics. */
  describeTopics: query<[topics: readonly TopicReference[]], (TopicDescription | null)[]>(
    s.tuple(s.list(topicReference)),
    { membersOnly: true, splits: true },
  ),
  /** Returns topics with the first and end offsets of their partitions, omitting those that do not exist. */
  describePartitions: query<[topics: readonly TopicReference[]], TopicsWithEnds>(
    s.tuple(s.list(topicReference)),
    {
      membersOnly: true,
    },
  ),
  /** Counts the resources that the cluster has limits for. */
  countResources: query<[], ResourceCounts>(s.tuple(), { membersOnly: true }),
  /** Returns deleted topics that can be restored, the most recently deleted first. */
  listDeletedTopics: query<[], DeletedTopic[]>(s.tuple(), { membersOnly: true }),
  /**
   * Counts the records that retention would remove now, of topics whose retention differs before and after a change of
   * configs. A call counts a part, which takes some milliseconds.
   */
  estimateRetention: query<
    [request: RetentionEstimateRequest, from: RetentionEstimatePlace],
    RetentionEstimatePart
  >(s.tuple(retentionEstimateRequest, retentionEstimatePlace), { membersOnly: true }),
  /** Restores deleted topics with their records, configs and group offsets. Each has its own result. */
  restoreTopics: command<[topicIds: readonly string[]], TopicResult[]>(s.tuple(s.list(s.text)), {
    membersOnly: true,
  }),
  /** Creates a topic that begins with the records of another. No record is copied: both share the files. */
  cloneTopic: command<[request: TopicToClone], TopicCloneResult>(s.tuple(topicToClone), {
    membersOnly: true,
  }),
  /** Deletes topics and their data at once and irrevocably, regardless of the cluster's retention of deleted topics. */
  removeTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(s.tuple(s.list(topicReference)), {
    membersOnly: true,
  }),
  /**
   * Reports that an agent key was revoked: the secret by which agents authenticate each other is replaced once no
   * process with that key is connected.
   */
  replaceSecrets: leaderCall<[], void>(s.tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Changes configs like `alterConfigs`, including those that only owners may change. */
  alterOwnerConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(s.tuple(s.list(configsToAlter), mutationOptions), { membersOnly: true }),
};
