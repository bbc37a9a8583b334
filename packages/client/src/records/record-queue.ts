import { DecodeError, type RecordBatchView, RecordCursor, recordBatches } from '@weir/wire';
import { abortedFilter } from './aborted-filter.ts';
import type { FetchedBatches } from './fetch.ts';

/** A batch that was fetched, or a gap without records for the reader. */
interface Piece {
  readonly batch: RecordBatchView | undefined;
  readonly nextOffset: number;
  readonly byteCount: number;
}

interface AddedBatches {
  /** Where the next fetch begins. */
  readonly nextOffset: number;
  /** Why what follows cannot be read. */
  readonly damage: string | undefined;
}

/**
 * The records of one partition that were fetched and wait to be read, in the order of offsets. Control batches and
 * aborted transactions are left out; a batch is decompressed when its first record is read.
 */
export class RecordQueue {
  /** The offset of the record that `next` found. */
  offset = 0;
  readonly #onFreed: () => void;
  #pieces: Piece[] = [];
  #queuedBytes = 0;
  #cursor: RecordCursor | undefined;
  #cursorBase = 0;
  #readOffset: number;

  /** `onFreed` is called whenever a batch was read to its end. */
  constructor(readOffset: number, onFreed: () => void = () => {}) {
    this.#readOffset = readOffset;
    this.#onFreed = onFreed;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Everything before was read. A batch is fetched whole, and may begin before. */
  get readOffset(): number {
    return this.#readOffset;
  }

  /** Adds what was fetched from `offset`. */
  add(fetched: FetchedBatches, offset: number): AddedBatches {
    const isLeftOut = abortedFilter(fetched.aborted);
    let nextOffset = offset;
    try {
      for (const batch of recordBatches(fetched.records, { partialTail: 'ignore' })) {
        const end = Number(batch.nextOffset);
        if (end <= nextOffset) continue;
        if (!batch.hasValidCrc()) throw new DecodeError('record batch', 'crc', 0, 'is wrong');
        const isGap = isLeftOut(batch);
        this.#pieces.push({ batch: isGap ? undefined : batch, nextOffset: end, byteCount: batch.sizeBytes });
        this.#queuedBytes += batch.sizeBytes;
        nextOffset = end;
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return { nextOffset, damage: error.message };
    }
    return { nextOffset, damage: undefined };
  }

  /**
   * Moves to the next record, which has `offset`; `undefined` if none waits. It is the next one until `take` is called.
   * Throws `DecodeError`.
   */
  next(): RecordCursor | undefined {
    for (;;) {
      const cursor = this.#cursor ?? this.#nextCursor();
      if (cursor === undefined) return undefined;
      while (cursor.next()) {
        this.offset = this.#cursorBase + cursor.offsetDelta;
        if (this.offset >= this.#readOffset) return cursor;
      }
      this.#endPiece();
    }
  }

  /** The record that `next` found was read. */
  take(): void {
    this.#readOffset = this.offset + 1;
  }

  clear(): void {
    this.#pieces = [];
    this.#cursor = undefined;
    this.#queuedBytes = 0;
  }

  /** Goes on at another offset. */
  restart(readOffset: number): void {
    this.clear();
    this.#readOffset = readOffset;
  }

  #nextCursor(): RecordCursor | undefined {
    for (;;) {
      const [piece] = this.#pieces;
      if (piece === undefined) return undefined;
      if (piece.batch !== undefined) {
        this.#cursor = new RecordCursor(piece.batch);
        this.#cursorBase = Number(piece.batch.baseOffset);
        return this.#cursor;
      }
      this.#endPiece();
    }
  }

  #endPiece(): void {
    const piece = this.#pieces.shift()!;
    this.#cursor = undefined;
    this.#queuedBytes -= piece.byteCount;
    this.#readOffset = Math.max(this.#readOffset, piece.nextOffset);
    this.#onFreed();
  }
}
