/** No valid batch is shorter than its header and one record, so at most one begins in each cell. */
const cellBytes = 64;

/**
 * Which batches of one page had a valid CRC, so that each is checked once while the page is in memory. One bit per 64
 * bytes stands for the batch that begins there: 8 KiB for a page of 4 MiB, and nothing before the first check.
 *
 * A batch that crosses pages is marked in all of them. It is checked again if one of them was reloaded.
 */
export class CheckedBatches {
  readonly #isAll: boolean;
  readonly #pageBytes: number;
  #cells: Uint8Array | undefined;
  /** Whether the end of a batch that begins in an earlier page was checked together with its beginning. */
  #hasHead: boolean;

  constructor(pageBytes: number, { isAll = false }: { readonly isAll?: boolean } = {}) {
    this.#pageBytes = pageBytes;
    this.#isAll = isAll;
    this.#hasHead = isAll;
  }

  get hasHead(): boolean {
    return this.#hasHead;
  }

  addHead(): void {
    this.#hasHead = true;
  }

  /** `start` is counted from the beginning of the page. */
  has(start: number, batchBytes: number): boolean {
    if (this.#isAll) return true;
    if (this.#cells === undefined || batchBytes < cellBytes) return false;
    const cell = Math.floor(start / cellBytes);
    return (this.#cells[cell >>> 3]! & (1 << (cell & 7))) !== 0;
  }

  add(start: number, batchBytes: number): void {
    if (this.#isAll || batchBytes < cellBytes) return;
    this.#cells ??= new Uint8Array(Math.ceil(this.#pageBytes / cellBytes / 8));
    const cell = Math.floor(start / cellBytes);
    this.#cells[cell >>> 3]! |= 1 << (cell & 7);
  }
}
