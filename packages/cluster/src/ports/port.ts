export type FilesToCommit = readonly FileCommit[] | (() => readonly FileCommit[]);

/** Asks for the files of a commit. From here on it counts as sent, unless it fails with `CallNotDone`. */
export function filesToSend(files: FilesToCommit): readonly FileCommit[] {
  return typeof files === 'function' ? files() : files;
}

/** Batches of one file, as columns: row `i` of every column is batch `i`. Batches lie in the file in this order. */
export interface FileCommit {
  /** 32 hex digits, chosen by the agent, ordered by time. */
  readonly fileId: string;
  readonly fileBytes: number;
  /** The topics that the rows point to. */
  readonly topicIds: readonly string[];
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  /** Where the batch lies in the file. Batches of one partition are contiguous. */
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly recordCount: Uint32Array;
  readonly maxTimestampMs: Float64Array;
  /** -1 for a producer without an id. */
  readonly producerId: Float64Array;
  readonly producerEpoch: Int16Array;
  readonly baseSequence: Int32Array;
  /** The bytes of each of `topicIds` before compression, as far as the agent knows them; for the partition auto-scaler. */
  readonly uncompressedBytes?: Float64Array | undefined;
  /** Absent when no batch is part of a transaction. */
  readonly transactions?: TransactionalBatches | undefined;
}

/** Which batches of a file are part of a transaction, as columns beside those of the file. */
export interface TransactionalBatches {
  /** The ids that the rows point to. */
  readonly transactionalIds: readonly string[];
  /** A position in `transactionalIds`, or -1 for a batch that is not transactional. */
  readonly transaction: Int32Array;
  /**
   * 1 for Produce v12 and later: the partition joins the transaction by itself, and opens one when none is open. 0 when it has to
   * be part of the open transaction already.
   */
  readonly addsPartition: Uint8Array;
}

/**
 * What can become of a batch or of a question about a partition. The order is the code in columns and in the journal: entries
 * may be appended and never moved.
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

/** What can become of a topic that is to be made, changed or deleted. */
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
  /** Positions in `entryErrors`. */
  readonly error: Uint8Array;
  /** The offset of the first record; for a duplicate, the one it was given first. -1 on error. */
  readonly baseOffset: Float64Array;
  readonly logStartOffset: Float64Array;
}

export interface BatchesQuery {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** Pointers are returned until their bytes reach this; at least one when there is any. */
  readonly bytesMax: number;
}

export interface BatchesAnswer {
  readonly error: EntryError;
  readonly logStartOffset: number;
  /** The offset behind the last record; high watermark and log end are the same here. */
  readonly nextOffset: number;
  /** Before it there is no record of a transaction that is still open. At most `nextOffset`; it never moves back. */
  readonly lastStableOffset: number;
  readonly pointers: Pointers;
  /** What of the range from the asked offset to the end of `pointers` was aborted; absent when nothing was. */
  readonly aborted?: AbortedTransactions | undefined;
}

/** Transactions of one partition that were aborted, by their first offset, as columns. */
export interface AbortedTransactions {
  readonly producerId: Float64Array;
  readonly firstOffset: Float64Array;
  /** The offset of the marker. */
  readonly lastOffset: Float64Array;
}

/**
 * Ranges of files that hold contiguous batches of one partition, in offset order, as columns. Batches lie in the file with
 * base offset 0: the first batch of a range has the range's base offset and each further one follows from the counts
 * in the batch headers.
 *
 * Some rows are no ranges of files but ends of transactions: they take one offset, lie in no file and are made when they are
 * fetched, from what `markers` says. Their file id is empty, and their length is that of the batch that they become.
 */
export interface Pointers {
  readonly fileId: readonly string[];
  readonly byteStart: Float64Array;
  readonly byteLength: Float64Array;
  readonly baseOffset: Float64Array;
  /** The offset behind the range. */
  readonly nextOffset: Float64Array;
  /** Absent when no row is the end of a transaction. */
  readonly markers?: Markers | undefined;
}

/** The rows of `Pointers` that are ends of transactions, as columns with one row for each of them. */
export interface Markers {
  /** The rows of the pointers, counted up. */
  readonly row: Uint32Array;
  /** 1 for a commit, 0 for an abort. */
  readonly isCommit: Uint8Array;
  readonly producerId: Float64Array;
  readonly producerEpoch: Int16Array;
  readonly timestampMs: Float64Array;
}

/** The length of the batch that a marker becomes. */
export const markerBytes = 78;
/** There is one coordinator, which never moves. */
export const markerCoordinatorEpoch = 0;

