import { attributeBits, codecOfId, DecodeError, RecordBatchView, readControlRecord } from '@weir/wire';
import { migrationLimits } from '../limits.ts';
import type { CopiedBatch, CopiedKind } from './copied-batch.ts';

type BatchHeader = Omit<CopiedBatch, 'byteStart' | 'byteLength'>;

/** Markers have about 80 bytes. A source may not make an agent read more for one. */
const controlBatchBytesMax = 4096;

/**
 * Reads what the commit of a copy needs from a batch of the current format, whose CRC is checked here. Returns what is
 * wrong with it otherwise, in words that follow "the batch at offset 5".
 */
export function readBatchHeader(bytes: Buffer): BatchHeader | string {
  const batch = new RecordBatchView(bytes);
  if (!batch.hasValidCrc()) return `has the CRC ${batch.crc}, which does not match its bytes`;
  const { lastOffsetDelta, recordCount, codecId } = batch;
  if (lastOffsetDelta < 0) return `has the last offset delta ${lastOffsetDelta}`;
  if (recordCount < 0 || recordCount > lastOffsetDelta + 1)
    return `has ${recordCount} records in ${lastOffsetDelta + 1} offsets`;
  if (codecOfId(codecId) === undefined) return `has the codec ${codecId}, which does not exist`;
  const [baseOffset, producerId, maxTimestampMs] = [
    batch.baseOffset,
    batch.producerId,
    batch.maxTimestamp,
  ].map(Number) as [number, number, number];
  const nextOffset = baseOffset + lastOffsetDelta + 1;
  if (baseOffset < 0 || !Number.isSafeInteger(nextOffset)) return 'has an offset that is no offset of a log';
  if (!Number.isSafeInteger(producerId)) return `has the producer id ${batch.producerId}`;
  const kind = kindOf(batch);
  if (typeof kind !== 'string') return kind.problem;
  return {
    baseOffset,
    nextOffset,
    // Timestamps in nanoseconds, which clients send by mistake, are above 2^53 and need not be exact here.
    maxTimestampMs,
    producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    recordCount,
    kind,
  };
}

function kindOf(batch: RecordBatchView): CopiedKind | { readonly problem: string } {
  if (!batch.isControl) return batch.isTransactional && batch.recordCount > 0 ? 'transactional' : 'plain';
  // Compaction keeps an empty control batch where it is the last batch of its producer.
  if (batch.recordCount === 0) return 'otherControl';
  if ((batch.attributes & attributeBits.codec) !== 0 || batch.sizeBytes > controlBatchBytesMax)
    return {
      problem: `is a control batch that is compressed or has more than ${controlBatchBytesMax} bytes`,
    };
  try {
    const marker = readControlRecord(batch);
    if (marker.kind === 'other') return 'otherControl';
    return marker.result === 'commit' ? 'commitMarker' : 'abortMarker';
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { problem: `is a control batch that cannot be read: ${error.message}` };
  }
}

/** What is wrong with the length of an entry of a log, if anything. */
export function problemOfLength(lengthField: number, lengthMin: number): string | undefined {
  if (lengthField < lengthMin) return `has the length ${lengthField}, less than a header`;
  return lengthField > migrationLimits.copiedBatchBytesMax
    ? `has ${lengthField} bytes, and ${migrationLimits.copiedBatchBytesMax} can be copied`
    : undefined;
}
