import {
  type BatchRejection,
  type ErrorName,
  headerBytes,
  RecordBatchView,
  type RecordError,
  rewriteAppendTime,
  rewriteMaxTimestamp,
  validateBatchRecords,
  validateBatchRecordsOffThread,
  validateProducedBatch,
} from '@weir/wire';
import { inflatedBytesEstimate, inflatedBytesMax } from '../inflation/inflated-size.ts';
import type { InflationBudget } from '../inflation/inflation-budget.ts';
import {
  type BatchSchemaCheck,
  recordWork,
  SchemasNeeded,
  WorkExceeded,
} from '../schema-validation/batch-schema-check.ts';
import type { TopicPrincipals } from './impersonation/request-principals.ts';
import {
  type RecordLimits,
  type StampedRecords,
  stampPrincipal,
  stampPrincipalOffThread,
  type UnstampedRecords,
} from './impersonation/stamp-principal.ts';
import type { BatchTransaction, ProducedBatch } from './produced-batch.ts';
import type { TopicRules } from './topic-rules.ts';

export interface BatchPlace {
  readonly topicId: string;
  readonly partition: number;
}

export interface CheckOptions {
  readonly rules: TopicRules;
  /** Budget of the whole request. */
  readonly budget: InflationBudget;
  readonly allowsZstd: boolean;
  /** As in `ProduceRules`. */
  readonly hasCheckedCrc?: boolean;
  readonly nowMs: number;
  /** The transaction of the request's transactional batches; absent if the request has no transactional id. */
  readonly transaction?: BatchTransaction | undefined;
  /** Impersonation rules of the topic; present if record headers name the principal or must be stamped with it. */
  readonly principals?: TopicPrincipals | undefined;
}

export type CheckedBatch =
  | {
      readonly ok: true;
      readonly batch: ProducedBatch;
      /** -1 if the producer's timestamps stay. */
      readonly logAppendTimeMs: number;
    }
  | {
      readonly ok: false;
      readonly error: ErrorName;
      readonly message: string;
      readonly recordErrors: readonly RecordError[];
    };

/** Result for a batch that inflates to more than the serving thread may inflate: call `checkBatchOffThread`. */
export const offThread = 'offThread';

/** Result for a batch whose records have schemas that must be fetched first. */
export const schemasNeeded = 'schemasNeeded';

/**
 * Validates the records of one partition and prepares the bytes to store: the header may be corrected in place, or the
 * batch replaced by one with other record headers. Records are decompressed only if a rule needs it, and only within
 * what the request may inflate on the serving thread.
 */
export function checkBatch(
  records: Buffer | null,
  place: BatchPlace,
  options: CheckOptions,
  schemas?: BatchSchemaCheck,
): CheckedBatch | typeof offThread {
  const view = begin(records, options);
  if (!(view instanceof RecordBatchView)) return view;
  const { rules, budget, principals } = options;
  if (schemas === undefined && !mustWalk(view, options)) return complete(view, undefined, place, options);
  const bytesMax = budget.bytesFor(rules.recordBytesMax);
  const atOnceBytes = Math.min(budget.atOnceBytes, bytesMax);
  if (bytesMax === 0) return usedUp;
  if (atOnceBytes === 0) return offThread;
  // Records that are not compressed cost the work of their check alone, which is known while it runs.
  const measuresWork = schemas !== undefined && principals === undefined && view.codec === 'none';
  if (measuresWork && view.recordCount * recordWork > atOnceBytes) return offThread;
  const outputBytesMax = measuresWork ? bytesMax : atOnceBytes;
  const limits = limitsOf(options, outputBytesMax, schemas);
  schemas?.limitWork(atOnceBytes);
  const walked = unlessInterrupted(schemas, () =>
    principals === undefined ? plainly(view, limits) : stampPrincipal(view, limits, principals),
  );
  const bytes =
    walked === interrupted
      ? Math.min(inflatedBytesMax(view), outputBytesMax)
      : costOf(view, walked, outputBytesMax);
  budget.spendAtOnce(
    bytes,
    view.sizeBytes,
    measuresWork ? schemas.work : Math.max(bytes, schemas?.work ?? 0),
  );
  if (walked === interrupted) return offThread;
  if (isTooLongAtOnce(walked) && bytesMax > atOnceBytes) return offThread;
  return decided(view, walked, place, options, schemas);
}

/**
 * Like `checkBatch`, for a batch that may not inflate on the serving thread; calls `pause` now and then. The caller
 * must not change the bytes before the promise settles. After `schemasNeeded`, load them and call it again.
 */
export async function checkBatchOffThread(
  records: Buffer | null,
  place: BatchPlace,
  options: CheckOptions,
  pause: () => Promise<void>,
  schemas?: BatchSchemaCheck,
): Promise<CheckedBatch | typeof schemasNeeded> {
  const view = begin(records, options);
  if (!(view instanceof RecordBatchView)) return view;
  const { rules, budget, principals } = options;
  const bytesMax = budget.bytesFor(rules.recordBytesMax);
  if (bytesMax === 0) return usedUp;
  const limits = limitsOf(options, bytesMax, schemas);
  schemas?.limitWork(Number.POSITIVE_INFINITY);
  let walked: Walked;
  try {
    walked =
      principals === undefined
        ? await plainOffThread(view, limits, pause)
        : await stampPrincipalOffThread(view, limits, principals, pause);
    if (walked.ok) schemas?.end();
  } catch (error) {
    if (!(error instanceof SchemasNeeded)) throw error;
    // Not charged to the request: each schema is fetched once, and the batch must not fail for it.
    return schemasNeeded;
  }
  budget.spend(costOf(view, walked, bytesMax), view.sizeBytes, schemas?.work);
  return decided(view, walked, place, options, schemas);
}