export interface OffsetQuery {
  readonly topicId: string;
  readonly partition: number;
  /** `first`: the first range whose latest timestamp is at least `timestampMs`. `latest`: the first that has the latest. */
  readonly want: 'first' | 'latest';
  readonly timestampMs: number;
}

export interface OffsetAnswer {
  readonly error: EntryError;
  /** At most one range; the exact record is found by reading it. */
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
  /** The topic as it is afterwards (or would be); `undefined` on error and after a deletion. */
  readonly topic: TopicDescription | undefined;
}

/** What topics have that were made without a replication factor. Journals rest on it, so that it never changes. */
export const usualReplicationFactor = 3;

export function replicationFactorOf({ replicationFactor }: TopicDescription): number {
  return replicationFactor ?? usualReplicationFactor;
}

export interface TopicDescription {
  readonly topicId: string;
  readonly name: string;
  readonly partitionCount: number;
  /** How many replicas tools are shown; absent where it is `usualReplicationFactor`. Object storage does the replication. */
  readonly replicationFactor?: number;
  /** What was set for this topic; what is not here has the cluster's value or the default. */
  readonly configs: Readonly<Record<string, string>>;
  readonly createdMs: number;
}

export interface AgentDescription {
  readonly agentId: string;
  /**
   * The node id that clients see. The leader gives it out (node-ids/), and what an agent says in its heartbeats counts only for leaders of
   * earlier releases.
   */
  readonly nodeId: number;
  readonly host: string;
  readonly kafkaPort: number;
  /** Where other agents fetch pages. */
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
  /** The agent was given the lock before and keeps it. */
  readonly hasIt: boolean;
}

export interface ClusterFollower {
  onSnapshot(snapshot: ClusterSnapshot): void;
  onChanges(changes: readonly ClusterChange[]): void;
  /**
   * There is a connection to a process of the control plane, which may be another one than before. What was said over the last one for as long as
   * it lasts is to be said again. A port in this process never calls it.
   */
  onConnected?(): void;
}

export interface ClusterSnapshot {
  readonly clusterId: string;
  readonly clusterConfigs: Readonly<Record<string, string>>;
  readonly topics: readonly TopicDescription[];
  /** Partition ends as columns, topics in the order of `topics` and partitions counted up within each. */
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly lastStableOffset: Float64Array;
  readonly agents: readonly AgentDescription[];
  /** The records of the cluster that agents have to know; some hundreds or thousands of small ones. */
  readonly records: readonly MetadataEntry[];
  /** The term of the leader that gave it. */
  readonly term?: number | undefined;
}

/** A small value that something other than the log decided: a quota, a credential. What it means is said where it is used. */
export interface MetadataEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Uint8Array;
}

export type ClusterChange =
  | { readonly kind: 'topic'; readonly topic: TopicDescription }
  /** A record that was put or, with `null`, removed. */
  | {
      readonly kind: 'record';
      readonly namespace: string;
      readonly key: string;
      readonly value: Uint8Array | null;
    }
  | { readonly kind: 'topicDeleted'; readonly topicId: string; readonly name: string }
  /** A deleted topic that is back, with the ends of its partitions as columns. */
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
      /** Records, or ends of transactions. */
      readonly pointers: Pointers;
      /** After all of it. It moves with an append, which the end of a transaction is, and is never before the start of the log. */
      readonly lastStableOffset: number;
      /** Transactions that ended with these pointers and were aborted; absent when there are none. */
      readonly aborted?: AbortedTransactions | undefined;
    }
  /** All configs that are set for the cluster, as they are now. */
  | { readonly kind: 'clusterConfigs'; readonly configs: Readonly<Record<string, string>> }
  /** Logs that begin later than before. What lies before their start cannot be read any more; nor is it unstable. */
  | {
      readonly kind: 'logStarts';
      readonly topicId: string;
      /** Columns with one row per partition that moved. */
      readonly partition: Uint32Array;
      readonly logStartOffset: Float64Array;
    };

/** The control plane cannot be reached or has no leader just now. Trying again later may help. */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable';
}

/** Nothing of the call was done, nor will be: every process that it reached refused it before it did anything. */
export class CallNotDone extends ClusterUnavailable {}

/** Agents say that they live this often. */
export const heartbeatIntervalMs = 2_000;
/** An agent that was silent for this long is gone. */
export const agentSilenceMsMax = 9_000;
/** A lock of an agent that was not heard of for this long is free. */
export const shutdownLeaseMs = agentSilenceMsMax;
