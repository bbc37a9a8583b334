import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { type MutationOptions, mutationOptions } from './topic-calls.ts';

/** Resources whose configs are key-value entries of the cluster. */
const storedConfigKinds = ['group', 'clientMetrics', 'broker'] as const;

export type StoredConfigKind = (typeof storedConfigKinds)[number];

const storedConfigResource = s.struct({
  kind: s.oneOf(...storedConfigKinds),
  name: s.text,
});
export type StoredConfigResource = s.TypeOf<typeof storedConfigResource>;

const configResourceKinds = ['topic', 'cluster', ...storedConfigKinds] as const;

export type ConfigResourceKind = (typeof configResourceKinds)[number];

export const configOperations = ['set', 'delete', 'append', 'subtract'] as const;

const configChange = s.struct({
  name: s.text,
  operation: s.oneOf(...configOperations),
  /** `null` in a `delete` only. */
  value: s.nullable(s.text),
});
export type ConfigChange = s.TypeOf<typeof configChange>;

const configsToAlterShape = s.struct({
  kind: s.oneOf(...configResourceKinds),
  /** The name of the topic, group or subscription, the node id of the broker; empty for the cluster. */
  name: s.text,
  /** Unsets every config that `changes` does not name, as AlterConfigs does. */
  replacesAll: s.flag,
  changes: s.list(configChange),
});
export type ConfigsToAlter = s.TypeOf<typeof configsToAlterShape>;

export const configsToAlter = configsToAlterShape;

export type AlterConfigsError =
  | 'NONE'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  | 'INVALID_CONFIG'
  | 'INVALID_REQUEST'
  | 'POLICY_VIOLATION';

/** Narrows an error for callers that must distinguish cases for which Kafka has one error code. */
export type AlterConfigsReason = 'COMPACTION_CHANGE';

export interface AlterConfigsResult {
  readonly error: AlterConfigsError;
  /** Absent when the error is specific enough, and in answers of leaders of earlier releases. */
  readonly reason?: AlterConfigsReason | undefined;
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
  /** The configs of the resource after the change (with `validateOnly`, as they would be); `undefined` on error. */
  readonly configs: Readonly<Record<string, string>> | undefined;
}

const recordsToDelete = s.struct({
  topicId: s.text,
  partition: s.whole,
  /** The new log start offset; -1 for the end of the log. */
  offset: s.number,
});
export type RecordsToDelete = s.TypeOf<typeof recordsToDelete>;

export interface DeleteRecordsResult {
  readonly error:
    | 'NONE'
    | 'UNKNOWN_TOPIC_ID'
    | 'UNKNOWN_TOPIC_OR_PARTITION'
    | 'OFFSET_OUT_OF_RANGE'
    | 'POLICY_VIOLATION';
  /** The log start offset after the call; -1 on error. */
  readonly logStartOffset: number;
}

/** Topics in the order of the query, partitions in ascending order within each. */
export interface LogSizes {
  /** One row per topic; 0 for a topic that does not exist. */
  readonly partitionCount: Uint32Array;
  /** One row per partition. */
  readonly byteCount: Float64Array;
}

export interface JournalState {
  /** Increases with every change of leader. */
  readonly epoch: number;
  /** Number of durable entries. */
  readonly position: number;
}

/** Calls of administrators. */
export const adminCalls = {
  /** Changes configs. The changes of one resource are atomic; each resource has its own result. */
  alterConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(s.tuple(s.list(configsToAlter), mutationOptions), { splits: true, hasCostlyEntries: true }),
  /**
   * Returns the configs set on groups, client-metrics subscriptions and individual brokers. Configs of topics and of
   * the cluster are in the change stream.
   */
  describeConfigs: query<[resources: readonly StoredConfigResource[]], Readonly<Record<string, string>>[]>(
    s.tuple(s.list(storedConfigResource)),
    { splits: true },
  ),
  /** Returns the names of the groups, subscriptions or brokers that have configs. */
  listConfigResources: query<[kind: StoredConfigKind], string[]>(s.tuple(s.oneOf(...storedConfigKinds))),
  /** Raises log start offsets. Records below them can no longer be read. */
  deleteRecords: command<[partitions: readonly RecordsToDelete[]], DeleteRecordsResult[]>(
    s.tuple(s.list(recordsToDelete)),
    { splits: true },
  ),
  /** Returns the bytes in log files per partition, for at most `clusterLimits.logSizesPerCallMax` topics. */
  logSizes: query<[topicIds: readonly string[]], LogSizes>(s.tuple(s.list(s.text))),
  /**
   * Returns the number of files with readable records by compaction level; index 0 counts files as agents wrote them.
   */
  countFiles: query<[], readonly number[]>(s.tuple()),
  /** Returns epoch and position of the cluster's journal. */
  describeJournal: leaderCall<[], JournalState>(s.tuple(), { onRetry: 'reexecute' }),
};
