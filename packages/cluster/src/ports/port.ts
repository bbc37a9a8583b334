export type FilesToCommit = readonly FileCommit[] | (() => readonly FileCommit[]);

/** Returns the files of a commit. From here on the commit counts as sent, unless it fails with `CallNotDone`. */
export function filesToSend(files: FilesToCommit): readonly FileCommit[] {
  return typeof files === 'function' ? files() : files;
}

/** Batches of one file, as columns: row `i` of every column is batch `i`, in the order of the batches in the file. */
export interface FileCommit {
  /** 32 hex digits, chosen by the agent, ordered by time. */
  readonly fileId: string;
  readonly fileBytes: number;
  /** Topic ids that `topic` indexes. */
  readonly topicIds: readonly string[];
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  /** Position of the batch in the file. Batches of one partition are contiguous. */
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly recordCount: Uint32Array;
  readonly maxTimestampMs: Float64Array;
  /** -1 for a producer without an id. */
  readonly producerId: Float64Array;
  readonly producerEpoch: Int16Array;
  readonly baseSequence: Int32Array;
  /** Uncompressed bytes per entry of `topicIds`, as far as the agent knows them; for the partition auto-scaler. */
  readonly uncompressedBytes?: Float64Array | undefined;
  /** Absent when no batch is part of a transaction. */
  readonly transactions?: TransactionalBatches | undefined;
}

/** Transactional batches of a file, as columns with the rows of the file. */
export interface TransactionalBatches {
  /** Ids that `transaction` indexes. */
  readonly transactionalIds: readonly string[];
  /** Index into `transactionalIds`; -1 for a batch that is not transactional. */
  readonly transaction: Int32Array;
  /**
   * 1 for Produce v12 and later: the batch adds its partition to the transaction, and opens a transaction if none is
   * open. 0: the partition must already be part of the open transaction.
   */
  readonly addsPartition: Uint8Array;
}

/**
 * Results of a batch or of a query about a partition. The index is the code in columns and in the journal: new entries
 * may be appended; existing ones never move.
 */
export const entryErrors = [
  'NONE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'OFFSET_OUT_OF_RANGE',
  'INVALID_TXN_STATE',
  'INVALID_PRODUCER_ID_MAPPING',
] as const;

export type EntryError = (typeof entryErrors)[number];

/** Results of creating, changing or deleting a topic. */
export type TopicError =
  | 'NONE'
  | 'TOPIC_ALREADY_EXISTS'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  | 'UNKNOWN_TOPIC_ID'
  | 'INVALID_TOPIC_EXCEPTION'
  | 'INVALID_PARTITIONS'
  | 'INVALID_REPLICATION_FACTOR'
  | 'INVALID_CONFIG'
  | 'INVALID_REQUEST'
  | 'POLICY_VIOLATION'
  | 'TOPIC_DELETION_DISABLED';

/** Columns with one row per batch of the commit. */
export interface FileCommitResult {
  /** Indexes into `entryErrors`. */
  readonly error: Uint8Array;
  /** The offset of the first record; for a duplicate, the offset of the original append. -1 on error. */
  readonly baseOffset: Float64Array;
  readonly logStartOffset: Float64Array;
}

export interface BatchesQuery {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** Pointers are returned until their total bytes reach this limit; at least one, if any exist. */
  readonly bytesMax: number;
}

export interface BatchesAnswer {
  readonly error: EntryError;
  readonly logStartOffset: number;
  /** The offset after the last record; high watermark and log end offset are equal here. */
  readonly nextOffset: number;
  /** No record of an open transaction has a lower offset. At most `nextOffset`; never decreases. */
  readonly lastStableOffset: number;
  readonly pointers: Pointers;
  /** Aborted transactions between the requested offset and the end of `pointers`; absent if there are none. */
  readonly aborted?: AbortedTransactions | undefined;
}

/** Aborted transactions of one partition, ordered by first offset, as columns. */
export interface AbortedTransactions {
  readonly producerId: Float64Array;
  readonly firstOffset: Float64Array;
  /** The offset of the abort marker. */
  readonly lastOffset: Float64Array;
}

/**
 * Ranges of files that hold contiguous batches of one partition, in offset order, as columns. Batches are stored with
 * base offset 0: the first batch of a range gets the range's base offset, and each further one follows from the record
 * counts in the batch headers.
 *
 * Some rows are not file ranges but transaction markers: they take one offset, are in no file, and are generated from
 * `markers` when fetched. Their file id is empty, and their length is that of the generated batch.
 */
export interface Pointers {
  readonly fileId: readonly string[];
  readonly byteStart: Float64Array;
  readonly byteLength: Float64Array;
  readonly baseOffset: Float64Array;
  /** The offset after the range. */
  readonly nextOffset: Float64Array;
  /** Absent if no row is a transaction marker. */
  readonly markers?: Markers | undefined;
}

/** The rows of `Pointers` that are transaction markers, as columns with one row per marker. */
export interface Markers {
  /** Row numbers in the pointers, ascending. */
  readonly row: Uint32Array;
  /** 1 for a commit, 0 for an abort. */
  readonly isCommit: Uint8Array;
  readonly producerId: Float64Array;
  readonly producerEpoch: Int16Array;
  readonly timestampMs: Float64Array;
}

/** Length of the control batch generated for a marker. */
export const markerBytes = 78;
/** Constant: there is one coordinator, and coordination never moves to another. */
export const markerCoordinatorEpoch = 0;

export interface OffsetQuery {
  readonly topicId: string;
  readonly partition: number;
  /**
   * `first`: the first range whose latest timestamp is at least `timestampMs`. `latest`: the first range that contains
   * the latest timestamp of the partition.
   */
  readonly want: 'first' | 'latest';
  readonly timestampMs: number;
}

