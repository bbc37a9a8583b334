import { crc32 } from '@node-rs/crc32';
import { NewerFormat } from '@weir/cluster';
import { ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { byteOrderMark, snapshotHeadBytes as headBytes, snapshotMagic as magic } from './snapshot-version.ts';

/**
 * The byte format of a snapshot: a header, small fields between columns, and length and checksum at the end, since they
 * are known only then. Columns are written in their in-memory format: they are most of the data, and this is fastest.
 */
const checksumBytes = 4;
const lengthBytes = 8;

/**
 * Approximate size of slices of fields. The process that stores a snapshot does so slice by slice with other work in
 * between, so making a slice must be short: this size takes two or three milliseconds.
 */
const sliceBytes = 128 * 1024;

export type Column = Float64Array | Uint32Array | Uint8Array;

export class SnapshotWriter {
  readonly fields = new ByteWriter();
  #ready: Buffer[] = [];
  #checksum = 0;
  #bytes = 0;

  /** Takes the column without a copy; the caller must not change it before the next slice. */
  column(column: Column): void {
    this.#flush();
    this.#ready.push(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  }

  *head(version: number): Generator<Buffer> {
    const numbers = Buffer.from(Uint32Array.of(byteOrderMark, version).buffer);
    yield this.#counted(Buffer.concat([magic, numbers]));
  }

  /** Yields a slice if there is enough data for one. Call it between small parts of anything that may be large. */
  *cut(): Generator<Buffer> {
    if (this.fields.length >= sliceBytes) yield* this.slice();
  }

  /** Yields what was written since the last slice, if anything. */
  *slice(): Generator<Buffer> {
    this.#flush();
    const ready = this.#ready;
    this.#ready = [];
    if (ready.length > 0) yield this.#counted(ownCopyOf(ready));
  }

  *end(): Generator<Buffer> {
    yield* this.slice();
    const length = this.#counted(Buffer.from(Float64Array.of(this.#bytes - headBytes).buffer));
    yield Buffer.concat([length, Buffer.from(Uint32Array.of(this.#checksum).buffer)]);
  }

  #counted(slice: Buffer): Buffer {
    this.#checksum = crc32(slice, this.#checksum);
    this.#bytes += slice.length;
    return slice;
  }

  #flush(): void {
    if (this.fields.length > 0) this.#ready.push(this.fields.take());
  }
}

export class SnapshotReader {
  readonly version: number;
  readonly fields: ByteReader;

  /** Validates everything that can be checked before any field is read. */
  constructor(bytes: Buffer, versions: readonly number[]) {
    if (bytes.length < headBytes + checksumBytes || !bytes.subarray(0, magic.length).equals(magic)) {
      throw new UnreadableBytes('not a snapshot of a cluster');
    }
    const [foundMark, version] = new Uint32Array(copyOf(bytes.subarray(magic.length, headBytes)));
    if (foundMark !== byteOrderMark) {
      throw new UnreadableBytes('the snapshot comes from a machine with another byte order');
    }
    const newest = Math.max(...versions);
    // Every version ends with the checksum, which distinguishes a newer snapshot from a damaged one.
    if (version! > newest && isWhole(bytes)) throw new NewerFormat('snapshot version', version!, newest);
    if (!versions.includes(version!)) {
      const readable = versions.join(' and ');
      throw new UnreadableBytes(`the snapshot has version ${version}; this release reads ${readable}`);
    }
    this.version = version!;
    this.fields = new ByteReader(bodyOf(bytes, this.version));
    if (!isWhole(bytes)) throw new UnreadableBytes('the checksum of the snapshot is wrong');
  }

  f64(count: number): Float64Array {
    return new Float64Array(this.#column(8 * count));
  }

  u32(count: number): Uint32Array {
    return new Uint32Array(this.#column(4 * count));
  }

  #column(byteLength: number): ArrayBuffer {
    return copyOf(this.fields.raw(byteLength));
  }
}

function isWhole(bytes: Buffer): boolean {
  const [checksum] = new Uint32Array(copyOf(bytes.subarray(-checksumBytes)));
  return crc32(bytes.subarray(0, -checksumBytes)) === checksum;
}

/** Returns the bytes between header and trailer. Version 1 had the length in its header. */
function bodyOf(bytes: Buffer, version: number): Buffer {
  const isOld = version === 1;
  const bodyStart = headBytes + (isOld ? lengthBytes : 0);
  const endBytes = checksumBytes + (isOld ? 0 : lengthBytes);
  const lengthStart = isOld ? headBytes : bytes.length - endBytes;
  const foundBytes = bytes.length - bodyStart - endBytes;
  const bodyBytes =
    foundBytes < 0
      ? Number.NaN
      : new Float64Array(copyOf(bytes.subarray(lengthStart, lengthStart + lengthBytes)))[0]!;
  if (foundBytes !== bodyBytes) {
    throw new UnreadableBytes(`the snapshot holds ${foundBytes} bytes and should hold ${bodyBytes}`);
  }
  return bytes.subarray(bodyStart, bytes.length - endBytes);
}

/** Returns a buffer with its own memory, so that the receiver may transfer it to another thread. */
function ownCopyOf(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Copies into new memory, because columns start anywhere in a snapshot and typed arrays must be aligned. */
function copyOf(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
