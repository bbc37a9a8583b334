import { decompress, decompressOffThread, type OffThreadOptions } from '../compression/index.ts';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { type ByteCursor, readVarint32, readVarint64Compact } from '../varint.ts';
import type { RecordBatchView } from './batch.ts';
import { TimestampRange } from './timestamp-range.ts';

const subject = 'records';

export interface RecordHeader {
  readonly key: string;
  readonly value: Buffer | null;
}

/** One record as an object. `key`, `value` and header values share memory with the (decompressed) batch. */
export interface BatchRecord {
  readonly offset: bigint;
  readonly timestamp: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/**
 * Iterates over the records of one batch. `next` checks a record's structure and stores the positions of its parts; the
 * parts are created on access, so that a caller that needs only keys pays only for keys.
 *
 *     const cursor = new RecordCursor(batch);
 *     while (cursor.next()) index(cursor.key, cursor.offset);
 *
 * `next` returns false after the last record and throws `DecodeError` on anything that is not a well-formed batch,
 * including extra bytes.
 */
export class RecordCursor {
  /** The length of the current record including its length prefix; size limits apply to it. */
  recordBytes = 0;
  offsetDelta = 0;
  /** The index of the current record in the batch, from 0. */
  index = -1;
  headerCount = 0;
  /** The decompressed size of all records of the batch. */
  readonly totalBytes: number;

  private readonly bytes: Buffer;
  private readonly reader: ByteCursor;
  private readonly recordCount: number;
  private readonly baseOffset: bigint;
  private readonly baseTimestamp: bigint;
  private readonly appendTimestamp: bigint | undefined;
  private timestampDelta: number | bigint = 0;
  private fieldsAt = 0;
  private bodyAt = 0;
  private keyAt = 0;
  private keyBytes = -1;
  private valueAt = 0;
  private valueBytes = -1;
  private headersAt = 0;

  /**
   * Decompresses at once, unless the decompressed records are given. Throws `DecodeError`, and its subclass
   * `OutputLimitExceeded` beyond `outputBytesMax`.
   */
  constructor(
    batch: RecordBatchView,
    outputBytesMax: number = wireLimits.decompressedBatchBytesMax,
    decompressed?: Buffer,
  ) {
    if (batch.recordCount < 0) throw failure(0, 'recordCount', `${batch.recordCount} is negative`);
    this.bytes = decompressed ?? decompressRecords(batch, outputBytesMax);
    this.totalBytes = this.bytes.length;
    this.reader = { subject, bytes: this.bytes, at: 0, end: this.bytes.length };
    this.recordCount = batch.recordCount;
    this.baseOffset = batch.baseOffset;
    this.baseTimestamp = batch.baseTimestamp;
    this.appendTimestamp = batch.timestampType === 'logAppendTime' ? batch.maxTimestamp : undefined;
  }

  /** Whether no record follows; `next` then checks that no bytes do. */
  get isAtEnd(): boolean {
    return this.index + 1 >= this.recordCount;
  }

  next(): boolean {
    const { reader } = this;
    if (this.index + 1 >= this.recordCount) {
      if (reader.at < reader.end)
        throw failure(reader.at, 'length', `${reader.end - reader.at} bytes follow the last record`);
      return false;
    }
    if (this.nextUsual()) return true;
    const recordAt = reader.at;
    const bodyBytes = readVarint32(reader, 'length');
    const recordEnd = reader.at + bodyBytes;
    if (bodyBytes < 0 || recordEnd > reader.end) {
      throw failure(
        recordAt,
        'length',
        `${bodyBytes} is not within the ${reader.end - reader.at} bytes left`,
      );
    }
    this.fieldsAt = reader.at;
    reader.at++; // The attributes of a single record have no meaning yet.
    this.timestampDelta = readVarint64Compact(reader, 'timestampDelta');
    this.offsetDelta = readVarint32(reader, 'offsetDelta');
    this.bodyAt = reader.at;
    this.keyBytes = this.readLength('key', recordEnd);
    this.keyAt = reader.at;
    reader.at += Math.max(this.keyBytes, 0);
    this.valueBytes = this.readLength('value', recordEnd);
    this.valueAt = reader.at;
    reader.at += Math.max(this.valueBytes, 0);
    this.headersAt = reader.at;
    this.skipHeaders(recordEnd);
    if (reader.at !== recordEnd) {
      throw failure(
        recordAt,
        'length',
        `${bodyBytes} is ${recordEnd - reader.at} more than the fields of the record`,
      );
    }
    this.recordBytes = recordEnd - recordAt;
    this.index++;
    return true;
  }

