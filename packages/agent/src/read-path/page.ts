import { CheckedBatches } from './checked-batches.ts';

/**
 * The bytes of one page of a file. A page that was read is one buffer; one that this agent wrote may still be the many
 * slices that it was written from. The bytes must not be changed.
 */
export class Page {
  readonly byteLength: number;
  readonly checked: CheckedBatches;
  readonly #slices: readonly Buffer[];
  /** Where each slice begins in the page. */
  readonly #starts: readonly number[];

  /** `isChecked`: the batches were already validated when a producer sent them. */
  constructor(slices: readonly Buffer[], { isChecked = false }: { readonly isChecked?: boolean } = {}) {
    const starts: number[] = [];
    let at = 0;
    for (const slice of slices) {
      starts.push(at);
      at += slice.length;
    }
    this.#slices = slices;
    this.#starts = starts;
    this.byteLength = at;
    this.checked = new CheckedBatches(at, { isAll: isChecked });
  }

  /** Appends views of the bytes from `start` to `end` to a list. */
  collect(start: number, end: number, into: Buffer[]): void {
    for (let index = this.#sliceAt(start); index < this.#slices.length; index++) {
      const slice = this.#slices[index]!;
      const sliceStart = this.#starts[index]!;
      if (sliceStart >= end) return;
      into.push(slice.subarray(Math.max(0, start - sliceStart), Math.min(slice.length, end - sliceStart)));
    }
  }

  /** Returns the last slice that begins at or before a position. */
  #sliceAt(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Cuts a file that this agent wrote, given as slices, into pages that share its memory. */
export function pagesOf(slices: readonly Uint8Array[], pageBytes: number): Page[] {
  const pages: Page[] = [];
  let current: Buffer[] = [];
  let room = pageBytes;
  for (const slice of slices) {
    for (let at = 0; at < slice.length; ) {
      const length = Math.min(room, slice.length - at);
      current.push(Buffer.from(slice.buffer, slice.byteOffset + at, length));
      at += length;
      room -= length;
      if (room > 0) continue;
      pages.push(new Page(current, { isChecked: true }));
      current = [];
      room = pageBytes;
    }
  }
  if (current.length > 0) pages.push(new Page(current, { isChecked: true }));
  return pages;
}
