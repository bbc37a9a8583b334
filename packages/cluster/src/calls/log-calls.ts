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

/** The calls about what the logs of partitions hold. */
export const logCalls = {
  /**
   * Assigns offsets to the batches of files that are durable, file by file and batch by batch, in the order given. A file is
   * committed once: a repeated file id gets the first answer again.
   *
   * Files that are given as a function are asked for when the call leaves this process for the first time, at most once. A call
   * that fails before has certainly done nothing. If there are none by then, the answer is an empty list and nothing is sent.
   */
  commitFiles: leaderCall<[files: FilesToCommit], FileCommitResult[]>(tuple(list(fileCommit)), {
    onRetry: 'dedupe-in-process',
  }),
  /** Where the batches of partitions lie from an offset on. */
  findBatches: query<[queries: readonly BatchesQuery[]], BatchesAnswer[]>(
    tuple(list(object<BatchesQuery>({ topicId: text, partition: whole, offset: whole, bytesMax: number }))),
    { splits: true },
  ),
  /** Which stored range answers a ListOffsets question. */
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
  /** Hands out `count` producer ids that are never given out again; returns the first. */
  allocateProducerIds: command<[count: number], number>(tuple(whole)),
};
