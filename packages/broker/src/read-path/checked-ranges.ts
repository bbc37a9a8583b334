/** Enough for every second 4 KiB of a page; what exceeds it is checked again. */
const rangesMax = 512;

/**
 * Bytes of a file whose batches had a valid CRC, so that each is checked once. Ranges that touch are one: a file that
 * is read from start to end takes two numbers.
 */
export class CheckedRanges {
  /** Start and end of each range, in order. */
  readonly #bounds: number[] = [];

  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  has(start: number, end: number): boolean {
    const at = this.#firstEndingAfter(start);
    return at < this.#bounds.length && this.#bounds[at]! <= start && end <= this.#bounds[at + 1]!;
  }

  add(start: number, end: number): void {
    const bounds = this.#bounds;
    // Readers move on, so it is usually the end of the last range.
    if (bounds.at(-1) === start) {
      bounds[bounds.length - 1] = end;
      return;
    }
    const from = this.#firstEndingAfter(start - 1);
    let to = from;
    let first = start;
    let last = end;
    for (; to < bounds.length && bounds[to]! <= end; to += 2) {
      first = Math.min(first, bounds[to]!);
      last = Math.max(last, bounds[to + 1]!);
    }
    if (to > from || bounds.length < 2 * rangesMax) bounds.splice(from, to - from, first, last);
  }

  clear(): void {
    this.#bounds.length = 0;
  }

  /** Returns where the first range that ends after a position is in the list; its length if there is none. */
  #firstEndingAfter(position: number): number {
    let low = 0;
    let high = this.#bounds.length >>> 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bounds[2 * middle + 1]! > position) high = middle;
      else low = middle + 1;
    }
    return 2 * low;
  }
}
