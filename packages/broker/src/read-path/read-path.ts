import type { Pointers } from '@weir/cluster';
import { type Clock, type Log, type Metrics, Semaphore } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { brokerLimits } from '../limits.ts';
import type { AnswerHold } from '../requests/answer-hold.ts';
import type { SlabPool } from '../slabs/slab-pool.ts';
import { AnswerPages } from './answer-pages.ts';
import type { BatchCursor } from './batch-cursor.ts';
import type { BatchList } from './batch-list.ts';
import { CheckedFiles } from './checked-files.ts';
import { Page, pagesOf } from './page.ts';
import { PageCache } from './page-cache.ts';
import { type PageMetrics, pageMetrics } from './page-metrics.ts';
import { createCopyPool, createPagePool } from './page-pool.ts';
import { type PageSource, storePages } from './page-source.ts';
import { PageSpan } from './page-span.ts';
import { damagedOf, type LoadedSpan, type RangeReader, takeBatches } from './range-reader.ts';
import { NeededPages, RangeReads } from './range-reads.ts';
import { type RangeWalk, rangesOf } from './range-walk.ts';
import { Readahead, readsFrom } from './readahead.ts';
import { type RemotePages, routedPages } from './routed-pages.ts';

interface ReadPathOptions {
  readonly store: ObjectStore;
  readonly cluster: ClusterView;
  readonly pages: PageOptions;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Finds pages that other agents of the zone keep. If absent, this agent reads all pages itself. */
  readonly remotePages?: RemotePages;
  /** Memory of pages, which it may share with `remotePages`. If absent, it has its own. */
  readonly pool?: SlabPool;
}

export interface PageOptions {
  readonly pageBytes: number;
  readonly cacheBytesMax: number;
  /**
   * How a file that this agent wrote enters the cache. `keep`: as the slices it was written from, without a copy; only
   * if the memory of request frames is never reused. `copy`: in memory of its own. `none`: it is read like any other
   * file.
   */
  readonly ownFiles: 'keep' | 'copy' | 'none';
  /** Whether the next pages are loaded ahead for a reader of one partition. Default: true. */
  readonly readahead?: boolean;
}

export interface ReadPath {
  /**
   * Reads batches of many partitions in parallel. Results come in the order of the queries, an `Error` for those of
   * which not even the first batch could be read: a `DamagedRange`, or why the store could not be read. All results
   * belong to one answer and are views of pages, unless they use too little of a page. They must not be used after
   * `hold` is released. Without it they may be used for ever, but the memory of these pages is not used again.
   */
  readBatches(queries: readonly ReadQuery[], hold?: AnswerHold): Promise<(BatchList | Error)[]>;
  /**
   * Passes the batches of a stored range to `visit` one by one until it returns a value, which is the result. What the
   * cursor returns must not be used later, unless in that result.
   */
  searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined>;
  /**
   * Returns a page for another agent, synchronously if it is in memory, else from the bucket. Never from a third agent:
   * two agents that each take the other for the keeper of a page would ask each other forever. The caller has to
   * release it.
   */
  lendPage(fileId: string, index: number): Page | Promise<Page>;
  /**
   * Returns bytes of a file as views of its pages, if all of them are in memory. Retaining the views retains the pages,
   * whose memory is not used again.
   */
  inMemory(fileId: string, start: number, end: number): readonly Buffer[] | undefined;
  /** Takes a file that this agent has just written. */
  adopt(file: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void;
}

export interface ReadQuery {
  readonly pointers: Pointers;
  /** Batches that end before it are left out; the first one may begin before it. */
  readonly fromOffset: number;
  /** Batches that begin at or after it are left out. If absent, none are. */
  readonly toOffset?: number;
  readonly bytesMax: number;
  /** The same for decompressed batches, by the sizes that they claim. If absent, there is no such limit. */
  readonly uncompressedBytesMax?: number;
  /** If absent, only bytes are limited. */
  readonly batchesMax?: number | undefined;
  /** Whether one batch may exceed the limits, so that a reader does not get stuck at a large one. */
  readonly atLeastOne: boolean;
}

/** Pages that one reader loads ahead. At 30 ms per page, eight pages give a gigabyte per second. */
const readaheadPagesMax = 8;
/** Pages that are loaded ahead after the answer to a reader of one partition. */
const readaheadPages = 2;

/** Reads stored batches: ranges of files, in pages, through a cache, as views of it. */
export function createReadPath(options: ReadPathOptions): ReadPath {
  return new PagedReadPath(options);
}

class PagedReadPath implements ReadPath {
  readonly #options: PageOptions;
  readonly #cache: PageCache;
  readonly #source: PageSource;
  readonly #rangeReads: RangeReads;
  readonly #aheadBudget = new Semaphore({ permits: brokerLimits.readaheadPagesMax });
  readonly #metrics: PageMetrics;
  readonly #pool: SlabPool;
  readonly #copyPool = createCopyPool();
  readonly #checkedFiles: CheckedFiles;

