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
    const byteEnd = byteStart + batchBytes;
    if (this.pages.length === 1) return this.pages[0]!.isChecked(byteStart, byteEnd);
    for (let at = byteStart; at < byteEnd; ) {
      const index = this.#indexOf(at);
      const end = Math.min(byteEnd, this.#endOf(index));
      if (!this.pages[index]!.isChecked(at, end)) return false;
      at = end;
    }
    return true;
  }

  /** A batch that crosses pages is marked in all of them. It is checked again if one of them was reloaded. */
  addChecked(byteStart: number, batchBytes: number): void {
    const byteEnd = byteStart + batchBytes;
    for (let at = byteStart; at < byteEnd; ) {
      const index = this.#indexOf(at);
      const end = Math.min(byteEnd, this.#endOf(index));
      this.pages[index]!.addChecked(at, end);
      at = end;
    }
  }

  /** Returns which of the pages holds a byte of the file. */
  #indexOf(byte: number): number {
    return Math.floor((byte - this.#origin) / this.#pageBytes) - this.#firstIndex;
  }

  /** Returns the byte of the file at which a page ends. */
  #endOf(index: number): number {
    return this.#origin + (this.#firstIndex + index + 1) * this.#pageBytes;
  }
}
