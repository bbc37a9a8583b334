import { type ByteCursor, readVarint32, varint32Bytes, writeVarint32 } from '../varint.ts';
import type { RecordCursor } from './record-cursor.ts';

const subject = 'record headers';

/**
 * Iterates over the headers of one record without allocating objects, for callers that look for few keys in many
 * records. The record cursor has validated the headers, so nothing here can fail.
 */
export class HeaderCursor {
  /** The record's headers with their count; the positions below are relative to it. */
  readonly bytes: Buffer;
  /** Where the current header begins and ends. */
  at: number;
  end: number;
  private readonly reader: ByteCursor;
  private left: number;
  private keyAt = 0;
  private keyBytes = 0;
  private valueAt = 0;
  private valueBytes = -1;

  constructor(record: RecordCursor) {
    this.bytes = record.encodedHeaders;
    this.reader = { subject, bytes: this.bytes, at: 0, end: this.bytes.length };
    this.left = readVarint32(this.reader, 'headers');
    this.at = this.reader.at;
    this.end = this.reader.at;
  }

  next(): boolean {
    if (this.left === 0) return false;
    this.left--;
    const { reader } = this;
    this.at = reader.at;
    this.keyBytes = readVarint32(reader, 'headers[].key');
    this.keyAt = reader.at;
    reader.at += this.keyBytes;
    this.valueBytes = readVarint32(reader, 'headers[].value');
    this.valueAt = reader.at;
    reader.at += Math.max(this.valueBytes, 0);
    this.end = reader.at;
    return true;
  }

  hasKey(key: Buffer): boolean {
    return (
      this.keyBytes === key.length &&
      this.bytes.compare(key, 0, key.length, this.keyAt, this.keyAt + this.keyBytes) === 0
    );
  }

  get value(): Buffer | null {
    return this.valueBytes < 0 ? null : this.bytes.subarray(this.valueAt, this.valueAt + this.valueBytes);
  }
}

/** Encodes one header as on the wire. */
export function encodeRecordHeader(key: string, value: string): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const valueBytes = Buffer.byteLength(value);
  const encoded = Buffer.allocUnsafe(
    varint32Bytes(keyBytes) + keyBytes + varint32Bytes(valueBytes) + valueBytes,
  );
  let at = writeVarint32(encoded, 0, keyBytes);
  at += encoded.write(key, at, 'utf8');
  at = writeVarint32(encoded, at, valueBytes);
  encoded.write(value, at, 'utf8');
  return encoded;
}
