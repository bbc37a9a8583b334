import { caps, type Log, type Metrics } from '@weir/core';
import type { Pointers } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { headerBytes } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { AnswerPages } from './answer-pages.ts';
import { BatchCursor, DamagedRange } from './batch-cursor.ts';
import type { BatchList } from './batch-list.ts';
import { isMarker, markerBatch } from './marker-batches.ts';
import { Page, pagesOf } from './page.ts';
import { PageCache } from './page-cache.ts';
import { type PageMetrics, pageMetrics } from './page-metrics.ts';
import { type PageSource, type RemotePages, routedPages, storePages } from './page-source.ts';
import { PagesAhead, pagesFrom } from './pages-ahead.ts';
import { Slots } from './slots.ts';

export interface ReadPathOptions {
  readonly store: ObjectStore;
  readonly cluster: ClusterView;
  readonly pages: PageOptions;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where pages lie that other agents of the zone keep. Without it this agent reads all pages itself. */
  readonly remotePages?: RemotePages;
}

export interface PageOptions {
  readonly pageBytes: number;
  readonly cacheBytesMax: number;
  /**
   * How a file that this agent wrote enters the cache. `keep`: as the slices it was written from, for free; only where the
   * memory of request frames is never used again. `copy`: in memory of its own. `none`: it is read like any other.
   */
  readonly ownFiles: 'keep' | 'copy' | 'none';
  /** Whether a reader of one partition finds the next pages in memory when it comes for them. Usually it does. */
  readonly readsOn?: boolean;
}

export interface ReadPath {
  /**
   * Reads batches of many partitions side by side. Results come in the order of the queries, an `Error` for those of which
   * not even the first batch could be read. All of them are one answer: they are views of pages, where they use enough of them.
   */
  readBatches(queries: readonly ReadQuery[]): Promise<(BatchList | Error)[]>;
  /** Shows the batches of a stored range one by one until `visit` returns something, which is then the answer. */
  searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined>;
  /**
   * A page for another agent, at once when it is in memory, else from the bucket. Never from a third agent: two that each
   * take the other for the keeper of a page would ask each other for ever.
   */
  lendPage(fileId: string, index: number): Page | Promise<Page>;
  /** Bytes of a file as views of its pages, if all of them are in memory. Whoever keeps them keeps the pages. */
  inMemory(fileId: string, start: number, end: number): readonly Buffer[] | undefined;
  /** Takes a file that this agent has just written. */
  adopt(file: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void;
}

export interface ReadQuery {
  readonly pointers: Pointers;
  /** Batches that end before it are left out; the first may begin before it. */
  readonly fromOffset: number;
  /** Batches that begin here or behind are left out; without it none are. */
  readonly toOffset?: number;
  readonly bytesMax: number;
  /** Whether one batch may exceed the limit, so that a reader is never stuck before a large one. */
  readonly atLeastOne: boolean;
}

/** Pages that one reader has ahead. At 30 ms for each of them, eight are a gigabyte per second. */
const pagesAheadMax = 8;
/** Pages that a reader of one partition finds when it comes back for more. */
const pagesReadOn = 2;

/** How stored batches are found again: ranges of files, in pages, through a cache, as views of it. */
export function createReadPath(options: ReadPathOptions): ReadPath {
  return new PagedReadPath(options);
}

class PagedReadPath implements ReadPath {
  readonly #options: PageOptions;
  readonly #cache: PageCache;
  readonly #source: PageSource;
  readonly #aheadBudget = new Slots({ runningMax: caps.pagesAheadMax });
  readonly #metrics: PageMetrics;

  constructor({ store, cluster, pages, log, metrics, remotePages = () => undefined }: ReadPathOptions) {
    this.#options = pages;
    this.#metrics = pageMetrics(metrics);
    const { pageBytes, cacheBytesMax } = pages;
    const source = storePages({
      clusterId: () => cluster.clusterId,
      store,
      pageBytes,
      readsMax: caps.pageReadsMax,
      metrics: this.#metrics,
    });
    this.#cache = new PageCache({ source, cacheBytesMax });
    this.#source = routedPages(this.#cache, remotePages, { log, metrics: this.#metrics });
  }

  async readBatches(queries: readonly ReadQuery[]): Promise<(BatchList | Error)[]> {
    const pages = new AnswerPages();
    const results = await Promise.all(
      queries.map((query) =>
        this.#readBatches(query, pages, queries.length === 1).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        ),
      ),
    );
    pages.release();
    for (const result of results) {
      if (result instanceof Error) continue;
      this.#metrics.readRecords.add(result.recordCount);
      this.#metrics.readBytes.add(result.bytes);
    }
    return results;
  }

