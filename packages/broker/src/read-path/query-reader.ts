import type { Pointers } from '@weir/cluster';
import type { AnswerPages } from './answer-pages.ts';
import type { BatchCursor } from './batch-cursor.ts';
import type { BatchList } from './batch-list.ts';
import type { Page } from './page.ts';
import type { PageSpan } from './page-span.ts';
import type { LoadedSpan, RangeReader } from './range-reader.ts';
import type { NeededPages } from './range-reads.ts';
import { RangeWalk } from './range-walk.ts';
import type { Readahead } from './readahead.ts';

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

type LoadForQuery = (reader: QueryReader, walk: RangeWalk, end: number) => PageSpan | Promise<PageSpan>;

/** Takes the batches that one query wants, up to its limits. */
export class QueryReader implements RangeReader {
  readonly query: ReadQuery;
  /** The pages that all queries of the answer need. */
  readonly needed: NeededPages;
  readonly list: BatchList;
  /** Pages that were requested before the reader came to them; only if it had to wait. */
  ahead: Readahead | undefined;
  /** Whether a limit ended the walk. */
  isFull = false;
  readonly #pages: AnswerPages;
  readonly #load: LoadForQuery;
  readonly #toOffset: number;
  readonly #batchesMax: number;
  /** Batches in the list that lie before the current range. */
  #batchesBefore = 0;

  constructor(query: ReadQuery, pages: AnswerPages, needed: NeededPages, load: LoadForQuery) {
    this.query = query;
    this.needed = needed;
    this.list = pages.newList();
    this.#pages = pages;
    this.#load = load;
    this.#toOffset = query.toOffset ?? Number.POSITIVE_INFINITY;
    this.#batchesMax = query.batchesMax ?? Number.POSITIVE_INFINITY;
  }

  roomBytes(): number {
    return this.query.bytesMax - this.list.bytes;
  }

  goesOn({ offset }: RangeWalk): boolean {
    if (offset >= this.#toOffset) return false;
    this.isFull = this.list.batchCount >= this.#batchesMax || (this.roomBytes() <= 0 && !this.#mustTake);
    return !this.isFull;
  }

  load(walk: RangeWalk, end: number): PageSpan | Promise<PageSpan> {
    return this.#load(this, walk, end);
  }

  loaded({ views }: LoadedSpan): void {
    this.#pages.loaded(views);
  }

  takes(walk: RangeWalk, cursor: BatchCursor): boolean {
    const baseOffset = walk.baseOffsetOf(cursor);
    if (baseOffset >= this.#toOffset) return false;
    if (baseOffset + cursor.offsetSpan <= this.query.fromOffset) return true;
    this.isFull =
      this.list.batchCount >= this.#batchesMax || (cursor.batchBytes > this.roomBytes() && !this.#mustTake);
    return !this.isFull;
  }

  take(walk: RangeWalk, cursor: BatchCursor): 'enough' | undefined {
    const { list } = this;
    const { fromOffset, uncompressedBytesMax } = this.query;
    const baseOffset = walk.baseOffsetOf(cursor);
    if (baseOffset + cursor.offsetSpan <= fromOffset) return undefined;
    const { batchBytes } = cursor;
    const uncompressed = uncompressedBytesMax === undefined ? batchBytes : cursor.uncompressedBytesMax;
    this.isFull =
      uncompressedBytesMax !== undefined &&
      list.uncompressedBytes + uncompressed > uncompressedBytesMax &&
      !this.#mustTake;
    if (this.isFull) return 'enough';
    list.add(cursor, baseOffset, uncompressed);
    return undefined;
  }

  /** Whether the next batch is taken whatever its size. */
  get #mustTake(): boolean {
    return this.query.atLeastOne && this.list.batchCount === 0;
  }

  done(pages: readonly Page[]): void {
    this.#pages.use(pages);
  }

  /** Ends a range whose batches were all passed. */
  finish(walk: RangeWalk): void {
    try {
      walk.finish();
    } catch (error) {
      // These are valid batches, but not the committed ones.
      this.list.cutTo(this.#batchesBefore);
      throw error;
    }
    this.#batchesBefore = this.list.batchCount;
  }

  /** Returns the result. The batches read before an error are good; a reader that continues gets the error. */
  end(error?: unknown): BatchList | Error {
    this.ahead?.end();
    if (error === undefined || this.list.batchCount > 0) return this.list;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns the first range from `row` on that the query needs. */
export function nextRange({ query }: QueryReader, row: number): RangeWalk | undefined {
  const { nextOffset } = query.pointers;
  for (let next = row; next < nextOffset.length; next++) {
    if (nextOffset[next]! > query.fromOffset) return new RangeWalk(query.pointers, next);
  }
  return undefined;
}
