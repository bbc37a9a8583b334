import type {
  BatchesAnswer,
  BatchesQuery,
  FileCommit,
  FileCommitResult,
  FilesToCommit,
  OffsetAnswer,
  OffsetQuery,
  TransactionalBatches,
} from '../ports/port.ts';
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
