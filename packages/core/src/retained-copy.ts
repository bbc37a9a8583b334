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

/**
 * Makes copies for long-term use of very many small values. A buffer of its own costs a value some hundred bytes, so
 * that they share pages, in the order of their copying.
 */
export class RetainedCopies {
  #page = Buffer.alloc(0);
  #usedBytes = 0;

  copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    if (length > sharingBytesMax) return retainedCopy(bytes);
    if (this.#usedBytes + length > this.#page.length) {
      this.#page = Buffer.allocUnsafeSlow(pageBytes);
      this.#usedBytes = 0;
    }
    const copy = this.#page.subarray(this.#usedBytes, this.#usedBytes + length);
    copy.set(bytes);
    this.#usedBytes += length;
    return copy;
  }
}
