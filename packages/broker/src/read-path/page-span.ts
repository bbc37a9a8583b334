import type { Page } from './page.ts';

/** Contiguous bytes of a file as views of its pages, and a user of them. */
export class PageSpan {
  readonly views: Buffer[] = [];
  /** Whether the file ended before the span did. */
  readonly isShort: boolean;
  readonly pages: readonly Page[];
  readonly #origin: number;
  readonly #firstIndex: number;
  readonly #pageBytes: number;

  /**
   * `pages` are all pages that contain the bytes from `start` to `end`, in order. The first page of the file begins at
   * `origin`, which is not 0 for a part of a file that was read by itself.
   */
  constructor(pages: readonly Page[], start: number, end: number, pageBytes: number, origin = 0) {
    this.pages = pages;
    this.#origin = origin;
    this.#firstIndex = Math.floor((start - origin) / pageBytes);
    this.#pageBytes = pageBytes;
    let isShort = false;
    for (const [index, page] of pages.entries()) {
      const pageStart = origin + (this.#firstIndex + index) * pageBytes;
      const pieceStart = Math.max(0, start - pageStart);
      const pieceEnd = Math.min(end - pageStart, pageBytes);
      if (page.byteLength > pieceStart) {
        page.collect(pieceStart, Math.min(pieceEnd, page.byteLength), this.views);
      }
      isShort = page.byteLength < pieceEnd;
      // Bytes after a gap are unusable.
      if (isShort) break;
    }
    this.isShort = isShort;
  }

  /** Whether the batch at this byte of the file was already found intact. */
  isChecked(byteStart: number, batchBytes: number): boolean {
    const start = byteStart - this.#origin;
    const index = Math.floor(start / this.#pageBytes);
    if (!this.#page(index).checked.has(start - index * this.#pageBytes, batchBytes)) return false;
    for (let next = index + 1; next * this.#pageBytes < start + batchBytes; next++) {
      if (!this.#page(next).checked.hasHead) return false;
    }
    return true;
  }

  addChecked(byteStart: number, batchBytes: number): void {
    const start = byteStart - this.#origin;
    const index = Math.floor(start / this.#pageBytes);
    this.#page(index).checked.add(start - index * this.#pageBytes, batchBytes);
    for (let next = index + 1; next * this.#pageBytes < start + batchBytes; next++) {
      this.#page(next).checked.addHead();
    }
  }

  #page(index: number): Page {
    return this.pages[index - this.#firstIndex]!;
  }
}
