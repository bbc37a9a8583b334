import { flag, list, nullable, number, object, oneOf, text, tuple, whole } from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { type MutationOptions, mutationOptions } from './topic-calls.ts';

/** Resources whose configs are key-value entries of the cluster. */
const storedConfigKinds = ['group', 'clientMetrics', 'broker'] as const;

export type StoredConfigKind = (typeof storedConfigKinds)[number];

export interface StoredConfigResource {
  readonly kind: StoredConfigKind;
  readonly name: string;
}

const configResourceKinds = ['topic', 'cluster', ...storedConfigKinds] as const;

export type ConfigResourceKind = (typeof configResourceKinds)[number];

export const configOperations = ['set', 'delete', 'append', 'subtract'] as const;

type ConfigOperation = (typeof configOperations)[number];

export interface ConfigChange {
  readonly name: string;
  readonly operation: ConfigOperation;
  /** `null` in a `delete` only. */
  readonly value: string | null;
}

export interface ConfigsToAlter {
  readonly kind: ConfigResourceKind;
  /** The name of the topic, group or subscription, the node id of the broker; empty for the cluster. */
  readonly name: string;
  /** Unsets every config that `changes` does not name, as AlterConfigs does. */
  readonly replacesAll: boolean;
  readonly changes: readonly ConfigChange[];
}

export const configsToAlter = object<ConfigsToAlter>({
  kind: oneOf(...configResourceKinds),
  name: text,
  replacesAll: flag,
  changes: list(
    object<ConfigChange>({ name: text, operation: oneOf(...configOperations), value: nullable(text) }),
  ),
});

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

export interface RecordsToDelete {
  readonly topicId: string;
  readonly partition: number;
  /** The new log start offset; -1 for the end of the log. */
  readonly offset: number;
}

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
  >(tuple(list(configsToAlter), mutationOptions), { splits: true, hasCostlyEntries: true }),
  /**
   * Returns the configs set on groups, client-metrics subscriptions and individual brokers. Configs of topics and of
   * the cluster are in the change stream.
   */
  describeConfigs: query<[resources: readonly StoredConfigResource[]], Readonly<Record<string, string>>[]>(
    tuple(list(object<StoredConfigResource>({ kind: oneOf(...storedConfigKinds), name: text }))),
    { splits: true },
  ),
  /** Returns the names of the groups, subscriptions or brokers that have configs. */
  listConfigResources: query<[kind: StoredConfigKind], string[]>(tuple(oneOf(...storedConfigKinds))),
  /** Raises log start offsets. Records below them can no longer be read. */
  deleteRecords: command<[partitions: readonly RecordsToDelete[]], DeleteRecordsResult[]>(
    tuple(list(object<RecordsToDelete>({ topicId: text, partition: whole, offset: number }))),
    { splits: true },
  ),
  /** Returns the bytes in log files per partition, for at most `clusterLimits.logSizesPerCallMax` topics. */
  logSizes: query<[topicIds: readonly string[]], LogSizes>(tuple(list(text))),
  /**
   * Returns the number of files with readable records by compaction level; index 0 counts files as agents wrote them.
   */
  countFiles: query<[], readonly number[]>(tuple()),
  /** Returns epoch and position of the cluster's journal. */
  describeJournal: leaderCall<[], JournalState>(tuple(), { onRetry: 'reexecute' }),
};
