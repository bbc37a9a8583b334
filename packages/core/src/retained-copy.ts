import { KiB } from './bytes.ts';

/**
 * Returns a copy for long-term use. The runtime allocates small buffers from a shared pool of 64 KiB, which lives as
 * long as any of them: a few bytes that are held for minutes would hold the whole pool, including what other callers
 * wrote there for a moment.
 */
export function retainedCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Values up to this size share pages. Larger ones have a buffer of their own, which costs them little. */
const sharingBytesMax = 4 * KiB;
/** A page lives as long as any value in it, so that it must not be large. */
const pageBytes = 16 * KiB;

/** Where a copy begins, and in what. */
interface RetainedPlace {
  readonly page: Buffer;
  readonly start: number;
}

/**
 * Makes copies for long-term use of very many small values. A buffer of its own costs a value some hundred bytes, so
 * that they share pages, in the order of their copying; even a view costs a hundred, so that a place is returned.
 */
export class RetainedCopies {
  #page = Buffer.alloc(0);
  #usedBytes = 0;

  copy(bytes: Uint8Array): RetainedPlace {
    const { length } = bytes;
    if (length > sharingBytesMax) return { page: retainedCopy(bytes), start: 0 };
    if (this.#usedBytes + length > this.#page.length) {
      this.#page = Buffer.allocUnsafeSlow(pageBytes);
      this.#usedBytes = 0;
    }
    const start = this.#usedBytes;
    this.#page.set(bytes, start);
    this.#usedBytes += length;
    return { page: this.#page, start };
  }
}
