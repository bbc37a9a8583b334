import type { Pointers } from '@weir/cluster';
import { type Clock, type Log, type Metrics, Semaphore } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { brokerLimits } from '../limits.ts';
import type { AnswerHold } from '../requests/answer-hold.ts';
import type { MemoryPool } from '../slabs/memory-pool.ts';
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
import { nextRange, QueryReader, type ReadQuery } from './query-reader.ts';
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
  readonly pool?: MemoryPool;
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
   * Reads batches of many partitions in parallel; synchronously if all of them are in memory. Results come in the order
   * of the queries, an `Error` for those of which not even the first batch could be read: a `DamagedRange`, or why the
   * store could not be read. All results belong to one answer and are views of pages, unless they use too little of a
   * page. They must not be used after `hold` is released. Without it they may be used for ever, but the memory of these
   * pages is not used again.
   */
  readBatches(
    queries: readonly ReadQuery[],
    hold?: AnswerHold,
  ): (BatchList | Error)[] | Promise<(BatchList | Error)[]>;
  /** Counts batches that are part of an answer. Not all that was read is: limits of an answer cut lists. */
  sent(batches: BatchList): void;
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
  readonly #pool: MemoryPool;
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

  readBatches(
    queries: readonly ReadQuery[],
    hold?: AnswerHold,
  ): (BatchList | Error)[] | Promise<(BatchList | Error)[]> {
    const pages = new AnswerPages(this.#copyPool);
    const needed = new NeededPages(queries, this.#options.pageBytes);
    const results: (BatchList | Error)[] = [];
    let waiting: Promise<void>[] | undefined;
    for (const [index, query] of queries.entries()) {
      const result = this.#readQuery(new QueryReader(query, pages, needed, this.#loadForQuery));
      if (result instanceof Promise) {
        waiting ??= [];
        waiting.push(
          result.then((read) => {
            results[index] = read;
          }),
        );
      } else {
        results[index] = result;
      }
    }
    if (waiting === undefined) return this.#answer(results, pages, hold);
    return Promise.all(waiting).then(() => this.#answer(results, pages, hold));
  }

  #answer(results: (BatchList | Error)[], pages: AnswerPages, hold: AnswerHold | undefined) {
    pages.release();
    if (hold === undefined) pages.keep();
    else hold.add(() => pages.free());
    return results;
  }

  sent({ recordCount, bytes }: BatchList): void {
    this.#metrics.sentRecords.add(recordCount);
    this.#metrics.sentBytes.add(bytes);
  }

  /** Reads one query; synchronously if everything is in memory. Does not throw or reject. */
  #readQuery(reader: QueryReader): BatchList | Error | Promise<BatchList | Error> {
    try {
      const walk = nextRange(reader, 0);
      if (walk === undefined) return reader.list;
      const reading = this.#readFrom(walk, reader);
      if (!(reading instanceof Promise)) return reader.end();
      return reading.then(
        () => reader.end(),
        (error: unknown) => reader.end(error),
      );
    } catch (error) {
      return reader.end(error);
    }
  }

  /** Reads the ranges of a query from `first` on. */
  #readFrom(first: RangeWalk, reader: QueryReader): undefined | Promise<void> {
    let walk: RangeWalk | undefined = first;
    while (walk !== undefined) {
      const walking = this.#walk(walk, reader);
      if (walking instanceof Promise) return this.#readOn(walk, walking, reader);
      walk = this.#afterRange(walk, walking, reader);
    }
    return undefined;
  }

  /** The same, for a query that has to wait for pages of a range. */
  async #readOn(first: RangeWalk, firstWalking: Promise<boolean>, reader: QueryReader): Promise<void> {
    let walk: RangeWalk | undefined = first;
    let walking: boolean | Promise<boolean> = firstWalking;
    for (;;) {
      walk = this.#afterRange(walk, walking instanceof Promise ? await walking : walking, reader);
      if (walk === undefined) return;
      walking = this.#walk(walk, reader);
    }
  }

  /** Ends a range, and returns the next one of the query. */
  #afterRange(walk: RangeWalk, isPassed: boolean, reader: QueryReader): RangeWalk | undefined {
    if (!isPassed) {
      if (reader.isFull) this.#readAheadOf(walk, reader);
      return undefined;
    }
    reader.finish(walk);
    return nextRange(reader, walk.row + 1);
  }

  /**
   * Passes the batches of a range to a reader, each complete and intact; returns false if the reader ended the walk.
   * Synchronous as far as the bytes are in memory.
   *
   * Batches that the reader skips are checked too, since the offsets of later ones depend on them. Invalid bytes are
   * read once more from the bucket before they count as damaged: they may come from another agent, and the file may
   * have been restored.
   */
  #walk(walk: RangeWalk, reader: RangeReader): boolean | Promise<boolean> {
    while (walk.at < walk.end) {
      if (!reader.goesOn(walk)) return false;
      const span = this.#load(walk, reader);
      if (span instanceof Promise) return this.#walkOn(walk, reader, span);
      if (!this.#take(walk, reader, span)) return false;
    }
    return true;
  }

  /** The same, for a reader that has to wait for pages. */
  async #walkOn(walk: RangeWalk, reader: RangeReader, first: Promise<LoadedSpan>): Promise<boolean> {
    let loading: LoadedSpan | Promise<LoadedSpan> = first;
    for (;;) {
      let span: LoadedSpan | undefined;
      try {
        span = await loading;
        if (loading instanceof Promise) reader.loaded?.(span);
      } catch (error) {
        this.#readOnceMore(walk, error);
      }
      if (span !== undefined && !this.#take(walk, reader, span)) return false;
      if (walk.at >= walk.end) return true;
      if (!reader.goesOn(walk)) return false;
      loading = this.#load(walk, reader);
    }
  }

  /** Passes loaded batches to a reader; returns false if it ended the walk. */
  #take(walk: RangeWalk, reader: RangeReader, span: LoadedSpan): boolean {
    try {
      return takeBatches(walk, reader, span);
    } catch (error) {
      this.#readOnceMore(walk, error);
      return true;
    } finally {
      if (span instanceof PageSpan) reader.done(span.pages);
    }
  }

  /** Throws an error that does not mean damage, or means it for the second time. */
  #readOnceMore(walk: RangeWalk, error: unknown): void {
    const damaged = damagedOf(error, walk);
    if (damaged === undefined) throw error;
    this.#checkedFiles.forget(walk.fileId);
    if (damaged.damage.kind === 'missing' || walk.damagedAt === walk.at) throw damaged;
    walk.damagedAt = walk.at;
  }

  /** Loads bytes for a query, also those that it will need next. */
  readonly #loadForQuery = (
    reader: QueryReader,
    walk: RangeWalk,
    end: number,
  ): PageSpan | Promise<PageSpan> => {
    const { row, fileId, at } = walk;
    const { needed } = reader;
    let range = reader.ahead?.takeRange(fileId, at);
    if (
      range === undefined &&
      walk.end - at <= reader.roomBytes() &&
      this.#rangeReads.suits(fileId, at, walk.end, needed)
    ) {
      reader.ahead ??= this.#aheadOf(reader, walk);
      reader.ahead.ask(row);
      range = reader.ahead.takeRange(fileId, at) ?? this.#rangeReads.read(fileId, at, walk.end);
    }
    if (range !== undefined) {
      reader.ahead?.ask(row + 1);
      return this.#rangeSpan(range, at, walk.end);
    }
    const span = this.#span(fileId, at, end, reader.ahead);
    // Most readers find everything in memory and need no readahead.
    if (span instanceof Promise) reader.ahead ??= this.#aheadOf(reader, walk);
    reader.ahead?.ask(row);
    return span;
  };

  /** Plans the pages that a query needs from its current position on. */
  #aheadOf(reader: QueryReader, { row, at, end, offset }: RangeWalk): Readahead {
    const { pointers, fromOffset, toOffset } = reader.query;
    const { pageBytes } = this.#options;
    // How many bytes are skipped before the wanted offset is known only after reading, and estimated until then.
    const share = Math.max(0, fromOffset - offset) / (pointers.nextOffset[row]! - offset);
    const bytesMax = reader.roomBytes() + Math.min(1, share) * (end - at);
    return new Readahead({
      plan: readsFrom(pointers, row, at, {
        pageBytes,
        toOffset,
        isReadAlone: (fileId, start, end, bytesBefore) =>
          bytesBefore + end - start <= bytesMax && this.#rangeReads.suits(fileId, start, end, reader.needed),
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
   * Called when the limit of a query was reached before its ranges ended. A reader of one partition usually continues,
   * so the next pages are loaded ahead.
   */
  #readAheadOf({ row, at }: RangeWalk, { query, needed }: QueryReader): void {
    const { pointers, toOffset } = query;
    const { pageBytes, cacheBytesMax, readahead = true } = this.#options;
    if (!needed.isForOneQuery || !readahead || cacheBytesMax < pageBytes * brokerLimits.readaheadPagesMax)
      return;
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
      const walking = this.#walk(walk, reader);
      if (!(walking instanceof Promise ? await walking : walking)) return found;
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

  /** Loads the next bytes of a range, anew if they were damaged. */
  #load(walk: RangeWalk, reader: RangeReader): LoadedSpan | Promise<LoadedSpan> {
    if (walk.marker !== undefined) return { views: walk.marker(), isShort: false };
    const end = this.#windowEnd(walk, Math.max(walk.wantedBytes, reader.roomBytes()));
    return walk.damagedAt === walk.at ? this.#reload(walk.fileId, walk.at, end) : reader.load(walk, end);
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

function copyOf(page: Page, pool: MemoryPool): Page {
  const slices: Buffer[] = [];
  page.collect(0, page.byteLength, slices);
  const memory = pool.take(page.byteLength);
  const copy = memory?.bytes ?? Buffer.allocUnsafeSlow(page.byteLength);
  let filled = 0;
  for (const slice of slices) filled += slice.copy(copy, filled);
  return new Page([copy], { checked: 'all', memory });
}
