import type { Pointers } from '@weir/cluster';
import { type Clock, fileIdLevel, fileIdTimeMs } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { Page } from './page.ts';
import type { PageCache } from './page-cache.ts';
import type { BucketPages } from './page-source.ts';

interface RangeReadsOptions {
  readonly source: BucketPages;
  readonly cache: PageCache;
  readonly pageBytes: number;
  readonly clock: Clock;
}

/** A range of at most a page divided by this is read by itself. */
const rangeParts = 2;

/**
 * Reads ranges without their pages. A reader of one of a thousand partitions would use a thousandth of each page that
 * it loads. A page of which something is read a second time is loaded as a whole: others read its partitions too, or
 * the same one. New files that were not merged are always read by pages, because all consumers of a topic are at the
 * same few pages.
 */
export class RangeReads {
  readonly #options: RangeReadsOptions;
  /** In the order of their reads. */
  readonly #partlyRead = new Set<string>();

  constructor(options: RangeReadsOptions) {
    this.#options = options;
  }

  /**
   * Whether bytes of a file should be read without the rest of their pages, if a reader needs all of them. `others`
   * says which pages are needed for something else too.
   */
  suits(fileId: string, start: number, end: number, others?: NeededPages): boolean {
    const { cache, pageBytes } = this.#options;
    if (end - start > pageBytes / rangeParts) return false;
    // Most pages are in memory, which is the cheapest to find out.
    if (cache.expects(fileId, Math.floor(start / pageBytes)) || this.#isNew(fileId)) return false;
    for (const index of indexes(start, end, pageBytes)) {
      const key = keyOf(fileId, index);
      if (this.#partlyRead.has(key) || cache.expects(fileId, index) || others?.isShared(key)) return false;
    }
    return true;
  }

  #isNew(fileId: string): boolean {
    if (fileIdLevel(fileId) > 0) return false;
    return fileIdTimeMs(fileId) > this.#options.clock.nowMs() - brokerLimits.newFileAgeMs;
  }

  /** Returns the bytes as a page of their own, which the caller has to release. It does not enter the cache. */
  read(fileId: string, start: number, end: number): Promise<Page> {
    const { source, pageBytes } = this.#options;
    for (const index of indexes(start, end, pageBytes)) {
      this.#partlyRead.add(keyOf(fileId, index));
      if (this.#partlyRead.size <= brokerLimits.partlyReadPagesMax) continue;
      for (const oldest of this.#partlyRead) {
        this.#partlyRead.delete(oldest);
        break;
      }
    }
    return source.readRange(fileId, start, end);
  }
}

/** The pages that the queries of one answer need. */
export class NeededPages {
  readonly #queries: readonly { readonly pointers: Pointers }[];
  readonly #pageBytes: number;
  #shared: ReadonlySet<string> | undefined;

  constructor(queries: readonly { readonly pointers: Pointers }[], pageBytes: number) {
    this.#queries = queries;
    this.#pageBytes = pageBytes;
  }

  get isForOneQuery(): boolean {
    return this.#queries.length === 1;
  }

  /** Whether several queries need the page. */
  isShared(key: string): boolean {
    if (this.#queries.length === 1) return false;
    this.#shared ??= this.#findShared();
    return this.#shared.has(key);
  }

  #findShared(): ReadonlySet<string> {
    const shared = new Set<string>();
    const queryOf = new Map<string, number>();
    for (const [query, { pointers }] of this.#queries.entries()) {
      for (const [row, fileId] of pointers.fileId.entries()) {
        const start = pointers.byteStart[row]!;
        for (const index of indexes(start, start + pointers.byteLength[row]!, this.#pageBytes)) {
          const key = keyOf(fileId, index);
          if ((queryOf.get(key) ?? query) === query) queryOf.set(key, query);
          else shared.add(key);
        }
      }
    }
    return shared;
  }
}

/** The pages that bytes lie in. */
function* indexes(start: number, end: number, pageBytes: number): Generator<number, void, undefined> {
  for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) yield index;
}

function keyOf(fileId: string, index: number): string {
  return `${fileId}/${index}`;
}
