import {
  type CompressionCodec,
  type CompressOptions,
  compress,
  compressOffThread,
  snappyFramingOf,
} from '../compression/index.ts';
import { varint32Bytes, writeVarint32 } from '../varint.ts';
import type { RecordBatchView } from './batch.ts';
import { withRecords } from './builder.ts';
import { sealBatch } from './crc.ts';
import { HeaderCursor } from './header-cursor.ts';
import { headerAt, headerBytes, lengthOverheadBytes, recordBytesMin } from './layout.ts';
import type { RecordCursor } from './record-cursor.ts';

/** The change of one record's headers. */
export interface HeaderChange {
  /** Every header with one of these keys is removed. */
  readonly removedKeys: readonly Buffer[];
  /** A header to append after all others, from `encodeRecordHeader`. */
  readonly added?: Buffer | undefined;
}

/** Expected sizes, so that the buffer need not grow. */
interface ExpectedRecords {
  /** The uncompressed size of all records before the change. */
  readonly recordsBytes: number;
  /** The typical size of the header that is added to a record. */
  readonly addedBytes: number;
  /** The size at which the caller gives up. */
  readonly recordsBytesMax: number;
}

/** The length of a record and the number of its headers may each need one more byte. */
const lengthSlackBytes = 2;
const noBytes = Buffer.alloc(0);

/**
 * Builds a batch that differs from another only in the headers of its records. Everything else is copied byte for byte:
 * the fields of the batch, and the fields of every record before its headers.
 *
 * The codec stays. A batch does not contain its compression level, so the codec's default is used.
 */
export class HeaderRewriter {
  readonly #batch: RecordBatchView;
  readonly #bytesMax: number;
  #bytes: Buffer;
  #at = headerBytes;
  #isChanged = false;

  constructor(batch: RecordBatchView, expected: ExpectedRecords) {
    this.#batch = batch;
    this.#bytesMax = headerBytes + expected.recordsBytesMax;
    // The count is claimed by a client, but this many records would need their bytes.
    const recordCountMax = Math.min(batch.recordCount, Math.ceil(expected.recordsBytes / recordBytesMin));
    const slackBytes =
      expected.addedBytes === 0 ? 0 : recordCountMax * (expected.addedBytes + lengthSlackBytes);
    const likelyBytes = headerBytes + expected.recordsBytes + slackBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(likelyBytes, this.#bytesMax));
  }

  /** The uncompressed size of all records so far. */
  get recordsBytes(): number {
    return this.#at - headerBytes;
  }

  /** Appends the current record of the cursor, and returns its size including the length prefix. */
  append(record: RecordCursor, change: HeaderChange): number {
    const fields = record.encodedFields;
    const retained = record.headerCount === 0 ? noHeaders : retainedHeaders(record, change.removedKeys);
    const added = change.added ?? noBytes;
    if (retained.count !== record.headerCount || added.length > 0) this.#isChanged = true;

    const count = retained.count + (added.length > 0 ? 1 : 0);
    const lengthField = fields.length + varint32Bytes(count) + retained.bytes + added.length;
    const recordBytes = varint32Bytes(lengthField) + lengthField;
    this.#reserve(recordBytes);

    const bytes = this.#bytes;
    let at = writeVarint32(bytes, this.#at, lengthField);
    bytes.set(fields, at);
    at = writeVarint32(bytes, at + fields.length, count);
    for (const part of retained.parts) {
      bytes.set(part, at);
      at += part.length;
    }
    bytes.set(added, at);
    this.#at = at + added.length;
    return recordBytes;
  }

  /** Returns the new batch, or the old one if no record has changed. The rewriter must not be used after that. */
  finish(): Buffer {
    if (!this.#isChanged) return this.#batch.bytes;
    const codec = this.#codec;
    if (codec === undefined) return this.#seal(this.#bytes.subarray(0, this.#at));
    return this.#seal(withRecords(compress(codec, this.#records, compressionOf(this.#batch))));
  }

  /** Like `finish`, with compression in threads of the pool. */
  async finishOffThread(): Promise<Buffer> {
    if (!this.#isChanged) return this.#batch.bytes;
    const codec = this.#codec;
    if (codec === undefined) return this.#seal(this.#bytes.subarray(0, this.#at));
    return this.#seal(withRecords(await compressOffThread(codec, this.#records, compressionOf(this.#batch))));
  }

  get #codec(): CompressionCodec | undefined {
    const { codec } = this.#batch;
    return codec === 'none' ? undefined : codec;
  }

  get #records(): Buffer {
    return this.#bytes.subarray(headerBytes, this.#at);
  }

  #seal(rewritten: Buffer): Buffer {
    rewritten.set(this.#batch.bytes.subarray(0, headerBytes));
    rewritten.writeInt32BE(rewritten.length - lengthOverheadBytes, headerAt.batchLength);
    sealBatch(rewritten);
    return rewritten;
  }

  #reserve(bytes: number): void {
    const neededBytes = this.#at + bytes;
    if (neededBytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(
      Math.max(neededBytes, Math.min(this.#bytes.length * 2, this.#bytesMax)),
    );
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

/** The remaining headers, in as few slices as possible. */
interface RetainedHeaders {
  readonly count: number;
  readonly bytes: number;
  readonly parts: readonly Buffer[];
}

const noHeaders: RetainedHeaders = { count: 0, bytes: 0, parts: [] };

function retainedHeaders(record: RecordCursor, removedKeys: readonly Buffer[]): RetainedHeaders {
  const header = new HeaderCursor(record);
  const parts: Buffer[] = [];
  let count = record.headerCount;
  let bytes = 0;
  let partAt = header.end;
  const endPart = (end: number) => {
    if (end === partAt) return;
    parts.push(header.bytes.subarray(partAt, end));
    bytes += end - partAt;
  };
  while (header.next()) {
    if (!removedKeys.some((key) => header.hasKey(key))) continue;
    count--;
    endPart(header.at);
    partAt = header.end;
  }
  endPart(header.end);
  return { count, bytes, parts };
}

/** Snappy has two framings, and a client may read only the one that it writes. */
function compressionOf({ codec, recordsBytes }: RecordBatchView): CompressOptions {
  return codec === 'snappy' ? { snappyFraming: snappyFramingOf(recordsBytes) } : {};
}
