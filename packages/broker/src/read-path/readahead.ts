import type { Pointers } from '@weir/cluster';
import type { Semaphore } from '@weir/core';
import { isMarker } from './marker-batches.ts';
import type { Page } from './page.ts';
import type { PageCache } from './page-cache.ts';
import type { PageMetrics } from './page-metrics.ts';
import type { PageSource } from './page-source.ts';
import type { RangeReads } from './range-reads.ts';

/** A page that a reader will need, or a range without its pages. */
type PlannedRead = {
  /** The range that needs it. */
  readonly row: number;
  readonly fileId: string;
  /** Bytes of the ranges that the reader consumes before it needs the page. */
  readonly bytesBefore: number;
} & (
  | { readonly index: number }
  | { readonly index?: undefined; readonly start: number; readonly end: number }
);

interface PlanOptions {
  readonly pageBytes: number;
  /** Ranges that begin at or after this offset are not needed. */
  readonly toOffset?: number | undefined;
  /** Whether a range is read without the rest of its pages. By default none is. */
  readonly isReadAlone?: (fileId: string, start: number, end: number, bytesBefore: number) => boolean;
}

/**
 * Iterates over the pages that contain ranges, in the order in which a reader needs them, from byte `at` of range `row`
 * on.
 */
export function* readsFrom(
  pointers: Pointers,
  row: number,
  at: number,
  { pageBytes, toOffset = Number.POSITIVE_INFINITY, isReadAlone = () => false }: PlanOptions,
): Generator<PlannedRead, void, undefined> {
  let bytesBefore = 0;
  for (let next = row; next < pointers.fileId.length; next++) {
    if (pointers.baseOffset[next]! >= toOffset) return;
    const fileId = pointers.fileId[next]!;
    const start = next === row ? at : pointers.byteStart[next]!;
    const end = pointers.byteStart[next]! + pointers.byteLength[next]!;
    if (start >= end || isMarker(pointers, next)) continue;
    if (isReadAlone(fileId, start, end, bytesBefore)) {
      yield { row: next, fileId, start, end, bytesBefore };
    } else {
      for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
        yield { row: next, fileId, index, bytesBefore: bytesBefore + Math.max(0, index * pageBytes - start) };
      }
    }
    bytesBefore += end - start;
  }
}

interface ReadaheadOptions {
  readonly plan: Iterator<PlannedRead>;
  /** Pages after this many bytes are not needed. */
  readonly bytesMax: number;
  /** Limits on pages ahead: `pagesMax` for one reader, `budget` for all readers together. */
  readonly pagesMax: number;
  readonly budget: Semaphore;
  readonly cache: PageCache;
  readonly source: PageSource;
  readonly rangeReads: Pick<RangeReads, 'read'>;
  readonly metrics: PageMetrics;
}

/**
 * Requests the pages of one reader before it needs them, so that it waits for the slowest of several reads and not for
 * one after the other. Loaded pages wait here for the reader, because the cache may evict them meanwhile.
 */
export class Readahead {
  readonly #options: ReadaheadOptions;
  readonly #pages = new Map<string, Promise<Page>>();
  #next: PlannedRead | undefined;

  constructor(options: ReadaheadOptions) {
    this.#options = options;
    this.#advance();
  }

  /** Requests as many pages as the limits allow, for a reader that has come to range `row`. */
  ask(row = 0): void {
    const { bytesMax, pagesMax, budget, cache, metrics } = this.#options;
    while (this.#next !== undefined && this.#next.bytesBefore < bytesMax && this.#pages.size < pagesMax) {
      const next = this.#next;
      const isNeeded =
        next.row >= row && (next.index === undefined || !cache.expects(next.fileId, next.index));
      if (isNeeded) {
        if (!budget.tryAcquire()) return;
        const page = this.#read(next);
        // A reader that takes the page sees the error; otherwise it does not matter.
        page.catch(() => undefined);
        this.#pages.set(keyOf(next), page);
        metrics.readahead.add(1);
      }
      this.#advance();
    }
  }

  #read(read: PlannedRead): Promise<Page> {
    const { source, rangeReads } = this.#options;
    if (read.index !== undefined) return source.read(read.fileId, read.index);
    return rangeReads.read(read.fileId, read.start, read.end);
  }

  /** Returns the page if it was requested, and frees its slot for the next one. The caller has to release it. */
  take(fileId: string, index: number): Promise<Page> | undefined {
    return this.#take(keyOf({ fileId, index }));
  }

  /** The same for a range that is read without its pages. */
  takeRange(fileId: string, start: number): Promise<Page> | undefined {
    return this.#take(keyOf({ fileId, start }));
  }

  #take(key: string): Promise<Page> | undefined {
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

function keyOf(read: {
  readonly fileId: string;
  readonly index?: number | undefined;
  readonly start?: number;
}): string {
  return read.index === undefined ? `${read.fileId}:${read.start}` : `${read.fileId}/${read.index}`;
}
