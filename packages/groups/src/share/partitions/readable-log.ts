import type { AbortedTransactions, BatchesAnswer, Pointers } from '@weir/cluster';
import type { ReadableLog } from './acquire.ts';
import type { Span } from './share-partition.ts';

/** The acquirable part of a log from an offset on, within a byte limit, with its pointers. */
export interface LocatedLog extends ReadableLog {
  readonly pointers: Pointers;
  readonly aborted: AbortedTransactions | undefined;
}

/**
 * Determines how much of the found ranges fits into a byte limit. Only the sizes of whole ranges are known, so the end
 * within the last range is estimated by its share of the records; it is at least one record after the offset.
 */
export function readableLog(
  { logStartOffset, nextOffset, lastStableOffset, pointers, aborted }: BatchesAnswer,
  offset: number,
  bytesMax: number,
  isReadCommitted: boolean,
): LocatedLog {
  const end = isReadCommitted ? lastStableOffset : nextOffset;
  const markers = new Set(pointers.markers?.row);
  const gaps: Pick<Span, 'first' | 'last'>[] = [];
  let endOffset = offset;
  let leftBytes = bytesMax;
  for (let row = 0; row < pointers.fileId.length; row++) {
    if (leftBytes <= 0) break;
    const rowNext = pointers.nextOffset[row]!;
    if (markers.has(row)) {
      gaps.push({ first: pointers.baseOffset[row]!, last: rowNext - 1 });
      endOffset = rowNext;
      continue;
    }
    const first = Math.max(offset, pointers.baseOffset[row]!);
    const bytes = bytesBetween(pointers, row, first, rowNext);
    const part = bytes <= leftBytes ? 1 : leftBytes / bytes;
    endOffset = first + Math.max(1, Math.floor((rowNext - first) * part));
    leftBytes -= bytes;
  }
  return { startOffset: logStartOffset, endOffset: Math.min(endOffset, end), gaps, pointers, aborted };
}

/** Estimates the bytes of the records between the offset and the end. */
export function bytesOf({ pointers, endOffset }: LocatedLog, offset: number): number {
  let bytes = 0;
  for (let row = 0; row < pointers.fileId.length; row++) {
    const first = Math.max(offset, pointers.baseOffset[row]!);
    const next = Math.min(endOffset, pointers.nextOffset[row]!);
    if (next > first) bytes += bytesBetween(pointers, row, first, next);
  }
  return bytes;
}

/** Returns the bytes of spans, and the file ranges that contain their records. */
export function pointersTo(
  pointers: Pointers,
  spans: readonly Span[],
): { pointers: Pointers; bytes: number } {
  const rows: number[] = [];
  let bytes = 0;
  let at = 0;
  for (let row = 0; row < pointers.fileId.length; row++) {
    const base = pointers.baseOffset[row]!;
    const next = pointers.nextOffset[row]!;
    while (at < spans.length && spans[at]!.last < base) at++;
    let isTaken = false;
    for (let index = at; index < spans.length && spans[index]!.first < next; index++) {
      const { first, last } = spans[index]!;
      bytes += bytesBetween(pointers, row, Math.max(first, base), Math.min(last + 1, next));
      isTaken = true;
    }
    if (isTaken) rows.push(row);
  }
  return {
    bytes,
    // Transaction markers are never acquired, so no row is one.
    pointers: {
      fileId: rows.map((row) => pointers.fileId[row]!),
      byteStart: Float64Array.from(rows, (row) => pointers.byteStart[row]!),
      byteLength: Float64Array.from(rows, (row) => pointers.byteLength[row]!),
      baseOffset: Float64Array.from(rows, (row) => pointers.baseOffset[row]!),
      nextOffset: Float64Array.from(rows, (row) => pointers.nextOffset[row]!),
    },
  };
}

function bytesBetween(pointers: Pointers, row: number, first: number, next: number): number {
  const records = pointers.nextOffset[row]! - pointers.baseOffset[row]!;
  return (pointers.byteLength[row]! * (next - first)) / records;
}
