import { positionHeadBytes, writePositionHead } from '@weir/wire';
import type { BatchCursor } from './batch-cursor.ts';

/** Constant, since clients need not notice changes of leaders; Metadata and ListOffsets return the same. */
export const leaderEpoch = 0;

const headsPerChunk = 64;

/**
 * Batches of one partition as sent to a client: for each a new head of 16 bytes with its offset, and views of the page
 * for the rest.
 */
export class BatchList {
  readonly slices: Buffer[] = [];
  bytes = 0;
  /** What the records are at most when they are decompressed. */
  uncompressedBytes = 0;
  recordCount = 0;
  /** The offset after the last batch; -1 without one. */
  nextOffset = -1;
  /** For each batch, the offset after it, and the bytes, stored and decompressed, and the slices up to its end. */
  readonly #offsetEnds: number[] = [];
  readonly #byteEnds: number[] = [];
  readonly #uncompressedEnds: number[] = [];
  readonly #sliceEnds: number[] = [];
  #heads = Buffer.alloc(0);
  #headAt = 0;

  get batchCount(): number {
    return this.#byteEnds.length;
  }

  /** Adds the current batch of a cursor with the given base offset. */
  add(cursor: BatchCursor, baseOffset: number, uncompressedBytes: number): void {
    if (this.#headAt === this.#heads.length) {
      // The first chunk has room for one head: most partitions of a response have one batch.
      this.#heads = Buffer.allocUnsafe(positionHeadBytes * (this.batchCount === 0 ? 1 : headsPerChunk));
      this.#headAt = 0;
    }
    const head = this.#heads.subarray(this.#headAt, this.#headAt + positionHeadBytes);
    writePositionHead(head, 0, cursor.header.bytes, BigInt(baseOffset), leaderEpoch);
    this.#headAt += positionHeadBytes;
    this.slices.push(head);
    cursor.collectTail(this.slices);
    this.bytes += cursor.batchBytes;
    this.recordCount += cursor.header.recordCount;
    this.nextOffset = baseOffset + cursor.offsetSpan;
    this.uncompressedBytes += uncompressedBytes;
    this.#offsetEnds.push(this.nextOffset);
    this.#byteEnds.push(this.bytes);
    this.#uncompressedEnds.push(this.uncompressedBytes);
    this.#sliceEnds.push(this.slices.length);
  }

  /** Drops batches from the end until `batchCount` are left. */
  cutTo(batchCount: number): void {
    while (this.batchCount > batchCount) this.trimTo(this.bytes - 1);
  }

  /** Drops batches from the end until the rest fits. */
  trimTo(bytesMax: number, uncompressedBytesMax = Number.POSITIVE_INFINITY): void {
    while (this.bytes > bytesMax || this.uncompressedBytes > uncompressedBytesMax) {
      this.#offsetEnds.pop();
      this.#byteEnds.pop();
      this.#uncompressedEnds.pop();
      this.#sliceEnds.pop();
      this.nextOffset = this.#offsetEnds.at(-1) ?? -1;
      this.bytes = this.#byteEnds.at(-1) ?? 0;
      this.uncompressedBytes = this.#uncompressedEnds.at(-1) ?? 0;
      this.slices.length = this.#sliceEnds.at(-1) ?? 0;
    }
  }
}