  constructor(options: ReadPathOptions) {
    const { store, cluster, pages, clock, log, metrics, remotePages = () => undefined } = options;
    this.#options = pages;
    this.#metrics = pageMetrics(metrics);
    const { pageBytes, cacheBytesMax } = pages;
    this.#pool =
      options.pool ?? createPagePool({ bytesMax: cacheBytesMax + brokerLimits.uncachedPageBytesMax });
    this.#checkedFiles = new CheckedFiles(clock);
    const source = storePages({
      clusterId: () => cluster.clusterId,
      store,
      pageBytes,
      readsMax: brokerLimits.pageReadsMax,
      pool: this.#pool,
      checkedFiles: this.#checkedFiles,
      metrics: this.#metrics,
    });
    this.#cache = new PageCache({ source, cacheBytesMax });
    this.#rangeReads = new RangeReads({ source, cache: this.#cache, pageBytes, clock });
    this.#source = routedPages(this.#cache, remotePages, { log, metrics: this.#metrics });
  }

  async readBatches(queries: readonly ReadQuery[], hold?: AnswerHold): Promise<(BatchList | Error)[]> {
    const pages = new AnswerPages(this.#copyPool);
    const needed = new NeededPages(queries, this.#options.pageBytes);
    const results = await Promise.all(
      queries.map((query) =>
        this.#readBatches(query, pages, needed, queries.length === 1).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        ),
      ),
    );
    pages.release();
    if (hold === undefined) pages.keep();
    else hold.add(() => pages.free());
    for (const result of results) {
      if (result instanceof Error) continue;
      this.#metrics.readRecords.add(result.recordCount);
      this.#metrics.readBytes.add(result.bytes);
    }
    return results;
  }

  async #readBatches(
    query: ReadQuery,
    pages: AnswerPages,
    needed: NeededPages,
    isAlone: boolean,
  ): Promise<BatchList> {
    const { pointers, fromOffset, toOffset = Number.POSITIVE_INFINITY, bytesMax, atLeastOne } = query;
    const { uncompressedBytesMax, batchesMax = Number.POSITIVE_INFINITY } = query;
    const list = pages.newList();
    const room = () => bytesMax - list.bytes;
    let ahead: Readahead | undefined;
    let isFull = false;
    const reader: RangeReader = {
      roomBytes: room,
      goesOn: ({ offset }) => {
        if (offset >= toOffset) return false;
        isFull = list.batchCount >= batchesMax || (room() <= 0 && !(atLeastOne && list.batchCount === 0));
        return !isFull;
      },
      load: (walk, end) => {
        const { row, fileId, at } = walk;
        let range = ahead?.takeRange(fileId, at);
        if (
          range === undefined &&
          walk.end - at <= room() &&
          this.#rangeReads.suits(fileId, at, walk.end, needed)
        ) {
          ahead ??= this.#aheadOf(query, walk, room(), needed);
          ahead.ask(row);
          range = ahead.takeRange(fileId, at) ?? this.#rangeReads.read(fileId, at, walk.end);
        }
        if (range !== undefined) {
          ahead?.ask(row + 1);
          return this.#rangeSpan(range, at, walk.end);
        }
        const span = this.#span(fileId, at, end, ahead);
        // Most readers find everything in memory and need no readahead.
        if (span instanceof Promise) ahead ??= this.#aheadOf(query, walk, room(), needed);
        ahead?.ask(row);
        return span;
      },
      loaded: ({ views }) => pages.loaded(views),
      takes: (walk, cursor) => {
        const baseOffset = walk.baseOffsetOf(cursor);
        if (baseOffset >= toOffset) return false;
        if (baseOffset + cursor.offsetSpan <= fromOffset) return true;
        isFull =
          list.batchCount >= batchesMax ||
          (cursor.batchBytes > room() && !(atLeastOne && list.batchCount === 0));
        return !isFull;
      },
      take: (walk, cursor) => {
        const baseOffset = walk.baseOffsetOf(cursor);
        if (baseOffset + cursor.offsetSpan <= fromOffset) return undefined;
        const { batchBytes } = cursor;
        const uncompressed = uncompressedBytesMax === undefined ? batchBytes : cursor.uncompressedBytesMax;
        isFull =
          uncompressedBytesMax !== undefined &&
          list.uncompressedBytes + uncompressed > uncompressedBytesMax &&
          !(atLeastOne && list.batchCount === 0);
        if (isFull) return 'enough';
        list.add(cursor, baseOffset, uncompressed);
        return undefined;
      },
      done: (used) => pages.use(used),
    };
    try {
      for (const walk of rangesOf(pointers)) {
        if (walk.nextOffset <= fromOffset) continue;
        const batchesBefore = list.batchCount;
        const isPassed = await this.#walk(walk, reader);
        if (!isPassed) return isFull ? this.#stopAt(walk, query, list, isAlone) : list;
        try {
          walk.finish();
        } catch (error) {
          // These are valid batches, but not the committed ones.
          list.cutTo(batchesBefore);
          throw error;
        }
      }
      return list;
    } catch (error) {
      // The batches read so far are good; a reader that continues gets the error.
      if (list.batchCount === 0) throw error;
      return list;
    } finally {
      ahead?.end();
    }
  }

  /**
   * Passes the batches of a range to a reader, each complete and intact; returns false if the reader ended the walk.
   *
   * Batches that the reader skips are checked too, since the offsets of later ones depend on them. Invalid bytes are
   * read once more from the bucket before they count as damaged: they may come from another agent, and the file may
   * have been restored.
   */
  async #walk(walk: RangeWalk, reader: RangeReader): Promise<boolean> {
    let wantedBytes = 0;
    let damagedAt = -1;
    while (walk.at < walk.end) {
      if (!reader.goesOn(walk)) return false;
      try {
        const end = this.#windowEnd(walk, Math.max(wantedBytes, reader.roomBytes()));
        const loading = this.#load(walk, end, reader, damagedAt === walk.at);
        const span = loading instanceof Promise ? await loading : loading;
        if (loading instanceof Promise) reader.loaded?.(span);
        try {
          const next = takeBatches(walk, reader, span);
          if (next === 'enough') return false;
          wantedBytes = next;
        } finally {
          if (span instanceof PageSpan) reader.done(span.pages);
        }
      } catch (error) {
        const damaged = damagedOf(error, walk);
        if (damaged === undefined) throw error;
        this.#checkedFiles.forget(walk.fileId);
        if (damaged.damage.kind === 'missing' || damagedAt === walk.at) throw damaged;
        damagedAt = walk.at;
      }
    }
    return true;
  }

