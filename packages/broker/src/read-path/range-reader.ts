import { ObjectNotFound } from '@weir/storage';
import { BatchCursor, NoRecordBatch } from './batch-cursor.ts';
import { DamagedRange } from './damaged-range.ts';
import type { Page } from './page.ts';
import { ForeignFile } from './page-source.ts';
import { PageSpan } from './page-span.ts';
import type { RangeWalk } from './range-walk.ts';

/** Callbacks of one reader for the batches of a range. */
export interface RangeReader {
  /** How many bytes the reader wants at least, within the range. */
  roomBytes(): number;
  /** Called before each read; false ends the walk. */
  goesOn(walk: RangeWalk): boolean;
  load(walk: RangeWalk, end: number): PageSpan | Promise<PageSpan>;
  /** Called with bytes that were not in memory. */
  loaded?(span: LoadedSpan): void;
  /**
   * Whether to continue with the cursor's batch, of which only the header may be loaded; the CRC of an incomplete batch
   * is not checked yet.
   */
  takes(walk: RangeWalk, cursor: BatchCursor): boolean;
  /** Receives every batch of the range, checked, in order. */
  take(walk: RangeWalk, cursor: BatchCursor): 'enough' | undefined;
  /** Called after the batches of loaded pages were taken, and has to release each page. */
  done(pages: readonly Page[]): void;
}

/** Bytes of one step of a walk: from a file, or built for a marker. */
export type LoadedSpan = PageSpan | { readonly views: readonly Buffer[]; readonly isShort: false };

/** Passes the loaded batches to a reader; returns false if the reader ended the walk. */
export function takeBatches(walk: RangeWalk, reader: RangeReader, span: LoadedSpan): boolean {
  const cursor = new BatchCursor(span.views);
  while (cursor.next()) {
    if (cursor.isWhole) checkBatch(walk, cursor, span);
    else walk.checkPosition(cursor);
    if (!reader.takes(walk, cursor)) return false;
    if (!cursor.isWhole) break;
    if (reader.take(walk, cursor) === 'enough') return false;
    walk.pass(cursor);
  }
  if (span.isShort && walk.at < walk.end) throw walk.damaged('short', 'truncated file');
  walk.continueFrom(cursor);
  return true;
}

/** Checks that a complete batch is the committed one; the CRC once while its pages are in memory. */
function checkBatch(walk: RangeWalk, cursor: BatchCursor, span: LoadedSpan): void {
  const isOfFile = span instanceof PageSpan;
  if (isOfFile && !span.isChecked(walk.at, cursor.batchBytes)) {
    if (!cursor.hasValidCrc()) throw walk.damaged('corrupt', 'CRC mismatch in a batch');
    walk.checkPosition(cursor);
    span.addChecked(walk.at, cursor.batchBytes);
    return;
  }
  walk.checkPosition(cursor);
}

/** Returns `undefined` for errors that do not mean damage. */
export function damagedOf(error: unknown, walk: RangeWalk): DamagedRange | undefined {
  if (error instanceof DamagedRange) return error;
  if (error instanceof NoRecordBatch || error instanceof ForeignFile)
    return walk.damaged('corrupt', error.message, { cause: error });
  if (error instanceof ObjectNotFound) return walk.damaged('missing', 'object not found', { cause: error });
  return undefined;
}
