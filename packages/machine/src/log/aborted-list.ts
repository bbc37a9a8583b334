import type { AbortedTransactions } from '@weir/cluster';

/**
 * The aborted transactions of one partition, 32 bytes each, in the order in which they ended and so by last offset.
 * They are retained as long as their records.
 *
 * A reader needs those that overlap a range. The last offsets determine where to start. The stable offset after each
 * end determines where to stop: transactions that end later have no record below it, and it never decreases.
 */
export class AbortedList {
  #producerId = new Float64Array(4);
  #firstOffset = new Float64Array(4);
  #lastOffset = new Float64Array(4);
  #stableOffset = new Float64Array(4);
  #start = 0;
  #end = 0;

  get count(): number {
    return this.#end - this.#start;
  }

  /** Adds a transaction. `stableOffset` is the last stable offset of the partition after its end. */
  add(producerId: number, firstOffset: number, lastOffset: number, stableOffset: number): void {
    if (this.#end === this.#producerId.length) this.#makeRoom();
    const row = this.#end++;
    this.#producerId[row] = producerId;
    this.#firstOffset[row] = firstOffset;
    this.#lastOffset[row] = lastOffset;
    this.#stableOffset[row] = stableOffset;
  }

  /**
   * Returns those with a record or their marker in `[offset, endOffset)`, by first offset; `undefined` if there are
   * none.
   */
  overlapping(offset: number, endOffset: number): AbortedTransactions | undefined {
    const rows: number[] = [];
    for (let row = this.#firstEndingAt(offset); row < this.#end; row++) {
      if (this.#firstOffset[row]! < endOffset) rows.push(row);
      if (this.#stableOffset[row]! >= endOffset) break;
    }
    if (rows.length === 0) return undefined;
    rows.sort((one, other) => this.#firstOffset[one]! - this.#firstOffset[other]!);
    return {
      producerId: Float64Array.from(rows, (row) => this.#producerId[row]!),
      firstOffset: Float64Array.from(rows, (row) => this.#firstOffset[row]!),
      lastOffset: Float64Array.from(rows, (row) => this.#lastOffset[row]!),
    };
  }

  /** Drops those that ended before the log start. */
  dropBelow(logStartOffset: number): void {
    this.#start = this.#firstEndingAt(logStartOffset);
  }

  /** Drops those that end at some offsets. Copies the others, because a capture may still read the columns. */
  drop(lastOffsets: ReadonlySet<number>): void {
    const kept: number[] = [];
    for (let row = this.#start; row < this.#end; row++)
      if (!lastOffsets.has(this.#lastOffset[row]!)) kept.push(row);
    const left = (column: Float64Array) => Float64Array.from(kept, (row) => column[row]!);
    this.#producerId = left(this.#producerId);
    this.#firstOffset = left(this.#firstOffset);
    this.#lastOffset = left(this.#lastOffset);
    this.#stableOffset = left(this.#stableOffset);
    this.#start = 0;
    this.#end = kept.length;
  }

  /** Captures the current rows. Later additions and drops do not change them. */
  capture(): AbortedRows {
    return {
      producerId: this.#producerId.subarray(this.#start, this.#end),
      firstOffset: this.#firstOffset.subarray(this.#start, this.#end),
      lastOffset: this.#lastOffset.subarray(this.#start, this.#end),
      stableOffset: this.#stableOffset.subarray(this.#start, this.#end),
    };
  }

  #firstEndingAt(offset: number): number {
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lastOffset[middle]! >= offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Copies into new columns, because a capture may still read the old ones. */
  #makeRoom(): void {
    const { count } = this;
    const moved = (column: Float64Array) => {
      const larger = new Float64Array(Math.max(4, 2 * count));
      larger.set(column.subarray(this.#start, this.#end));
      return larger;
    };
    this.#producerId = moved(this.#producerId);
    this.#firstOffset = moved(this.#firstOffset);
    this.#lastOffset = moved(this.#lastOffset);
    this.#stableOffset = moved(this.#stableOffset);
    this.#start = 0;
    this.#end = count;
  }
}

export interface AbortedRows extends AbortedTransactions {
  readonly stableOffset: Float64Array;
}