  /** Plans the pages that a query needs from its current position on. */
  #aheadOf(
    { pointers, fromOffset, toOffset }: ReadQuery,
    { row, at, end, offset }: RangeWalk,
    room: number,
    needed: NeededPages,
  ): Readahead {
    const { pageBytes } = this.#options;
    // How many bytes are skipped before the wanted offset is known only after reading, and estimated until then.
    const share = Math.max(0, fromOffset - offset) / (pointers.nextOffset[row]! - offset);
    const bytesMax = room + Math.min(1, share) * (end - at);
    return new Readahead({
      plan: readsFrom(pointers, row, at, {
        pageBytes,
        toOffset,
        isReadAlone: (fileId, start, end, bytesBefore) =>
          bytesBefore + end - start <= bytesMax && this.#rangeReads.suits(fileId, start, end, needed),
      }),
      bytesMax,
      pagesMax: readaheadPagesMax,
      budget: this.#aheadBudget,
      cache: this.#cache,
      source: this.#source,
      rangeReads: this.#rangeReads,
      metrics: this.#metrics,
    });
  }

  /**
   * Ends a query whose limit was reached before its ranges ended. A reader of one partition usually continues, so the
   * next pages are loaded ahead.
   */
  #stopAt(
    { row, at }: RangeWalk,
    { pointers, toOffset }: ReadQuery,
    list: BatchList,
    isAlone: boolean,
  ): BatchList {
    const { pageBytes, cacheBytesMax, readahead = true } = this.#options;
    if (!isAlone || !readahead || cacheBytesMax < pageBytes * brokerLimits.readaheadPagesMax) return list;
    let left = 1 + readaheadPages;
    const isReadAlone = (fileId: string, start: number, end: number) =>
      this.#rangeReads.suits(fileId, start, end);
    for (const { fileId, index } of readsFrom(pointers, row, at, { pageBytes, toOffset, isReadAlone })) {
      if (left-- === 0 || index === undefined) break;
      if (this.#cache.expects(fileId, index)) continue;
      if (!this.#aheadBudget.tryAcquire()) break;
      this.#metrics.readahead.add(1);
      this.#source.read(fileId, index).then(
        (page) => {
          page.release();
          this.#aheadBudget.release();
        },
        () => this.#aheadBudget.release(),
      );
    }
    return list;
  }

  async searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined> {
    let found: Found | undefined;
    const reader: RangeReader = {
      roomBytes: () => 0,
      goesOn: () => true,
      load: ({ fileId, at, end: rangeEnd }, end) =>
        this.#rangeReads.suits(fileId, at, rangeEnd)
          ? this.#rangeSpan(this.#rangeReads.read(fileId, at, rangeEnd), at, rangeEnd)
          : this.#span(fileId, at, end),
      takes: () => true,
      take: (walk, cursor) => {
        found = visit(cursor, walk.baseOffsetOf(cursor));
        return found === undefined ? undefined : 'enough';
      },
      done: (pages) => {
        for (const page of pages) {
          if (found !== undefined) page.keep();
          page.release();
        }
      },
    };
    for (const walk of rangesOf(pointers)) {
      if (!(await this.#walk(walk, reader))) return found;
      walk.finish();
    }
    return undefined;
  }

  lendPage(fileId: string, index: number): Page | Promise<Page> {
    return this.#cache.peek(fileId, index)?.retain() ?? this.#cache.read(fileId, index);
  }

  inMemory(fileId: string, start: number, end: number): readonly Buffer[] | undefined {
    const { pageBytes } = this.#options;
    for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
      if (this.#cache.peek(fileId, index) === undefined) return undefined;
    }
    const span = this.#span(fileId, start, end);
    if (span instanceof Promise) return undefined;
    for (const page of span.pages) {
      page.keep();
      page.release();
    }
    return span.isShort ? undefined : span.views;
  }

  adopt({ fileId, slices }: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void {
    const { ownFiles, pageBytes, cacheBytesMax } = this.#options;
    if (ownFiles === 'none' || cacheBytesMax === 0) return;
    for (const [index, page] of pagesOf(slices, pageBytes).entries()) {
      this.#cache.put(fileId, index, ownFiles === 'copy' ? copyOf(page, this.#pool) : page);
    }
    this.#metrics.cacheBytes.set(this.#cache.bytes);
  }

  /** A page is loaded as a whole, so using all of it costs nothing. */
  #windowEnd({ at, end }: RangeWalk, wantedBytes: number): number {
    const { pageBytes } = this.#options;
    const pageEnd = (Math.floor(at / pageBytes) + 1) * pageBytes;
    return Math.min(end, Math.max(pageEnd, at + wantedBytes));
  }

  #load(
    walk: RangeWalk,
    end: number,
    reader: RangeReader,
    isReload: boolean,
  ): LoadedSpan | Promise<LoadedSpan> {
    if (walk.marker !== undefined) return { views: walk.marker(), isShort: false };
    return isReload ? this.#reload(walk.fileId, walk.at, end) : reader.load(walk, end);
  }

  /**
   * Returns bytes of a file; synchronously if all of their pages are in memory. The caller has to release the pages.
   */
  #span(
    fileId: string,
    start: number,
    end: number,
    ahead?: Readahead | undefined,
  ): PageSpan | Promise<PageSpan> {
    const { pageBytes } = this.#options;
    const pages: (Page | Promise<Page>)[] = [];
    let areAllInMemory = true;
    for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
      const readAhead = ahead?.take(fileId, index);
      const page = readAhead === undefined ? this.#cache.peek(fileId, index)?.retain() : undefined;
      if (page === undefined) areAllInMemory = false;
      else this.#metrics.localHits.add(1);
      pages.push(page ?? readAhead ?? this.#source.read(fileId, index));
    }
    if (areAllInMemory) return new PageSpan(pages as Page[], start, end, pageBytes);
    return this.#spanOf(allPages(pages), start, end);
  }

  /** Returns bytes of a file that were read without the rest of their pages. */
  async #rangeSpan(range: Promise<Page>, start: number, end: number): Promise<PageSpan> {
    this.#metrics.localMisses.add(1);
    return new PageSpan([await range], start, end, this.#options.pageBytes, start);
  }

  /** Reads the same bytes from the bucket, past the cache. */
  #reload(fileId: string, start: number, end: number): Promise<PageSpan> {
    const { pageBytes } = this.#options;
    const pages: Promise<Page>[] = [];
    for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
      pages.push(this.#cache.reload(fileId, index));
    }
    return this.#spanOf(allPages(pages), start, end);
  }

  async #spanOf(pages: Promise<readonly Page[]>, start: number, end: number): Promise<PageSpan> {
    const ready = await pages;
    this.#metrics.cacheBytes.set(this.#cache.bytes);
    return new PageSpan(ready, start, end, this.#options.pageBytes);
  }
}

/** Waits for all pages. If one fails, the others are released. */
async function allPages(pages: readonly (Page | Promise<Page>)[]): Promise<Page[]> {
  const results = await Promise.allSettled(pages);
  const failure = results.find((result) => result.status === 'rejected');
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (failure === undefined) return found;
  for (const page of found) page.release();
  throw failure.reason;
}

function copyOf(page: Page, pool: SlabPool): Page {
  const slices: Buffer[] = [];
  page.collect(0, page.byteLength, slices);
  const memory = pool.take(page.byteLength);
  const copy = memory?.bytes ?? Buffer.allocUnsafeSlow(page.byteLength);
  let filled = 0;
  for (const slice of slices) filled += slice.copy(copy, filled);
  return new Page([copy], { checked: 'all', memory });
}
