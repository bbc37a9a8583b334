import {
  type CompressionCodec,
  type CompressOptions,
  codecIds,
  compress,
  compressOffThread,
} from '../compression/index.ts';
import { varint32Bytes, varint64Bytes, writeVarint32, writeVarint64 } from '../varint.ts';
import { sealBatch } from './crc.ts';
import {
  attributeBits,
  currentMagic,
  headerAt,
  headerBytes,
  lengthOverheadBytes,
  noLeaderEpoch,
  noProducerEpoch,
  noProducerId,
  noSequence,
  noTimestamp,
  type TimestampType,
} from './layout.ts';
import type { RecordCursor } from './record-cursor.ts';

/** A record to write. */
export interface RecordToWrite {
  /** The next one if absent. Must increase from record to record; compaction leaves gaps. */
  readonly offset?: bigint;
  readonly timestamp: bigint;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | ValueToWrite | null;
  readonly headers?: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

/** A value that is not bytes yet, and is encoded directly into the batch. */
export interface ValueToWrite {
  readonly byteLength: number;
  writeTo(target: Buffer, at: number): void;
}

/** A text as a value. */
export function textValue(text: string): ValueToWrite {
  const byteLength = Buffer.byteLength(text);
  return { byteLength, writeTo: (target, at) => void target.write(text, at, 'utf8') };
}

/** The header of a batch to write. The defaults are those of a plain producer. */
export interface RecordBatchFields {
  readonly baseOffset?: bigint;
  readonly partitionLeaderEpoch?: number;
  readonly codec?: CompressionCodec;
  readonly compression?: CompressOptions;
  readonly timestampType?: TimestampType;
  /** By default the first record's. */
  readonly baseTimestamp?: bigint;
  /** By default the latest record's. With `logAppendTime` this is the time of every record. */
  readonly maxTimestamp?: bigint;
  readonly producerId?: bigint;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  /** Replaces the base timestamp; see `RecordBatchView.deleteHorizon`. */
  readonly deleteHorizon?: bigint;
  /** The approximate size of the batch before compression, if known: the buffer then need not grow. */
  readonly expectedBytes?: number;
  /** Memory to build in, for callers that build one batch after another; see `RecordBatchBuilder.memory`. */
  readonly memory?: Buffer;
  /** By default the last record's. Compaction preserves the original one, so that a batch still covers its offsets. */
  readonly lastOffsetDelta?: number;
}

const initialBytes = 1024;
const noHeaders: readonly never[] = [];
const offsetDeltaMax = 2 ** 31 - 1;

/** Builds one batch record by record, in one growing buffer. */
export class RecordBatchBuilder {
  private readonly fields: RecordBatchFields;
  private readonly baseOffset: bigint;
  private bytes: Buffer;
  private at = headerBytes;
  private count = 0;
  private lastDelta = -1;
  private baseTimestamp: bigint | undefined;
  private latestTimestamp: bigint | undefined;

  constructor(fields: RecordBatchFields = {}) {
    this.fields = fields;
    this.bytes = fields.memory ?? Buffer.allocUnsafe(Math.max(fields.expectedBytes ?? 0, initialBytes));
    this.baseOffset = fields.baseOffset ?? 0n;
    this.baseTimestamp = fields.deleteHorizon ?? fields.baseTimestamp;
  }

  get recordCount(): number {
    return this.count;
  }

  /** The size of the batch if it ended here and were not compressed. */
  get uncompressedBytes(): number {
    return this.at;
  }

  /** The memory in which it is built. After a compressed batch is finished, the next one can be built in it. */
  get memory(): Buffer {
    return this.bytes;
  }

  append(record: RecordToWrite): void {
    const { key, value, headers = noHeaders } = record;
    const bodyBytes = nullableBytes(key) + nullableBytes(value) + headersBytes(headers);
    let at = this.beginRecord(record.offset, record.timestamp, bodyBytes);
    at = writeNullable(this.bytes, at, key);
    if (value === null || value instanceof Uint8Array) at = writeNullable(this.bytes, at, value);
    else {
      const { byteLength } = value;
      at = writeVarint32(this.bytes, at, byteLength);
      value.writeTo(this.bytes, at);
      at += byteLength;
    }
    this.at = writeHeaders(this.bytes, at, headers);
  }

