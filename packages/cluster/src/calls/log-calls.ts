import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import type { AbortedTransactions, Pointers } from './pointers.ts';

export type FilesToCommit = readonly FileCommit[] | (() => readonly FileCommit[]);

/** Returns the files of a commit. From here on the commit counts as sent, unless it fails with `CallNotDone`. */
export function filesToSend(files: FilesToCommit): readonly FileCommit[] {
  return typeof files === 'function' ? files() : files;
}

/** Transactional batches of a file, as columns with the rows of the file. */
const transactionalBatches = s.struct({
  /** Ids that `transaction` indexes. */
  transactionalIds: s.list(s.text),
  /** Index into `transactionalIds`; -1 for a batch that is not transactional. */
  transaction: s.column(Int32Array),
  /**
   * 1 for Produce v12 and later: the batch adds its partition to the transaction, and opens a transaction if none is
   * open. 0: the partition must already be part of the open transaction.
   */
  addsPartition: s.column(Uint8Array),
});
export type TransactionalBatches = s.TypeOf<typeof transactionalBatches>;

/** The columns that have a row for each batch of a file, as `topic` does. */
export const fileCommitColumns = [
  'partition',
  'byteStart',
  'byteLength',
  'recordCount',
  'maxTimestampMs',
  'producerId',
  'producerEpoch',
  'baseSequence',
] as const;

/** Batches of one file, as columns: row `i` of every column is batch `i`, in the order of the batches in the file. */
const fileCommit = s.equallyLong(
  s.struct({
    /** 32 hex digits, chosen by the agent, ordered by time. */
    fileId: s.text,
    fileBytes: s.whole,
    /** Topic ids that `topic` indexes. */
    topicIds: s.list(s.text),
    topic: s.column(Uint32Array),
    partition: s.column(Uint32Array),
    /** Position of the batch in the file. Batches of one partition are contiguous. */
    byteStart: s.column(Uint32Array),
    byteLength: s.column(Uint32Array),
    recordCount: s.column(Uint32Array),
    maxTimestampMs: s.column(Float64Array),
    /** -1 for a producer without an id. */
    producerId: s.column(Float64Array),
    producerEpoch: s.column(Int16Array),
    baseSequence: s.column(Int32Array),
    /** Uncompressed bytes per entry of `topicIds`, as far as the agent knows them; for the partition auto-scaler. */
    uncompressedBytes: s.optional(s.column(Float64Array)),
    /** Absent when no batch is part of a transaction. */
    transactions: s.optional(s.equallyLong(transactionalBatches, 'transaction', 'addsPartition')),
  }),
  'topic',
  ...fileCommitColumns,
);
/** A whole log file, for a journal that stores files together with their commits. */
export interface FileContent {
  readonly key: string;
  /** Must not be changed before the commit is answered. */
  readonly slices: readonly Uint8Array[];
}

export type FileCommit = s.TypeOf<typeof fileCommit> & {
  /** Absent if the bucket has the file. Set only within a process whose journal stores it: it is not sent to others. */
  readonly content?: FileContent | undefined;
};

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
  /** The file of the batch is deleted or too old to be committed: the batch has to be written again. */
  'KAFKA_STORAGE_ERROR',
  /** A migration writes to the topic, and clients only read. */
  'POLICY_VIOLATION',
  /** The topic is being cut over from another cluster: the batch has to be written again. */
  'NOT_LEADER_OR_FOLLOWER',
] as const;

export type EntryError = (typeof entryErrors)[number];

/** Columns with one row per batch of the commit. */
export interface FileCommitResult {
  /** Indexes into `entryErrors`. */
  readonly error: Uint8Array;
  /** The offset of the first record; for a duplicate, the offset of the original append. -1 on error. */
  readonly baseOffset: Float64Array;
  readonly logStartOffset: Float64Array;
}

const batchesQuery = s.struct({
  topicId: s.text,
  partition: s.whole,
  offset: s.whole,
  /** Pointers are returned until their total bytes reach this limit; at least one, if any exist. */
  bytesMax: s.number,
});
export type BatchesQuery = s.TypeOf<typeof batchesQuery>;

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

const offsetQuery = s.struct({
  topicId: s.text,
  partition: s.whole,
  /**
   * `first`: the first range whose latest timestamp is at least `timestampMs`. `latest`: the first range that contains
   * the latest timestamp of the partition.
   */
  want: s.oneOf('first', 'latest'),
  timestampMs: s.number,
});
export type OffsetQuery = s.TypeOf<typeof offsetQuery>;

export interface OffsetAnswer {
  readonly error: EntryError;
  /** At most one range; the caller finds the exact record by reading it. */
  readonly pointers: Pointers;
  /** For `latest`: the timestamp itself. Absent without records, and in answers of leaders of earlier releases. */
  readonly latestTimestampMs?: number | undefined;
}

/** Calls about the logs of partitions. */
export const logCalls = {
  /**
   * Assigns offsets to the batches of durable files, file by file and batch by batch, in the given order. A file is
   * committed once: a repeated file id returns the first answer.
   *
   * If the files are passed as a function, it is called at most once, when the call first leaves this process. A call
   * that fails before that has done nothing. If the function returns no files, the answer is an empty list and nothing
   * is sent.
   */
  commitFiles: leaderCall<[files: FilesToCommit], FileCommitResult[]>(s.tuple(s.list(fileCommit)), {
    onRetry: 'dedupe-in-process',
  }),
  /** Finds the file ranges of partitions from an offset on. */
  findBatches: query<[queries: readonly BatchesQuery[]], BatchesAnswer[]>(s.tuple(s.list(batchesQuery)), {
    splits: true,
  }),
  /** Finds the stored range that answers a ListOffsets request. */
  findOffsets: query<[queries: readonly OffsetQuery[]], OffsetAnswer[]>(s.tuple(s.list(offsetQuery)), {
    splits: true,
  }),
  /** Allocates `count` producer ids that are never allocated again; returns the first. */
  allocateProducerIds: command<[count: number], number>(s.tuple(s.whole)),
};