export interface OffsetAnswer {
  readonly error: EntryError;
  /** At most one range; the caller finds the exact record by reading it. */
  readonly pointers: Pointers;
}

export interface MutationOptions {
  readonly validateOnly: boolean;
}

export interface TopicToCreate {
  readonly name: string;
  /** -1 for the cluster's default. */
  readonly partitionCount: number;
  /** -1 or absent for the default. */
  readonly replicationFactor?: number | undefined;
  readonly configs: Readonly<Record<string, string>>;
}

export interface TopicReference {
  readonly topicId?: string;
  readonly name?: string;
}

export interface PartitionsToCreate {
  readonly name: string;
  /** The new total. */
  readonly partitionCount: number;
}

export interface TopicResult {
  readonly error: TopicError;
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
  /** The topic after the call (with `validateOnly`, as it would be); `undefined` on error and after a deletion. */
  readonly topic: TopicDescription | undefined;
}

/** Replication factor of topics that were created without one. Journals rely on it, so it must never change. */
export const usualReplicationFactor = 3;

export function replicationFactorOf({ replicationFactor }: TopicDescription): number {
  return replicationFactor ?? usualReplicationFactor;
}

export interface TopicDescription {
  readonly topicId: string;
  readonly name: string;
  readonly partitionCount: number;
  /**
   * The replication factor shown to tools; absent if it is `usualReplicationFactor`. The object store does the actual
   * replication.
   */
  readonly replicationFactor?: number;
  /** Configs set on this topic. Others have the cluster's value or the default. */
  readonly configs: Readonly<Record<string, string>>;
  readonly createdMs: number;
}

export interface AgentDescription {
  readonly agentId: string;
  /**
   * The broker id that clients see. The leader assigns it (node-ids/); the value in an agent's heartbeat matters only
   * to leaders of earlier releases.
   */
  readonly nodeId: number;
  readonly host: string;
  readonly kafkaPort: number;
  /** URL from which other agents fetch pages. */
  readonly internalUrl: string;
  readonly zone: string;
  readonly group: string;
  readonly roles: readonly string[];
  readonly release: string;
  readonly cpuCount: number;
  /** 0 to 1. */
  readonly cpuLoad: number;
}

export interface ShutdownLockRequest {
  readonly agentId: string;
  readonly group: string;
  /** The agent already holds the lock and renews it. */
  readonly hasIt: boolean;
}

export interface ClusterFollower {
  onSnapshot(snapshot: ClusterSnapshot): void;
  onChanges(changes: readonly ClusterChange[]): void;
  /**
   * Called when a connection to a control-plane process, possibly a different one, is established. The follower must
   * resend everything whose effect ends with the connection. An in-process port never calls it.
   */
  onConnected?(): void;
}

export interface ClusterSnapshot {
  readonly clusterId: string;
  readonly clusterConfigs: Readonly<Record<string, string>>;
  readonly topics: readonly TopicDescription[];
  /** Partition ends as columns: topics in the order of `topics`, partitions in ascending order within each. */
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly lastStableOffset: Float64Array;
  readonly agents: readonly AgentDescription[];
  /** The key-value entries that agents need: hundreds or thousands of small ones. */
  readonly records: readonly MetadataEntry[];
  /** The term of the leader that sent the snapshot. */
  readonly term?: number | undefined;
}

/**
 * A small value that is not part of a log, such as a quota or a credential. The code that uses a namespace defines its
 * format.
 */
export interface MetadataEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Uint8Array;
}

export type ClusterChange =
  | { readonly kind: 'topic'; readonly topic: TopicDescription }
  /** A key-value entry that was put or, with `null`, removed. */
  | {
      readonly kind: 'record';
      readonly namespace: string;
      readonly key: string;
      readonly value: Uint8Array | null;
    }
  | { readonly kind: 'topicDeleted'; readonly topicId: string; readonly name: string }
  /** A restored topic, with the ends of its partitions as columns. */
  | {
      readonly kind: 'topicRestored';
      readonly topic: TopicDescription;
      readonly logStartOffset: Float64Array;
      readonly nextOffset: Float64Array;
      readonly lastStableOffset: Float64Array;
    }
  | { readonly kind: 'agents'; readonly agents: readonly AgentDescription[] }
  | {
      readonly kind: 'appended';
      readonly topicId: string;
      readonly partition: number;
      /** Data ranges or transaction markers. */
      readonly pointers: Pointers;
      /**
       * The last stable offset after these pointers. It advances with appends (a marker is one) and is never below the
       * log start.
       */
      readonly lastStableOffset: number;
      /** Transactions that these pointers aborted; absent if there are none. */
      readonly aborted?: AbortedTransactions | undefined;
    }
  /** All configs set on the cluster, as of now. */
  | { readonly kind: 'clusterConfigs'; readonly configs: Readonly<Record<string, string>> }
  /**
   * Logs whose start offset rose. Records below it can no longer be read and no longer hold back the last stable
   * offset.
   */
  | {
      readonly kind: 'logStarts';
      readonly topicId: string;
      /** Columns with one row per partition that moved. */
      readonly partition: Uint32Array;
      readonly logStartOffset: Float64Array;
    };

/** The control plane is unreachable or has no leader at the moment. A retry may succeed. */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable';
}

/** The call was not and will not be executed: every process that it reached refused it before doing anything. */
export class CallNotDone extends ClusterUnavailable {}

/** Interval between heartbeats of an agent. */
export const heartbeatIntervalMs = 2_000;
/** An agent without a heartbeat for this long is considered gone. */
export const agentSilenceMsMax = 9_000;
/** A shutdown lock is released when its agent is silent for this long. */
export const shutdownLeaseMs = agentSilenceMsMax;