const interrupted = 'interrupted';

function unlessInterrupted(
  schemas: BatchSchemaCheck | undefined,
  walk: () => Walked,
): Walked | typeof interrupted {
  try {
    const walked = walk();
    if (walked.ok) schemas?.end();
    return walked;
  } catch (error) {
    if (error instanceof SchemasNeeded || error instanceof WorkExceeded) return interrupted;
    throw error;
  }
}

function decided(
  view: RecordBatchView,
  walked: Walked,
  place: BatchPlace,
  options: CheckOptions,
  schemas: BatchSchemaCheck | undefined,
): CheckedBatch {
  schemas?.count();
  if (!walked.ok) return walked;
  // Retriable: records are neither valid nor invalid as long as their schemas cannot be fetched.
  if (schemas?.unavailable !== undefined) return refuse('REQUEST_TIMED_OUT', schemas.unavailable);
  return complete(view, walked, place, options);
}

/** Returned without decompressing the batch. */
const usedUp = refuse('MESSAGE_TOO_LARGE', 'decompressed records of the request exceed the limit');

/** Returns the batch if its header is valid. */
function begin(
  records: Buffer | null,
  { rules, allowsZstd, hasCheckedCrc, transaction }: CheckOptions,
): RecordBatchView | (CheckedBatch & { readonly ok: false }) {
  const header = validateProducedBatch(records, { allowsZstd, hasCheckedCrc });
  if (!header.ok) return header;
  const view = header.batch;
  if (rules.isLightning === true && (view.producerId >= 0n || view.isTransactional)) {
    return refuse(
      'INVALID_REQUEST',
      'lightning topics take no idempotent and no transactional producers; set enable.idempotence=false',
    );
  }
  if (view.isTransactional && transaction === undefined) {
    return refuse(
      'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      'transactional batch in a request without a transactional id',
    );
  }
  if (view.producerId > BigInt(Number.MAX_SAFE_INTEGER)) {
    return refuse('INVALID_RECORD', `unknown producer id ${view.producerId}`);
  }
  return view;
}

function mustWalk(view: RecordBatchView, { rules, principals }: CheckOptions): boolean {
  return principals !== undefined || rules.requiresKeys || inflatedBytesMax(view) > rules.recordBytesMax;
}

function limitsOf(
  { rules: { recordBytesMax, requiresKeys } }: CheckOptions,
  outputBytesMax: number,
  schemas: BatchSchemaCheck | undefined,
): RecordLimits {
  const limits = { recordBytesMax, requiresKeys, outputBytesMax };
  if (schemas === undefined) return limits;
  return { ...limits, visit: schemas.visit, endsTurn: schemas.endsTurn };
}

/** Result of iterating over the records of a batch. */
type Walked = StampedRecords | UnstampedRecords | BatchRejection;

function plainly(batch: RecordBatchView, limits: RecordLimits): Walked {
  const summary = validateBatchRecords(batch, limits);
  return summary.ok ? { ...summary, batch } : summary;
}

async function plainOffThread(
  batch: RecordBatchView,
  limits: RecordLimits,
  pause: () => Promise<void>,
): Promise<Walked> {
  const summary = await validateBatchRecordsOffThread(batch, limits, pause);
  return summary.ok ? { ...summary, batch } : summary;
}

/** Bytes to take from the budget. If they were not counted, the most that the batch could have inflated to. */
function costOf(view: RecordBatchView, walked: Walked, outputBytesMax: number): number {
  if (walked.ok) return walked.recordsBytes;
  const countedBytes = 'inflatedBytes' in walked ? walked.inflatedBytes : undefined;
  return countedBytes ?? Math.min(inflatedBytesMax(view), outputBytesMax);
}

/**
 * A MESSAGE_TOO_LARGE without record errors is about the batch as a whole: a single record that is too large is listed.
 */
function isTooLongAtOnce(walked: Walked): boolean {
  return !walked.ok && walked.error === 'MESSAGE_TOO_LARGE' && walked.recordErrors.length === 0;
}

function complete(
  came: RecordBatchView,
  walked: StampedRecords | undefined,
  { topicId, partition }: BatchPlace,
  { rules: { stampsAppendTime, isLightning }, nowMs, transaction }: CheckOptions,
): CheckedBatch {
  const view = walked?.batch ?? came;
  const uncompressedBytes =
    walked === undefined ? inflatedBytesEstimate(view) : headerBytes + walked.recordsBytes;
  if (walked !== undefined && !stampsAppendTime && walked.maxTimestamp !== view.maxTimestamp) {
    rewriteMaxTimestamp(view.bytes, walked.maxTimestamp);
  }
  if (stampsAppendTime) rewriteAppendTime(view.bytes, BigInt(nowMs));
  const logAppendTimeMs = stampsAppendTime ? nowMs : -1;
  const batch = produced(view, topicId, partition, uncompressedBytes, transaction, isLightning);
  return { ok: true, batch, logAppendTimeMs };
}

function produced(
  view: RecordBatchView,
  topicId: string,
  partition: number,
  uncompressedBytes: number,
  transaction: BatchTransaction | undefined,
  isLightning: boolean | undefined,
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
    isLightning,
  };
}

function refuse(error: ErrorName, message: string): CheckedBatch & { readonly ok: false } {
  return { ok: false, error, message, recordErrors: [] };
}
