import type { Pointers } from '@weir/cluster';
import type { Semaphore } from '@weir/core';
import { isMarker } from './marker-batches.ts';
import type { Page } from './page.ts';
import type { PageCache } from './page-cache.ts';
import type { PageMetrics } from './page-metrics.ts';
import type { PageSource } from './page-source.ts';

/** A page that a reader will need. */
interface PlannedPage {
  readonly fileId: string;
  readonly index: number;
  /** Bytes of the ranges that the reader consumes before it needs the page. */
  readonly bytesBefore: number;
}

/**
 * Iterates over the pages that contain ranges, in the order in which a reader needs them, from byte `at` of range `row`
 * on, up to the range that begins at `toOffset`.
 */
export function* pagesFrom(
  pointers: Pointers,
  row: number,
  at: number,
  pageBytes: number,
  toOffset = Number.POSITIVE_INFINITY,
): Generator<PlannedPage, void, undefined> {
  let bytesBefore = 0;
  for (let next = row; next < pointers.fileId.length; next++) {
    if (pointers.baseOffset[next]! >= toOffset) return;
    const fileId = pointers.fileId[next]!;
    const start = next === row ? at : pointers.byteStart[next]!;
    const end = pointers.byteStart[next]! + pointers.byteLength[next]!;
    if (start >= end || isMarker(pointers, next)) continue;
    for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
      yield { fileId, index, bytesBefore: bytesBefore + Math.max(0, index * pageBytes - start) };
    }
    bytesBefore += end - start;
  }
}

interface ReadaheadOptions {
  readonly plan: Iterator<PlannedPage>;
  /** Pages after this many bytes are not needed. */
  readonly bytesMax: number;
  /** Limits on pages ahead: `pagesMax` for one reader, `budget` for all readers together. */
  readonly pagesMax: number;
  readonly budget: Semaphore;
  readonly cache: PageCache;
  readonly source: PageSource;
  readonly metrics: PageMetrics;
}

/**
 * Requests the pages of one reader before it needs them, so that it waits for the slowest of several reads and not for
 * one after the other. Loaded pages wait here for the reader, because the cache may evict them meanwhile.
 */
export class Readahead {
  readonly #options: ReadaheadOptions;
  readonly #pages = new Map<string, Promise<Page>>();
  #next: PlannedPage | undefined;

  constructor(options: ReadaheadOptions) {
    this.#options = options;
    this.#advance();
  }

  /** Requests as many pages as the limits allow. */
  ask(): void {
    const { bytesMax, pagesMax, budget, cache, source, metrics } = this.#options;
    while (this.#next !== undefined && this.#next.bytesBefore < bytesMax && this.#pages.size < pagesMax) {
      const { fileId, index } = this.#next;
      if (!cache.expects(fileId, index)) {
        if (!budget.tryAcquire()) return;
        const page = source.read(fileId, index);
        // A reader that takes the page sees the error; otherwise it does not matter.
        page.catch(() => undefined);
        this.#pages.set(keyOf(fileId, index), page);
        metrics.readahead.add(1);
      }
      this.#advance();
    }
  }

  /** Returns the page if it was requested, and frees its slot for the next one. The caller has to release it. */
  take(fileId: string, index: number): Promise<Page> | undefined {
    const key = keyOf(fileId, index);
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#options.budget.release();
    return page;
  }

  /** Drops pages that the reader did not use. */
  end(): void {
    for (const page of this.#pages.values()) {
      page.then(
        (unused) => unused.release(),
        () => undefined,
      );
      this.#options.budget.release();
    }
    this.#pages.clear();
  }

  #advance(): void {
    const { done, value } = this.#options.plan.next();
    this.#next = done ? undefined : value;
  }
}

function keyOf(fileId: string, index: number): string {
  return `${fileId}/${index}`;
}