  /** Appends a record without a key, with few allocations, for callers that write very many records. */
  appendValue(value: ValueToWrite, timestampMs: number): void {
    const { byteLength } = value;
    this.baseTimestamp ??= BigInt(timestampMs);
    const timestampDelta = timestampMs - Number(this.baseTimestamp);
    // A delta that fits into 32 bits has the same encoding as with 64.
    if (timestampDelta !== (timestampDelta | 0)) {
      const bytes = Buffer.allocUnsafe(byteLength);
      value.writeTo(bytes, 0);
      this.append({ timestamp: BigInt(timestampMs), key: null, value: bytes });
      return;
    }
    const offsetDelta = this.lastDelta + 1;
    const bodyBytes = 1 + varint32Bytes(byteLength) + byteLength + 1;
    const lengthField = 1 + varint32Bytes(timestampDelta) + varint32Bytes(offsetDelta) + bodyBytes;
    this.reserve(varint32Bytes(lengthField) + lengthField);

    let at = writeVarint32(this.bytes, this.at, lengthField);
    this.bytes[at++] = 0;
    at = writeVarint32(this.bytes, at, timestampDelta);
    at = writeVarint32(this.bytes, at, offsetDelta);
    at = writeVarint32(this.bytes, at, -1);
    at = writeVarint32(this.bytes, at, byteLength);
    value.writeTo(this.bytes, at);
    this.at = writeVarint32(this.bytes, at + byteLength, 0);

    this.count++;
    this.lastDelta = offsetDelta;
    if (this.latestTimestamp === undefined || timestampMs > Number(this.latestTimestamp))
      this.latestTimestamp = BigInt(timestampMs);
  }

  /** Appends the cursor's record with its offset and timestamp. Key, value and headers are copied byte for byte. */
  copy(cursor: RecordCursor): void {
    const body = cursor.encodedBody;
    const at = this.beginRecord(cursor.offset, cursor.timestamp, body.length);
    this.bytes.set(body, at);
    this.at = at + body.length;
  }

  /** Writes the fields before the key, reserves space for the rest, and returns the position of the key. */
  private beginRecord(offset: bigint | undefined, timestamp: bigint, bodyBytes: number): number {
    this.baseTimestamp ??= timestamp;
    const timestampDelta = BigInt.asIntN(64, timestamp - this.baseTimestamp);
    const offsetDelta = offset === undefined ? this.lastDelta + 1 : Number(offset - this.baseOffset);
    if (offsetDelta <= this.lastDelta || offsetDelta > offsetDeltaMax) {
      throw new RangeError(`offset delta ${offsetDelta} does not follow ${this.lastDelta}`);
    }
    const lengthField = 1 + varint64Bytes(timestampDelta) + varint32Bytes(offsetDelta) + bodyBytes;
    this.reserve(varint32Bytes(lengthField) + lengthField);

    let at = writeVarint32(this.bytes, this.at, lengthField);
    this.bytes[at++] = 0; // The attributes of a single record have no meaning yet.
    at = writeVarint64(this.bytes, at, timestampDelta);
    at = writeVarint32(this.bytes, at, offsetDelta);

    this.count++;
    this.lastDelta = offsetDelta;
    if (this.latestTimestamp === undefined || timestamp > this.latestTimestamp)
      this.latestTimestamp = timestamp;
    return at;
  }

  /** Returns the finished batch. The builder must not be used after that, because its buffer is now the batch. */
  finish(): Buffer {
    const { codec = 'none', compression } = this.fields;
    const batch = this.bytes.subarray(0, this.at);
    if (codec === 'none' || this.count === 0) return this.seal(batch);
    return this.seal(withRecords(compress(codec, batch.subarray(headerBytes), compression)));
  }

