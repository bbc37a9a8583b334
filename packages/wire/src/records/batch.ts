import { type CompressionCodec, codecOfId } from '../compression/index.ts';
import { DecodeError } from '../decode-error.ts';
import { computeBatchCrc } from './crc.ts';
import {
  attributeBits,
  currentMagic,
  headerAt,
  headerBytes,
  lengthOverheadBytes,
  prefixBytes,
  type TimestampType,
} from './layout.ts';

const subject = 'record batch';
const sequenceRange = 2 ** 31;

/**
 * The header of one record batch, with fields that are read on access. Nothing is checked here except that the bytes
 * exist; the records stay compressed until a `RecordCursor` reads them.
 *
 * int64 values are bigints because clients send timestamps in nanoseconds by mistake, and those must be preserved
 * exactly.
 */
export class RecordBatchView {
  /** The whole batch and nothing else. Not a copy: the owner of the buffer may rewrite the header under this view. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    if (bytes.length < headerBytes) {
      throw new DecodeError(subject, 'header', 0, `needs ${headerBytes} bytes and ${bytes.length} are left`);
    }
    this.bytes = bytes;
  }

  get sizeBytes(): number {
    return this.bytes.length;
  }

  get baseOffset(): bigint {
    return this.bytes.readBigInt64BE(headerAt.baseOffset);
  }

  /** The number of bytes after this field. */
  get batchLength(): number {
    return this.bytes.readInt32BE(headerAt.batchLength);
  }

  get partitionLeaderEpoch(): number {
    return this.bytes.readInt32BE(headerAt.partitionLeaderEpoch);
  }

  get magic(): number {
    return this.bytes.readInt8(headerAt.magic);
  }

  get crc(): number {
    return this.bytes.readUInt32BE(headerAt.crc);
  }

  hasValidCrc(): boolean {
    return this.crc === computeBatchCrc(this.bytes);
  }

  get attributes(): number {
    return this.bytes.readInt16BE(headerAt.attributes);
  }

  get codecId(): number {
    return this.attributes & attributeBits.codec;
  }

  /** `undefined` for an unknown id. */
  get codec(): CompressionCodec | undefined {
    return codecOfId(this.codecId);
  }

  get timestampType(): TimestampType {
    return this.attributes & attributeBits.logAppendTime ? 'logAppendTime' : 'createTime';
  }

  get isTransactional(): boolean {
    return (this.attributes & attributeBits.transactional) !== 0;
  }

  /** A control batch holds a transaction marker; consumers skip it. */
  get isControl(): boolean {
    return (this.attributes & attributeBits.control) !== 0;
  }

  /**
   * When the batch's tombstones may be dropped, once compaction has decided that. It replaces the base timestamp, and
   * the records' deltas are relative to it.
   */
  get deleteHorizon(): bigint | undefined {
    return this.attributes & attributeBits.deleteHorizon ? this.baseTimestamp : undefined;
  }

  get lastOffsetDelta(): number {
    return this.bytes.readInt32BE(headerAt.lastOffsetDelta);
  }

  get lastOffset(): bigint {
    return this.baseOffset + BigInt(this.lastOffsetDelta);
  }

  get nextOffset(): bigint {
    return this.lastOffset + 1n;
  }

  get baseTimestamp(): bigint {
    return this.bytes.readBigInt64BE(headerAt.baseTimestamp);
  }

  get maxTimestamp(): bigint {
    return this.bytes.readBigInt64BE(headerAt.maxTimestamp);
  }

  get producerId(): bigint {
    return this.bytes.readBigInt64BE(headerAt.producerId);
  }

  get producerEpoch(): number {
    return this.bytes.readInt16BE(headerAt.producerEpoch);
  }

  get baseSequence(): number {
    return this.bytes.readInt32BE(headerAt.baseSequence);
  }

  /** Sequences wrap from 2147483647 to 0. A batch without a sequence (-1) has no last one either. */
  get lastSequence(): number {
    const base = this.baseSequence;
    return base < 0 ? base : (base + this.lastOffsetDelta) % sequenceRange;
  }

  /** Less than `lastOffsetDelta + 1` after compaction, possibly 0. */
  get recordCount(): number {
    return this.bytes.readInt32BE(headerAt.recordCount);
  }

  /** The records as stored, compressed if the batch is. */
  get recordsBytes(): Buffer {
    return this.bytes.subarray(headerBytes);
  }
}

export interface RecordBatchesOptions {
  /** What to do with a truncated last batch. Fetch responses may end in one, which is no error. */
  readonly partialTail: 'ignore' | 'error';
}

/** Every batch of a records field, in order, as slices of it. Reads only lengths. */
export function* recordBatches(
  records: Buffer,
  { partialTail }: RecordBatchesOptions,
): Generator<RecordBatchView, void, undefined> {
  let at = 0;
  while (at < records.length) {
    const end = batchEnd(records, at);
    if (end === undefined) {
      if (partialTail === 'ignore') return;
      throw new DecodeError(
        subject,
        'batchLength',
        at,
        `the batch goes on behind the ${records.length - at} bytes left`,
      );
    }
    yield new RecordBatchView(records.subarray(at, end));
    at = end;
  }
}

/** The end of the batch that starts at `at`, or `undefined` if the batch is truncated. */
function batchEnd(records: Buffer, at: number): number | undefined {
  if (records.length - at < prefixBytes) return undefined;
  const magic = records.readInt8(at + headerAt.magic);
  if (magic !== currentMagic)
    throw new DecodeError(subject, 'magic', at + headerAt.magic, `${magic} is not supported`);
  const batchLength = records.readInt32BE(at + headerAt.batchLength);
  if (batchLength < headerBytes - lengthOverheadBytes) {
    throw new DecodeError(
      subject,
      'batchLength',
      at + headerAt.batchLength,
      `${batchLength} is less than a header`,
    );
  }
  const end = at + lengthOverheadBytes + batchLength;
  return end <= records.length ? end : undefined;
}
