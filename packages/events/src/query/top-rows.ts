import type { SortOrder } from './request.ts';

/**
 * The first rows, in the order of a scan, among those offered. Sorting is amortized: it runs now and then, not per row.
 */
export class TopRows<Row extends { readonly timeMs: number; readonly offset: number }> {
  readonly #limit: number;
  readonly #compare: (one: Row, other: Row) => number;
  #rows: Row[] = [];
  /** The last row that still qualifies, once there are enough. */
  #last: Row | undefined;

  constructor(limit: number, order: SortOrder) {
    this.#limit = limit;
    const sign = order === 'asc' ? 1 : -1;
    this.#compare = (one, other) => sign * (one.timeMs - other.timeMs || one.offset - other.offset);
  }

  offer(row: Row): void {
    if (this.#limit === 0 || (this.#last !== undefined && this.#compare(row, this.#last) >= 0)) return;
    this.#rows.push(row);
    if (this.#rows.length >= 2 * this.#limit + 32) this.#cut();
  }

  take(): readonly Row[] {
    this.#cut();
    return this.#rows;
  }

  #cut(): void {
    this.#rows.sort(this.#compare);
    if (this.#rows.length < this.#limit) return;
    this.#rows.length = this.#limit;
    this.#last = this.#rows.at(-1);
  }
}