  /** Like `finish`, with compression in a thread of the pool. */
  async finishOffThread(): Promise<Buffer> {
    const { codec = 'none', compression } = this.fields;
    const batch = this.bytes.subarray(0, this.at);
    if (codec === 'none' || this.count === 0) return this.seal(batch);
    return this.seal(withRecords(await compressOffThread(codec, batch.subarray(headerBytes), compression)));
  }

  private seal(batch: Buffer): Buffer {
    this.writeHeader(batch);
    sealBatch(batch);
    return batch;
  }

  private writeHeader(batch: Buffer): void {
    const { fields } = this;
    batch.writeBigInt64BE(this.baseOffset, headerAt.baseOffset);
    batch.writeInt32BE(batch.length - lengthOverheadBytes, headerAt.batchLength);
    batch.writeInt32BE(fields.partitionLeaderEpoch ?? noLeaderEpoch, headerAt.partitionLeaderEpoch);
    batch.writeInt8(currentMagic, headerAt.magic);
    batch.writeInt16BE(attributesOf(fields, this.count), headerAt.attributes);
    batch.writeInt32BE(fields.lastOffsetDelta ?? this.lastDelta, headerAt.lastOffsetDelta);
    batch.writeBigInt64BE(this.baseTimestamp ?? noTimestamp, headerAt.baseTimestamp);
    batch.writeBigInt64BE(fields.maxTimestamp ?? this.latestTimestamp ?? noTimestamp, headerAt.maxTimestamp);
    batch.writeBigInt64BE(fields.producerId ?? noProducerId, headerAt.producerId);
    batch.writeInt16BE(fields.producerEpoch ?? noProducerEpoch, headerAt.producerEpoch);
    batch.writeInt32BE(fields.baseSequence ?? noSequence, headerAt.baseSequence);
    batch.writeInt32BE(this.count, headerAt.recordCount);
  }

  private reserve(bytes: number): void {
    const needed = this.at + bytes;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }
}

/** A batch whose header is not written yet. */
export function withRecords(records: Buffer): Buffer {
  const batch = Buffer.allocUnsafe(headerBytes + records.length);
  batch.set(records, headerBytes);
  return batch;
}

export function buildRecordBatch(records: Iterable<RecordToWrite>, fields: RecordBatchFields = {}): Buffer {
  const builder = new RecordBatchBuilder(fields);
  for (const record of records) builder.append(record);
  return builder.finish();
}

/** An empty batch is never compressed: there is nothing that a reader could decompress. */
function attributesOf(fields: RecordBatchFields, recordCount: number): number {
  return (
    (recordCount === 0 ? codecIds.none : codecIds[fields.codec ?? 'none']) |
    (fields.timestampType === 'logAppendTime' ? attributeBits.logAppendTime : 0) |
    (fields.isTransactional ? attributeBits.transactional : 0) |
    (fields.isControl ? attributeBits.control : 0) |
    (fields.deleteHorizon === undefined ? 0 : attributeBits.deleteHorizon)
  );
}

function nullableBytes(bytes: Pick<Uint8Array, 'byteLength'> | null): number {
  return bytes === null ? 1 : varint32Bytes(bytes.byteLength) + bytes.byteLength;
}

function writeNullable(target: Buffer, at: number, bytes: Uint8Array | null): number {
  if (bytes === null) return writeVarint32(target, at, -1);
  const contentAt = writeVarint32(target, at, bytes.length);
  target.set(bytes, contentAt);
  return contentAt + bytes.length;
}

function headersBytes(headers: NonNullable<RecordToWrite['headers']>): number {
  let bytes = varint32Bytes(headers.length);
  for (const { key, value } of headers) {
    const keyBytes = Buffer.byteLength(key);
    bytes += varint32Bytes(keyBytes) + keyBytes + nullableBytes(value);
  }
  return bytes;
}

function writeHeaders(target: Buffer, at: number, headers: NonNullable<RecordToWrite['headers']>): number {
  at = writeVarint32(target, at, headers.length);
  for (const { key, value } of headers) {
    at = writeVarint32(target, at, Buffer.byteLength(key));
    at += target.write(key, at, 'utf8');
    at = writeNullable(target, at, value);
  }
  return at;
}
