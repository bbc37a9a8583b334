import type { Page } from './page.ts';

/** Contiguous bytes of a file as views of its pages, and a user of them. */
export class PageSpan {
  readonly views: Buffer[] = [];
  /** Whether the file ended before the span did. */
  readonly isShort: boolean;
  readonly pages: readonly Page[];
  readonly #firstIndex: number;
  readonly #pageBytes: number;

  /** `pages` are all pages that contain the bytes from `start` to `end`, in order. */
  constructor(pages: readonly Page[], start: number, end: number, pageBytes: number) {
    this.pages = pages;
    this.#firstIndex = Math.floor(start / pageBytes);
    this.#pageBytes = pageBytes;
    let isShort = false;
    for (const [index, page] of pages.entries()) {
      const pageStart = (this.#firstIndex + index) * pageBytes;
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
    const index = Math.floor(byteStart / this.#pageBytes);
    if (!this.#page(index).checked.has(byteStart - index * this.#pageBytes, batchBytes)) return false;
    for (let next = index + 1; next * this.#pageBytes < byteStart + batchBytes; next++) {
      if (!this.#page(next).checked.hasHead) return false;
    }
    return true;
  }

  addChecked(byteStart: number, batchBytes: number): void {
    const index = Math.floor(byteStart / this.#pageBytes);
    this.#page(index).checked.add(byteStart - index * this.#pageBytes, batchBytes);
    for (let next = index + 1; next * this.#pageBytes < byteStart + batchBytes; next++) {
      this.#page(next).checked.addHead();
    }
  }

  #page(index: number): Page {
    return this.pages[index - this.#firstIndex]!;
  }
}
