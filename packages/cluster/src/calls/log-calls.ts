import {
  column,
  equallyLong,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  tuple,
  whole,
} from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import type { AbortedTransactions, Pointers } from './pointers.ts';

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

const fileCommit = equallyLong(
  object<FileCommit>({
    fileId: text,
    fileBytes: whole,
    topicIds: list(text),
    topic: column(Uint32Array),
    partition: column(Uint32Array),
    byteStart: column(Uint32Array),
    byteLength: column(Uint32Array),
    recordCount: column(Uint32Array),
    maxTimestampMs: column(Float64Array),
    producerId: column(Float64Array),
    producerEpoch: column(Int16Array),
    baseSequence: column(Int32Array),
    uncompressedBytes: optional(column(Float64Array)),
    transactions: optional(
      equallyLong(
        object<TransactionalBatches>({
          transactionalIds: list(text),
          transaction: column(Int32Array),
          addsPartition: column(Uint8Array),
        }),
        'transaction',
        'addsPartition',
      ),
    ),
  }),
  'topic',
  'partition',
  'byteStart',
  'byteLength',
  'recordCount',
  'maxTimestampMs',
  'producerId',
  'producerEpoch',
  'baseSequence',
);

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
  commitFiles: leaderCall<[files: FilesToCommit], FileCommitResult[]>(tuple(list(fileCommit)), {
    onRetry: 'dedupe-in-process',
  }),
  /** Finds the file ranges of partitions from an offset on. */
  findBatches: query<[queries: readonly BatchesQuery[]], BatchesAnswer[]>(
    tuple(list(object<BatchesQuery>({ topicId: text, partition: whole, offset: whole, bytesMax: number }))),
    { splits: true },
  ),
  /** Finds the stored range that answers a ListOffsets request. */
  findOffsets: query<[queries: readonly OffsetQuery[]], OffsetAnswer[]>(
    tuple(
      list(
        object<OffsetQuery>({
          topicId: text,
          partition: whole,
          want: oneOf('first', 'latest'),
          timestampMs: number,
        }),
      ),
    ),
    { splits: true },
  ),
  /** Allocates `count` producer ids that are never allocated again; returns the first. */
  allocateProducerIds: command<[count: number], number>(tuple(whole)),
};