  async #readBatches(query: ReadQuery, pages: AnswerPages, isAlone: boolean): Promise<BatchList> {
    const { pointers, fromOffset, toOffset = Number.POSITIVE_INFINITY, bytesMax, atLeastOne } = query;
    const list = pages.newList();
    const room = () => bytesMax - list.bytes;
    let ahead: PagesAhead | undefined;
    try {
      for (const walk of rangesOf(pointers)) {
        let wantedBytes = 0;
        while (walk.at < walk.end) {
          if (walk.offset >= toOffset) return list;
          if (room() <= 0 && !(atLeastOne && list.batchCount === 0))
            return this.#stopAt(walk, query, list, isAlone);
          const end = this.#windowEnd(walk, Math.max(wantedBytes, room()));
          const pieces = walk.marker?.() ?? this.#pieces(walk.fileId, walk.at, end, ahead);
          // Readers of what is in memory, which are most, have nothing to ask for.
          if (!Array.isArray(pieces)) ahead ??= this.#aheadOf(query, walk, room());
          ahead?.ask();
          const views = Array.isArray(pieces) ? pieces : await pieces;
          if (views !== pieces) pages.loaded(views);
          const cursor = new BatchCursor(views);
          while (cursor.next()) {
            if (walk.offset >= toOffset) return list;
            if (walk.offset + cursor.offsetSpan > fromOffset) {
              const fits = cursor.batchBytes <= room() || (atLeastOne && list.batchCount === 0);
              if (!fits) return this.#stopAt(walk, query, list, isAlone);
              if (!cursor.isWhole) break;
              list.add(cursor, walk.offset);
            }
            walk.pass(cursor);
          }
          wantedBytes = walk.continueFrom(cursor);
        }
        walk.finish();
      }
      return list;
    } catch (error) {
      // What was read so far is good; whoever comes for the rest learns what is the matter with it.
      if (list.batchCount === 0 || error instanceof DamagedRange) throw error;
      return list;
    } finally {
      ahead?.end();
    }
  }

