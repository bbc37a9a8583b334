import {
  type ErrorName,
  headerBytes,
  type RecordBatchView,
  type RecordError,
  rewriteAppendTime,
  rewriteMaxTimestamp,
  validateBatchRecords,
  validateProducedBatch,
} from '@weir/wire';
import type { TopicAuthors } from './authors/request-authors.ts';
import { type RecordLimits, signRecords } from './authors/sign-records.ts';
import { inflatedBytesEstimate, inflatedBytesMax } from './inflation.ts';
import type { BatchTransaction, ProducedBatch } from './produced-batch.ts';
import type { TopicRules } from './topic-rules.ts';

export interface BatchPlace {
  readonly topicId: string;
  readonly partition: number;
}

export interface CheckOptions {
  readonly rules: TopicRules;
  readonly allowsZstd: boolean;
  readonly nowMs: number;
  /** The transaction that batches of it belong to; absent in a request that names none. */
  readonly transaction?: BatchTransaction | undefined;
  /** Who wrote the records, when that is to be found in them or told in them. */
  readonly authors?: TopicAuthors | undefined;
}

export type CheckedBatch =
  | {
      readonly ok: true;
      readonly batch: ProducedBatch;
      /** -1 when the producer's times stay. */
      readonly logAppendTimeMs: number;
    }
  | {
      readonly ok: false;
      readonly error: ErrorName;
      readonly message: string;
      readonly recordErrors: readonly RecordError[];
    };

/**
 * Decides whether the records of one partition may be written, and makes them what will be stored: the header may be
 * corrected in place, or the batch be replaced by one with other headers of records. Records are decompressed only where a rule
 * cannot be judged without.
 */
export function checkBatch(
  records: Buffer | null,
  { topicId, partition }: BatchPlace,
  { rules, allowsZstd, nowMs, transaction, authors }: CheckOptions,
): CheckedBatch {
  const header = validateProducedBatch(records, { allowsZstd });
  if (!header.ok) return header;
  let view = header.batch;
  if (view.isTransactional && transaction === undefined) {
    return refuse(
      'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      'a batch of a transaction came in a request without a transactional id',
    );
  }
  if (view.producerId > BigInt(Number.MAX_SAFE_INTEGER)) {
    return refuse('INVALID_RECORD', `producerId is ${view.producerId}, which was never given out`);
  }

  let uncompressedBytes = inflatedBytesEstimate(view);
  const { recordBytesMax, requiresKeys, stampsAppendTime } = rules;
  if (authors !== undefined || requiresKeys || inflatedBytesMax(view) > recordBytesMax) {
    const walked = walkRecords(view, { recordBytesMax, requiresKeys }, authors);
    if (!walked.ok) return walked;
    view = walked.batch;
    uncompressedBytes = headerBytes + walked.recordsBytes;
    if (!stampsAppendTime && walked.maxTimestamp !== view.maxTimestamp) {
      rewriteMaxTimestamp(view.bytes, walked.maxTimestamp);
    }
  }
  if (stampsAppendTime) rewriteAppendTime(view.bytes, BigInt(nowMs));
  const logAppendTimeMs = stampsAppendTime ? nowMs : -1;
  const batch = produced(view, topicId, partition, uncompressedBytes, transaction);
  return { ok: true, batch, logAppendTimeMs };
}

function walkRecords(batch: RecordBatchView, limits: RecordLimits, authors: TopicAuthors | undefined) {
  if (authors !== undefined) return signRecords(batch, limits, authors);
  const summary = validateBatchRecords(batch, limits);
  return summary.ok ? { ...summary, batch } : summary;
}

function produced(
  view: RecordBatchView,
  topicId: string,
  partition: number,
  uncompressedBytes: number,
  transaction: BatchTransaction | undefined,
): ProducedBatch {
  const hasProducer = view.producerId >= 0n;
  return {
    topicId,
    partition,
    bytes: view.bytes,
    uncompressedBytes,
    recordCount: view.recordCount,
    maxTimestampMs: Number(view.maxTimestamp),
    producerId: hasProducer ? Number(view.producerId) : -1,
    producerEpoch: hasProducer ? view.producerEpoch : -1,
    baseSequence: hasProducer ? view.baseSequence : -1,
    transaction: transaction !== undefined && view.isTransactional ? transaction : undefined,
  };
}

function refuse(error: ErrorName, message: string): CheckedBatch {
  return { ok: false, error, message, recordErrors: [] };
}
