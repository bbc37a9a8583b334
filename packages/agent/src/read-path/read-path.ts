import { caps, type Log, type MetricRow, type Metrics, type Series } from '@weir/core';
import type { Pointers } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { headerBytes } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { BatchCursor, DamagedRange } from './batch-cursor.ts';
import { BatchList } from './batch-list.ts';
import { Page, pagesOf } from './page.ts';
import { PageCache } from './page-cache.ts';
import { type PageSource, type RemotePages, routedPages, storePages } from './page-source.ts';

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
}

export interface ReadPath {
  /** Reads batches of many partitions side by side. Results come in the order of the queries, an `Error` for what failed. */
  readBatches(queries: readonly ReadQuery[]): Promise<(BatchList | Error)[]>;
  /** Shows the batches of a stored range one by one until `visit` returns something, which is then the answer. */
  searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined>;
  /** Takes a file that this agent has just written. */
  adopt(file: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void;
}

export interface ReadQuery {
  readonly pointers: Pointers;
  /** Batches that end before it are left out; the first may begin before it. */
  readonly fromOffset: number;
  readonly bytesMax: number;
  /** Whether one batch may exceed the limit, so that a reader is never stuck before a large one. */
  readonly atLeastOne: boolean;
}

const pageReads: MetricRow<'outcome'> = {
  name: 'agent_file_cache_client_fetch_local_or_remote_counter',
  kind: 'counter',
  help: 'Pages asked for, by whether they were in memory.',
  labels: ['outcome'],
};

const cacheBytes: MetricRow<never> = {
  name: 'agent_file_cache_bytes',
  kind: 'gauge',
  help: 'Bytes of pages in memory.',
  labels: [],
};

const readRecords: MetricRow<never> = {
  name: 'agent_kafka_fetch_records_counter',
  kind: 'counter',
  help: 'Records in the batches that were read for consumers.',
  labels: [],
};

const readBytes: MetricRow<never> = {
  name: 'agent_kafka_fetch_compressed_bytes_counter',
  kind: 'counter',
  help: 'Bytes of the batches that were read for consumers, as stored.',
  labels: [],
};

/** How stored batches are found again: ranges of files, in pages, through a cache, as views of it. */
export function createReadPath(options: ReadPathOptions): ReadPath {
  return new PagedReadPath(options);
}

class PagedReadPath implements ReadPath {
  readonly #options: PageOptions;
  readonly #cache: PageCache;
  readonly #source: PageSource;
  readonly #hits: Series;
  readonly #misses: Series;
  readonly #cacheBytes: Series;
  readonly #readRecords: Series;
  readonly #readBytes: Series;

  constructor({ store, cluster, pages, log, metrics, remotePages }: ReadPathOptions) {
    this.#options = pages;
    const { pageBytes, cacheBytesMax } = pages;
    const source = storePages({
      clusterId: () => cluster.clusterId,
      store,
      pageBytes,
      readsMax: caps.pageReadsMax,
    });
    this.#cache = new PageCache({ source, cacheBytesMax });
    this.#source = remotePages === undefined ? this.#cache : routedPages(this.#cache, remotePages, log);
    this.#hits = metrics.series(pageReads, { outcome: 'hit' });
    this.#misses = metrics.series(pageReads, { outcome: 'miss' });
    this.#cacheBytes = metrics.series(cacheBytes, {});
    this.#readRecords = metrics.series(readRecords, {});
    this.#readBytes = metrics.series(readBytes, {});
  }

  async readBatches(queries: readonly ReadQuery[]): Promise<(BatchList | Error)[]> {
    const results = await Promise.all(
      queries.map((query) =>
        this.#readBatches(query).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        ),
      ),
    );
    for (const result of results) {
      if (result instanceof Error) continue;
      this.#readRecords.add(result.recordCount);
      this.#readBytes.add(result.bytes);
    }
    return results;
  }

  async #readBatches({ pointers, fromOffset, bytesMax, atLeastOne }: ReadQuery): Promise<BatchList> {
    const list = new BatchList();
    const room = () => bytesMax - list.bytes;
    for (const walk of rangesOf(pointers)) {
      let wantedBytes = 0;
      while (walk.at < walk.end) {
        if (room() <= 0 && !(atLeastOne && list.batchCount === 0)) return list;
        const end = this.#windowEnd(walk, Math.max(wantedBytes, room()));
        const pieces = this.#pieces(walk.fileId, walk.at, end);
        const cursor = new BatchCursor(Array.isArray(pieces) ? pieces : await pieces);
        while (cursor.next()) {
          if (walk.offset + cursor.offsetSpan > fromOffset) {
            const fits = cursor.batchBytes <= room() || (atLeastOne && list.batchCount === 0);
            if (!fits) return list;
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
  }

  async searchBatches<Found>(
    pointers: Pointers,
    visit: (cursor: BatchCursor, baseOffset: number) => Found | undefined,
  ): Promise<Found | undefined> {
    for (const walk of rangesOf(pointers)) {
      let wantedBytes = 0;
      while (walk.at < walk.end) {
        const pieces = await this.#pieces(walk.fileId, walk.at, this.#windowEnd(walk, wantedBytes));
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

  adopt({ fileId, slices }: { readonly fileId: string; readonly slices: readonly Uint8Array[] }): void {
    const { ownFiles, pageBytes, cacheBytesMax } = this.#options;
    if (ownFiles === 'none' || cacheBytesMax === 0) return;
    for (const [index, page] of pagesOf(slices, pageBytes).entries()) {
      this.#cache.put(fileId, index, ownFiles === 'copy' ? copyOf(page) : page);
    }
    this.#cacheBytes.set(this.#cache.bytes);
  }

  /** A page is read as a whole, so that looking at all of it costs nothing. */
  #windowEnd({ at, end }: RangeWalk, wantedBytes: number): number {
    const { pageBytes } = this.#options;
    const pageEnd = (Math.floor(at / pageBytes) + 1) * pageBytes;
    return Math.min(end, Math.max(pageEnd, at + wantedBytes));
  }

  /** Bytes of a file as views of its pages; at once when all of them are in memory. */
  #pieces(fileId: string, start: number, end: number): Buffer[] | Promise<Buffer[]> {
    const { pageBytes } = this.#options;
    const first = Math.floor(start / pageBytes);
    const last = Math.floor((end - 1) / pageBytes);
    const pages: (Page | Promise<Page>)[] = [];
    let isHere = true;
    for (let index = first; index <= last; index++) {
      const page = this.#cache.peek(fileId, index);
      (page === undefined ? this.#misses : this.#hits).add(1);
      if (page === undefined) isHere = false;
      pages.push(page ?? this.#source.read(fileId, index));
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
      this.#cacheBytes.set(this.#cache.bytes);
      return cut(ready);
    });
  }
}

/** Where a reader is in one stored range. */
class RangeWalk {
  readonly fileId: string;
  readonly end: number;
  readonly #nextOffset: number;
  at: number;
  offset: number;

  constructor(pointers: Pointers, row: number) {
    this.fileId = pointers.fileId[row]!;
    this.at = pointers.byteStart[row]!;
    this.end = this.at + pointers.byteLength[row]!;
    this.offset = pointers.baseOffset[row]!;
    this.#nextOffset = pointers.nextOffset[row]!;
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
