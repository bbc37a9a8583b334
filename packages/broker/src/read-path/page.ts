import type { PooledMemory } from '../slabs/memory-pool.ts';
import { CheckedRanges } from './checked-ranges.ts';

interface PageOptions {
  /** What was checked of the file. `all`: the batches were validated, and cannot have changed since. */
  readonly checked?: CheckedRanges | 'all' | undefined;
  /** The memory that holds the slices, if it is used again. */
  readonly memory?: PooledMemory | undefined;
}

/**
 * The bytes of one page of a file. A page that was read is one buffer; one that this agent wrote may still be the many
 * slices that it was written from. The bytes must not be changed.
 *
 * The memory is used for another page after the last user has released it: the cache, readers, answers that are not
 * sent yet. A new page has one user, its creator; `retain` adds one. A user that forgets to release only prevents the
 * reuse. Views must not outlive the use, unless the page is kept.
 */
export class Page {
  readonly byteLength: number;
  /** What was checked of the file, by its bytes. */
  readonly #checked: CheckedRanges | 'all';
  readonly #slices: readonly Buffer[];
  /** Where each slice begins in the page. */
  readonly #starts: readonly number[];
  readonly #memory: PooledMemory | undefined;
  #isKept = false;
  #users = 1;

  constructor(slices: readonly Buffer[], { checked = new CheckedRanges(), memory }: PageOptions = {}) {
    const starts: number[] = [];
    let at = 0;
    for (const slice of slices) {
      starts.push(at);
      at += slice.length;
    }
    this.#slices = slices;
    this.#starts = starts;
    this.byteLength = at;
    this.#checked = checked;
    this.#memory = memory;
  }

  /** The memory that the page shares with others; `undefined` if it has its own. */
  get slab(): ArrayBufferLike | undefined {
    return this.#memory?.bytes.buffer;
  }

  /** Whether bytes of the file that lie in this page were checked. */
  isChecked(start: number, end: number): boolean {
    return this.#checked === 'all' || this.#checked.has(start, end);
  }

  addChecked(start: number, end: number): void {
    if (this.#checked !== 'all') this.#checked.add(start, end);
  }

  /** Adds a user. Only a user may call it, or the cache on behalf of one. */
  retain(): this {
    if (this.#users === 0) throw new Error('retained a released page');
    this.#users++;
    return this;
  }

  /** Ends one use. */
  release(): void {
    if (this.#users === 0) throw new Error('released a page too often');
    if (--this.#users === 0 && !this.#isKept) this.#memory?.release();
  }

  /** Leaves the memory to the garbage collector, so that views of it stay valid for ever. */
  keep(): void {
    this.#isKept = true;
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
      pages.push(new Page(current, { checked: 'all' }));
      current = [];
      room = pageBytes;
    }
  }
  if (current.length > 0) pages.push(new Page(current, { checked: 'all' }));
  return pages;
}