  /**
   * Reads a record as nearly all are: lengths of up to two bytes, small differences, a key or none, no headers. Any
   * other record, and one that is not well-formed, returns false and changes nothing. Few calls and no positions in
   * objects: this is most of the cost of a walk over records.
   */
  private nextUsual(): boolean {
    const { bytes, reader } = this;
    const recordAt = reader.at;
    // Seven fields of which each takes two bytes or fewer.
    if (recordAt + 14 > reader.end) return false;
    let at = recordAt;
    let raw = bytes[at++]!;
    if (raw >= 0x80) {
      const high = bytes[at++]!;
      if (high >= 0x80) return false;
      raw = (raw & 0x7f) | (high << 7);
    }
    if ((raw & 1) !== 0) return false;
    const fieldsAt = at;
    const recordEnd = at + (raw >> 1);
    if (recordEnd > reader.end) return false;
    at++;
    raw = bytes[at++]!;
    if (raw >= 0x80) {
      const high = bytes[at++]!;
      if (high >= 0x80) return false;
      raw = (raw & 0x7f) | (high << 7);
    }
    const timestampDelta = (raw >> 1) ^ -(raw & 1);
    raw = bytes[at++]!;
    if (raw >= 0x80) {
      const high = bytes[at++]!;
      if (high >= 0x80) return false;
      raw = (raw & 0x7f) | (high << 7);
    }
    const offsetDelta = (raw >> 1) ^ -(raw & 1);
    const bodyAt = at;
    raw = bytes[at++]!;
    if (raw >= 0x80) {
      const high = bytes[at++]!;
      if (high >= 0x80) return false;
      raw = (raw & 0x7f) | (high << 7);
    }
    const keyBytes = (raw >> 1) ^ -(raw & 1);
    if (keyBytes < -1) return false;
    const keyAt = at;
    if (keyBytes > 0) at += keyBytes;
    // A value of two bytes of length, and the number of headers.
    if (at + 3 > reader.end) return false;
    raw = bytes[at++]!;
    if (raw >= 0x80) {
      const high = bytes[at++]!;
      if (high >= 0x80) return false;
      raw = (raw & 0x7f) | (high << 7);
    }
    const valueBytes = (raw >> 1) ^ -(raw & 1);
    if (valueBytes < -1) return false;
    const valueAt = at;
    if (valueBytes > 0) at += valueBytes;
    if (at + 1 !== recordEnd || bytes[at] !== 0) return false;
    this.fieldsAt = fieldsAt;
    this.timestampDelta = timestampDelta;
    this.offsetDelta = offsetDelta;
    this.bodyAt = bodyAt;
    this.keyAt = keyAt;
    this.keyBytes = keyBytes;
    this.valueAt = valueAt;
    this.valueBytes = valueBytes;
    this.headersAt = at;
    this.headerCount = 0;
    reader.at = recordEnd;
    this.recordBytes = recordEnd - recordAt;
    this.index++;
    return true;
  }

  get offset(): bigint {
    return this.baseOffset + BigInt(this.offsetDelta);
  }

  /** With `logAppendTime` every record has the time of the batch. Sums wrap at 64 bits, as in every reader. */
  get timestamp(): bigint {
    return this.appendTimestamp ?? BigInt.asIntN(64, this.baseTimestamp + BigInt(this.timestampDelta));
  }

  /** Like `timestamp` as a number, for callers that use milliseconds and must not allocate a bigint per record. */
  get timestampMs(): number {
    const { appendTimestamp, baseTimestamp, timestampDelta } = this;
    return appendTimestamp === undefined
      ? Number(baseTimestamp) + Number(timestampDelta)
      : Number(appendTimestamp);
  }

  /** Adds the time of the current record to a range, without a bigint for each record. */
  addTimestampTo(range: TimestampRange): void {
    if (this.appendTimestamp === undefined) range.add(this.timestampDelta);
    else range.add(0);
  }

  /** An empty range for the times of the records of this batch. */
  timestampRange(): TimestampRange {
    return new TimestampRange(this.appendTimestamp ?? this.baseTimestamp);
  }

  /**
   * The decompressed records of the batch, which contain keys from `keyStart` to `keyEnd` and values from `valueStart`
   * to `valueEnd`.
   */
  get decompressed(): Buffer {
    return this.bytes;
  }

  get keyStart(): number {
    return this.keyAt;
  }

  /** Where the key ends; equal to `keyStart` if there is none. */
  get keyEnd(): number {
    return this.keyAt + Math.max(this.keyBytes, 0);
  }

  get valueStart(): number {
    return this.valueAt;
  }

  /** Where the value ends; equal to `valueStart` if there is none. */
  get valueEnd(): number {
    return this.valueAt + Math.max(this.valueBytes, 0);
  }

  get hasKey(): boolean {
    return this.keyBytes >= 0;
  }

  get hasValue(): boolean {
    return this.valueBytes >= 0;
  }