  /** The pages that a query needs from where it is on. */
  #aheadOf(
    { pointers, fromOffset, toOffset }: ReadQuery,
    { row, at, end, offset }: RangeWalk,
    room: number,
  ): PagesAhead {
    const { pageBytes } = this.#options;
    // How much is passed before the wanted offset is known only when it was read, and estimated until then.
    const share = Math.max(0, fromOffset - offset) / (pointers.nextOffset[row]! - offset);
    return new PagesAhead({
      plan: pagesFrom(pointers, row, at, pageBytes, toOffset),
      bytesMax: room + Math.min(1, share) * (end - at),
      pagesMax: pagesAheadMax,
      budget: this.#aheadBudget,
      cache: this.#cache,
      source: this.#source,
      metrics: this.#metrics,
    });
  }

  /** Ends a query whose limit was reached before its ranges. Whoever reads one partition usually comes back for the rest. */
  #stopAt(
    { row, at }: RangeWalk,
    { pointers, toOffset }: ReadQuery,
    list: BatchList,
    isAlone: boolean,
  ): BatchList {
    const { pageBytes, cacheBytesMax, readsOn = true } = this.#options;
    if (!isAlone || !readsOn || cacheBytesMax < pageBytes * caps.pagesAheadMax) return list;
    let left = 1 + pagesReadOn;
    for (const { fileId, index } of pagesFrom(pointers, row, at, pageBytes, toOffset)) {
      if (left-- === 0) break;
      if (this.#cache.expects(fileId, index)) continue;
      if (!this.#aheadBudget.tryEnter()) break;
      this.#metrics.pagesAhead.add(1);
      this.#source.read(fileId, index).then(
        () => this.#aheadBudget.leave(),
        () => this.#aheadBudget.leave(),
      );
    }
    return list;
  }

  async searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined> {
    for (const walk of rangesOf(pointers)) {
      let wantedBytes = 0;
      while (walk.at < walk.end) {
        const pieces =
          walk.marker?.() ?? (await this.#pieces(walk.fileId, walk.at, this.#windowEnd(walk, wantedBytes)));
        const cursor = new BatchCursor(pieces);
        while (cursor.next() && cursor.isWhole) {
          const found = visit(cursor, walk.offset);
          if (found !== undefined) return found;
          walk.pass(cursor);
        }
        wantedBytes = walk.continueFrom(cursor);
      }
      walk.finish();
    }
    return undefined;
  }

  lendPage(fileId: string, index: number): Page | Promise<Page> {
    return this.#cache.peek(fileId, index) ?? this.#cache.read(fileId, index);
  }

  inMemory(fileId: string, start: number, end: number): readonly Buffer[] | undefined {
    const { pageBytes } = this.#options;
    for (let index = Math.floor(start / pageBytes); index * pageBytes < end; index++) {
      if (this.#cache.peek(fileId, index) === undefined) return undefined;
    }
    const pieces = this.#pieces(fileId, start, end);
    return Array.isArray(pieces) ? pieces : undefined;
  }

  adopt({ fileId, slices }: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void {
    const { ownFiles, pageBytes, cacheBytesMax } = this.#options;
    if (ownFiles === 'none' || cacheBytesMax === 0) return;
    for (const [index, page] of pagesOf(slices, pageBytes).entries()) {
      this.#cache.put(fileId, index, ownFiles === 'copy' ? copyOf(page) : page);
    }
    this.#metrics.cacheBytes.set(this.#cache.bytes);
  }

  /** A page is read as a whole, so that looking at all of it costs nothing. */
  #windowEnd({ at, end }: RangeWalk, wantedBytes: number): number {
    const { pageBytes } = this.#options;
    const pageEnd = (Math.floor(at / pageBytes) + 1) * pageBytes;
    return Math.min(end, Math.max(pageEnd, at + wantedBytes));
  }

  /** Bytes of a file as views of its pages; at once when all of them are in memory. */
  #pieces(
    fileId: string,
    start: number,
    end: number,
    ahead?: PagesAhead | undefined,
  ): Buffer[] | Promise<Buffer[]> {
    const { pageBytes } = this.#options;
    const first = Math.floor(start / pageBytes);
    const last = Math.floor((end - 1) / pageBytes);
    const pages: (Page | Promise<Page>)[] = [];
    let isHere = true;
    for (let index = first; index <= last; index++) {
      const asked = ahead?.take(fileId, index);
      const page = asked === undefined ? this.#cache.peek(fileId, index) : undefined;
      if (page === undefined) isHere = false;
      else this.#metrics.localHits.add(1);
      pages.push(page ?? asked ?? this.#source.read(fileId, index));
    }
    const cut = (ready: readonly Page[]): Buffer[] => {
      const pieces: Buffer[] = [];
      for (const [index, page] of ready.entries()) {
        const pageStart = (first + index) * pageBytes;
        const pieceEnd = Math.min(end - pageStart, pageBytes);
        if (pieceEnd > page.byteLength) {
          throw new DamagedRange(`file ${fileId} ends before byte ${pageStart + pieceEnd}`);
        }
        page.collect(Math.max(0, start - pageStart), pieceEnd, pieces);
      }
      return pieces;
    };
    if (isHere) return cut(pages as Page[]);
    return Promise.all(pages).then((ready) => {
      this.#metrics.cacheBytes.set(this.#cache.bytes);
      return cut(ready);
    });
  }
}

/** Where a reader is in one stored range. */
class RangeWalk {
  readonly row: number;
  readonly fileId: string;
  readonly end: number;
  /** Gives the batch of a row that lies in no file. */
  readonly marker: (() => Buffer[]) | undefined;
  readonly #nextOffset: number;
  at: number;
  offset: number;

  constructor(pointers: Pointers, row: number) {
    this.row = row;
    this.fileId = pointers.fileId[row]!;
    this.at = pointers.byteStart[row]!;
    this.end = this.at + pointers.byteLength[row]!;
    this.offset = pointers.baseOffset[row]!;
    this.#nextOffset = pointers.nextOffset[row]!;
    this.marker = isMarker(pointers, row) ? () => [markerBatch(pointers, row)] : undefined;
  }

  /** Goes behind the cursor's batch, which need not be read for that. */
  pass(cursor: BatchCursor): void {
    this.at += cursor.batchBytes;
    this.offset += cursor.offsetSpan;
    if (this.at > this.end) throw this.#damaged('a batch goes beyond its end');
  }

  /** How many bytes the next look at the range needs at least, when this one ended inside a batch or its header. */
  continueFrom(cursor: BatchCursor): number {
    if (this.at >= this.end) return 0;
    const wantedBytes = Math.max(cursor.isWhole ? 0 : cursor.batchBytes, headerBytes);
    if (this.at + wantedBytes > this.end) throw this.#damaged('it ends inside a batch');
    return wantedBytes;
  }

  finish(): void {
    if (this.offset !== this.#nextOffset) {
      throw this.#damaged(`its batches end at offset ${this.offset} and not at ${this.#nextOffset}`);
    }
  }

  #damaged(problem: string): DamagedRange {
    return new DamagedRange(`range of file ${this.fileId} that ends at byte ${this.end}: ${problem}`);
  }
}

function* rangesOf(pointers: Pointers): Generator<RangeWalk, void, undefined> {
  for (let row = 0; row < pointers.fileId.length; row++) yield new RangeWalk(pointers, row);
}

function copyOf(page: Page): Page {
  const slices: Buffer[] = [];
  page.collect(0, page.byteLength, slices);
  return new Page([Buffer.concat(slices, page.byteLength)]);
}
