import { crc32 } from 'node:zlib';
import { ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/**
 * The bytes around and within a snapshot: a head with what it is, small fields between columns, and a checksum at the end.
 * Columns are written as they lie in memory, since they are most of it and nothing is faster.
 */
const magic = Buffer.from('WEIRCLUS', 'latin1');
const headBytes = magic.length + 4 + 4 + 8;
const checksumBytes = 4;

/** Reads as something else on a machine that stores numbers the other way round. */
const byteOrderMark = 0x01020304;

/** Fields are cut into slices of about this size, because whoever stores a snapshot stores it slice by slice. */
const sliceBytes = 1024 * 1024;

export type Column = Float64Array | Uint32Array | Uint8Array;

export class SnapshotWriter {
  readonly fields = new ByteWriter();
  readonly #slices: Buffer[] = [];

  /** Takes the column as it is; nobody may change it afterwards. */
  column(column: Column): void {
    this.#flush();
    this.#slices.push(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  }

  /** Call this between small parts of what may be large. */
  cut(): void {
    if (this.fields.length >= sliceBytes) this.#flush();
  }

  finish(version: number): Buffer[] {
    this.#flush();
    const bodyBytes = this.#slices.reduce((sum, { length }) => sum + length, 0);
    const head = Buffer.concat([
      magic,
      Buffer.from(Uint32Array.of(byteOrderMark, version).buffer),
      Buffer.from(Float64Array.of(bodyBytes).buffer),
    ]);
    const slices = [head, ...this.#slices];
    const checksum = Uint32Array.of(slices.reduce((sum, slice) => crc32(slice, sum), 0));
    return [...slices, Buffer.from(checksum.buffer)];
  }

  #flush(): void {
    if (this.fields.length > 0) this.#slices.push(this.fields.take());
  }
}

export class SnapshotReader {
  readonly fields: ByteReader;

  /** Checks everything that can be checked before a single field is believed. */
  constructor(bytes: Buffer, version: number) {
    if (bytes.length < headBytes + checksumBytes || !bytes.subarray(0, magic.length).equals(magic)) {
      throw new UnreadableBytes('this is no snapshot of a cluster');
    }
    const head = copyOf(bytes.subarray(magic.length, headBytes));
    const [foundMark, foundVersion] = new Uint32Array(head, 0, 2);
    const [bodyBytes] = new Float64Array(head, 8, 1);
    if (foundMark !== byteOrderMark) {
      throw new UnreadableBytes('the snapshot comes from a machine with another byte order');
    }
    if (foundVersion !== version) {
      throw new UnreadableBytes(`the snapshot has version ${foundVersion}; this release reads ${version}`);
    }
    const expectedBytes = headBytes + bodyBytes! + checksumBytes;
    if (bytes.length !== expectedBytes) {
      throw new UnreadableBytes(`the snapshot has ${bytes.length} bytes and should have ${expectedBytes}`);
    }
    const body = bytes.subarray(headBytes, -checksumBytes);
    const [checksum] = new Uint32Array(copyOf(bytes.subarray(-checksumBytes)));
    if (crc32(bytes.subarray(0, -checksumBytes)) !== checksum) {
      throw new UnreadableBytes('the checksum of the snapshot is wrong');
    }
    this.fields = new ByteReader(body);
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

/** In memory of its own, because columns begin anywhere in a snapshot and arrays of numbers must be aligned. */
function copyOf(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