  /** `null` and empty are different keys. */
  get key(): Buffer | null {
    return this.keyBytes < 0 ? null : this.bytes.subarray(this.keyAt, this.keyAt + this.keyBytes);
  }

  /** `null` is a tombstone in a compacted topic. */
  get value(): Buffer | null {
    return this.valueBytes < 0 ? null : this.bytes.subarray(this.valueAt, this.valueAt + this.valueBytes);
  }

  get headers(): RecordHeader[] {
    const headers: RecordHeader[] = [];
    if (this.headerCount === 0) return headers;
    const reader: ByteCursor = { subject, bytes: this.bytes, at: this.headersAt, end: this.reader.at };
    for (let left = readVarint32(reader, 'headers'); left > 0; left--) {
      const keyBytes = readVarint32(reader, 'headers[].key');
      const key = this.bytes.toString('utf8', reader.at, reader.at + keyBytes);
      reader.at += keyBytes;
      const valueBytes = readVarint32(reader, 'headers[].value');
      const value = valueBytes < 0 ? null : this.bytes.subarray(reader.at, reader.at + valueBytes);
      reader.at += Math.max(valueBytes, 0);
      headers.push({ key, value });
    }
    return headers;
  }

  /** Key, value and headers as on the wire, to copy a record without parsing it. */
  get encodedBody(): Buffer {
    return this.bytes.subarray(this.bodyAt, this.reader.at);
  }

  /** Everything between the length of the record and its headers, as on the wire. */
  get encodedFields(): Buffer {
    return this.bytes.subarray(this.fieldsAt, this.headersAt);
  }

  /** The number of headers and the headers, as on the wire. */
  get encodedHeaders(): Buffer {
    return this.bytes.subarray(this.headersAt, this.reader.at);
  }

  private skipHeaders(recordEnd: number): void {
    const { reader } = this;
    const at = reader.at;
    const count = readVarint32(reader, 'headers');
    // The shortest header has two bytes, so a false count is rejected before the loop.
    if (count < 0 || count * 2 > recordEnd - reader.at) {
      throw failure(at, 'headers', `${count} do not fit in the ${recordEnd - reader.at} bytes left`);
    }
    for (let left = count; left > 0; left--) {
      const keyAt = reader.at;
      const keyBytes = this.readLength('headers[].key', recordEnd);
      if (keyBytes < 0) throw failure(keyAt, 'headers[].key', 'is null');
      reader.at += keyBytes;
      const valueBytes = this.readLength('headers[].value', recordEnd);
      reader.at += Math.max(valueBytes, 0);
    }
    this.headerCount = count;
  }

  /** Reads a length, where -1 means null, and checks that this many bytes are left in the record. */
  private readLength(field: string, recordEnd: number): number {
    const { reader } = this;
    const at = reader.at;
    const bytes = readVarint32(reader, field);
    if (bytes < -1 || bytes > recordEnd - reader.at) {
      throw failure(
        at,
        field,
        `length ${bytes} is not within the ${recordEnd - reader.at} bytes left in the record`,
      );
    }
    return bytes;
  }
}

function failure(at: number, field: string, problem: string): DecodeError {
  return new DecodeError(subject, field, at, problem);
}

/** The decompressed records of a batch. A batch that compaction has emptied has nothing to decompress. */
export function decompressRecords(
  batch: RecordBatchView,
  outputBytesMax: number = wireLimits.decompressedBatchBytesMax,
): Buffer {
  const { codec, recordsBytes } = batch;
  if (codec === undefined)
    throw new DecodeError('record batch', 'attributes', 0, `codec ${batch.codecId} is not known`);
  return batch.recordCount === 0 && recordsBytes.length === 0
    ? recordsBytes
    : decompress(codec, recordsBytes, outputBytesMax);
}

/** Like `decompressRecords`, in threads of the pool. The bytes of the batch must not change before it is done. */
export async function decompressRecordsOffThread(
  batch: RecordBatchView,
  outputBytesMax: number,
  options: OffThreadOptions,
): Promise<Buffer> {
  const { codec, recordsBytes } = batch;
  if (codec === undefined || recordsBytes.length === 0) return decompressRecords(batch, outputBytesMax);
  return decompressOffThread(codec, recordsBytes, outputBytesMax, options);
}

/** Every record as an object; `RecordCursor` is for loops that must not allocate. */
export function* batchRecords(
  batch: RecordBatchView,
  outputBytesMax: number = wireLimits.decompressedBatchBytesMax,
): Generator<BatchRecord, void, undefined> {
  const cursor = new RecordCursor(batch, outputBytesMax);
  while (cursor.next()) {
    const { offset, timestamp, key, value, headers } = cursor;
    yield { offset, timestamp, key, value, headers };
  }
}
