export interface JournalState {
  /** Increases with every change of leader. */
  readonly epoch: number;
  /** Number of durable entries. */
  readonly position: number;
}

/** Resources whose configs are key-value entries of the cluster. */
export const storedConfigKinds = ['group', 'clientMetrics', 'broker'] as const;
export type StoredConfigKind = (typeof storedConfigKinds)[number];

export const configResourceKinds = ['topic', 'cluster', ...storedConfigKinds] as const;
export type ConfigResourceKind = (typeof configResourceKinds)[number];

export interface StoredConfigResource {
  readonly kind: StoredConfigKind;
  readonly name: string;
}

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

/** Topics in the order of the query, partitions in ascending order within each. */
export interface LogSizes {
  /** One row per topic; 0 for a topic that does not exist. */
  readonly partitionCount: Uint32Array;
  /** One row per partition. */
  readonly byteCount: Float64Array;
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
