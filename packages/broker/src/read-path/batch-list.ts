import { positionHeadBytes, writePositionHead } from '@weir/wire';
import type { BatchCursor } from './batch-cursor.ts';

/** Constant, since clients need not notice changes of leaders; Metadata and ListOffsets return the same. */
export const leaderEpoch = 0;

const headsPerChunk = 64;

/**
 * Batches of one partition as sent to a client: for each a new head of 16 bytes with its offset, and views of the page
 * for the rest. Batches of merged files are stored with the offset that they have, and those that follow each other
 * there are one view.
 */
export class BatchList {
  readonly #slices: Buffer[] = [];
  #sliceBytes = 0;
  /** Batches that follow each other in one piece of memory, and are sent as they lie there. */
  #run: Buffer | undefined;
  #runStart = 0;
  #runEnd = 0;
  bytes = 0;
  /** What the records are at most when they are decompressed. */
  uncompressedBytes = 0;
  recordCount = 0;
  /** The offset after the last batch; -1 without one. */
  nextOffset = -1;
  /** For each batch, the offset after it, and the records and bytes, stored and decompressed, up to its end. */
  readonly #offsetEnds: number[] = [];
  readonly #recordEnds: number[] = [];
  readonly #byteEnds: number[] = [];
  readonly #uncompressedEnds: number[] = [];
  #heads = Buffer.alloc(0);
  #headAt = 0;

  get batchCount(): number {
    return this.#byteEnds.length;
  }

  /** The bytes to send. Slices may be replaced by others with the same bytes. */
  get slices(): Buffer[] {
    this.#endRun();
    return this.#slices;
  }

  /** Adds the current batch of a cursor with the given base offset. */
  add(cursor: BatchCursor, baseOffset: number, uncompressedBytes: number): void {
    if (cursor.storedBaseOffset === baseOffset && cursor.storedLeaderEpoch === leaderEpoch) {
      this.#addAsStored(cursor);
    } else {
      this.#endRun();
      this.#slices.push(this.#newHead(cursor, baseOffset));
      cursor.collectTail(this.#slices);
      this.#sliceBytes += cursor.batchBytes;
    }
    this.bytes += cursor.batchBytes;
    this.recordCount += cursor.recordCount;
    this.nextOffset = baseOffset + cursor.offsetSpan;
    this.uncompressedBytes += uncompressedBytes;
    this.#offsetEnds.push(this.nextOffset);
    this.#recordEnds.push(this.recordCount);
    this.#byteEnds.push(this.bytes);
    this.#uncompressedEnds.push(this.uncompressedBytes);
  }

  #newHead(cursor: BatchCursor, baseOffset: number): Buffer {
    if (this.#headAt === this.#heads.length) {
      // The first chunk has room for one head: most partitions of a response have one batch.
      this.#heads = Buffer.allocUnsafe(positionHeadBytes * (this.batchCount === 0 ? 1 : headsPerChunk));
      this.#headAt = 0;
    }
    const at = this.#headAt;
    this.#headAt = writePositionHead(this.#heads, at, cursor.batchBytes, baseOffset, leaderEpoch);
    return this.#heads.subarray(at, this.#headAt);
  }

  #addAsStored(cursor: BatchCursor): void {
    const { piece, pieceAt, batchBytes } = cursor;
    const isWholeInPiece = piece.length - pieceAt >= batchBytes;
    if (isWholeInPiece && piece === this.#run && pieceAt === this.#runEnd) {
      this.#runEnd += batchBytes;
      return;
    }
    this.#endRun();
    if (isWholeInPiece) {
      this.#run = piece;
      this.#runStart = pieceAt;
      this.#runEnd = pieceAt + batchBytes;
    } else {
      cursor.collect(this.#slices);
      this.#sliceBytes += batchBytes;
    }
  }

  #endRun(): void {
    if (this.#run === undefined) return;
    this.#slices.push(this.#run.subarray(this.#runStart, this.#runEnd));
    this.#sliceBytes += this.#runEnd - this.#runStart;
    this.#run = undefined;
  }

  /** Drops batches from the end until `batchCount` are left. */
  cutTo(batchCount: number): void {
    while (this.batchCount > batchCount) this.trimTo(this.bytes - 1);
  }

  /** Drops batches from the end until the rest fits. */
  trimTo(bytesMax: number, uncompressedBytesMax = Number.POSITIVE_INFINITY): void {
    while (this.bytes > bytesMax || this.uncompressedBytes > uncompressedBytesMax) {
      this.#offsetEnds.pop();
      this.#recordEnds.pop();
      this.#byteEnds.pop();
      this.#uncompressedEnds.pop();
      this.nextOffset = this.#offsetEnds.at(-1) ?? -1;
      this.recordCount = this.#recordEnds.at(-1) ?? 0;
      this.bytes = this.#byteEnds.at(-1) ?? 0;
      this.uncompressedBytes = this.#uncompressedEnds.at(-1) ?? 0;
    }
    this.#endRun();
    while (this.#sliceBytes > this.bytes) {
      const slice = this.#slices.pop()!;
      this.#sliceBytes -= slice.length;
      const left = this.bytes - this.#sliceBytes;
      if (left <= 0) continue;
      this.#slices.push(slice.subarray(0, left));
      this.#sliceBytes += left;
    }
  }
}
