import {
  type CompressionCodec,
  RecordBatchBuilder,
  type RecordBatchFields,
  type RecordBatchView,
  RecordCursor,
  readControlRecord,
} from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import type { OffsetMap } from './offset-map.ts';

export interface FilterRules {
  readonly latest: Pick<OffsetMap, 'get'>;
  /** Records from here on are kept: the map does not know their keys. */
  readonly cleanOffset: number;
  readonly nowMs: number;
  readonly deleteRetentionMs: number;
}

/** What is known about a batch beside its bytes. */
interface BatchContext {
  /** The header of a batch of level 0 does not have it. */
  readonly baseOffset: number;
  /** Its transaction was aborted, or it is a marker without batches. */
  readonly isDiscardable: boolean;
  /** Whether tombstones and markers whose time is over may go. */
  readonly mayExpire: boolean;
}

/** What becomes of a batch: it goes, stays byte for byte, or is replaced. */
export type FilteredBatch =
  | { readonly kind: 'removed' }
  | { readonly kind: 'kept'; readonly recordCount: number }
  | { readonly kind: 'rebuilt'; readonly bytes: Buffer; readonly recordCount: number };

const timestampMax = 2n ** 63n - 1n;
const removed: FilteredBatch = { kind: 'removed' };

/**
 * Removes the records of a batch that compaction of keys removes, by the rules of Apache Kafka's log cleaner. A rebuilt
 * batch keeps its offsets, producer, sequence, codec and type of timestamps. Throws `DecodeError` for a malformed one.
 *
 * A tombstone, or a marker of which nothing else is left, gets the time of its removal when it is first seen: the
 * *delete horizon*, which replaces the base timestamp of the batch.
 */
export function filterBatch(
  batch: RecordBatchView,
  context: BatchContext,
  rules: FilterRules,
): FilteredBatch {
  if (batch.isControl) return filterMarker(batch, context, rules);
  if (context.isDiscardable || batch.recordCount === 0) return removed;
  const cursor = new RecordCursor(batch, wireLimits.decompressedBatchBytesMax);
  const isKept = new Uint8Array(Math.min(batch.recordCount, cursor.totalBytes));
  let keptCount = 0;
  let hasTombstones = false;
  while (cursor.next()) {
    if (!keepsRecord(batch, cursor, context, rules)) continue;
    isKept[cursor.index] = 1;
    keptCount++;
    if (cursor.value === null) hasTombstones = true;
  }
  if (keptCount === 0) return removed;
  const needsHorizon = hasTombstones && batch.deleteHorizon === undefined;
  if (keptCount === batch.recordCount && !needsHorizon) return { kind: 'kept', recordCount: keptCount };
  const builder = new RecordBatchBuilder({
    ...fieldsOf(batch),
    ...horizonField(needsHorizon ? horizonOf(rules) : batch.deleteHorizon),
    expectedBytes: cursor.totalBytes,
  });
  const again = new RecordCursor(batch, wireLimits.decompressedBatchBytesMax, cursor.decompressed);
  while (again.next()) if (isKept[again.index] === 1) builder.copy(again);
  return { kind: 'rebuilt', bytes: builder.finish(), recordCount: keptCount };
}

function keepsRecord(
  batch: RecordBatchView,
  record: RecordCursor,
  { baseOffset, mayExpire }: BatchContext,
  { latest, cleanOffset, nowMs }: FilterRules,
): boolean {
  const offset = baseOffset + record.offsetDelta;
  if (offset >= cleanOffset) return true;
  const { key } = record;
  // Written before the topic was compacted.
  if (key === null) return false;
  if (offset < latest.get(key)) return false;
  if (record.value !== null) return true;
  const { deleteHorizon } = batch;
  return deleteHorizon === undefined || nowMs < deleteHorizon || !mayExpire;
}

function filterMarker(
  batch: RecordBatchView,
  { isDiscardable, mayExpire }: BatchContext,
  rules: FilterRules,
): FilteredBatch {
  const { deleteHorizon, recordCount } = batch;
  if (recordCount === 0) return removed;
  if (!isDiscardable || (deleteHorizon !== undefined && (rules.nowMs < deleteHorizon || !mayExpire)))
    return { kind: 'kept', recordCount };
  if (deleteHorizon !== undefined) return removed;
  const builder = new RecordBatchBuilder({ ...fieldsOf(batch), ...horizonField(horizonOf(rules)) });
  const cursor = new RecordCursor(batch);
  while (cursor.next()) builder.copy(cursor);
  return { kind: 'rebuilt', bytes: builder.finish(), recordCount };
}

/** A batch without records that takes the same offsets: what is left where nothing else marks the end of a range. */
export function emptiedBatch(batch: RecordBatchView): Buffer {
  const { maxTimestamp } = batch;
  return new RecordBatchBuilder({ ...fieldsOf(batch), maxTimestamp }).finish();
}

export function isAbortMarker(batch: RecordBatchView): boolean {
  if (batch.recordCount === 0) return false;
  const record = readControlRecord(batch);
  return record.kind === 'endTransaction' && record.result === 'abort';
}

function horizonOf({ nowMs, deleteRetentionMs }: FilterRules): bigint {
  const horizon = BigInt(nowMs) + BigInt(deleteRetentionMs);
  return horizon < timestampMax ? horizon : timestampMax;
}

function horizonField(deleteHorizon: bigint | undefined): Pick<RecordBatchFields, 'deleteHorizon'> {
  return deleteHorizon === undefined ? {} : { deleteHorizon };
}

/** The base offset is the one in the header, which the caller replaces. */
function fieldsOf(batch: RecordBatchView): RecordBatchFields {
  return {
    baseOffset: batch.baseOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    codec: batch.codec as CompressionCodec,
    timestampType: batch.timestampType,
    // With `logAppendTime` it is the time of every record.
    ...(batch.timestampType === 'logAppendTime' ? { maxTimestamp: batch.maxTimestamp } : {}),
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    isTransactional: batch.isTransactional,
    isControl: batch.isControl,
    lastOffsetDelta: batch.lastOffsetDelta,
  };
}
