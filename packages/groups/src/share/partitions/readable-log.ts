import type { AbortedTransactions, BatchesAnswer, Pointers } from '@weir/cluster';
import type { ReadableLog } from './acquire.ts';
import type { Span } from './share-partition.ts';

/** What lies in a log from some offset on, as far as a reader with a limit may be given it. */
export interface LocatedLog extends ReadableLog {
  readonly pointers: Pointers;
  readonly aborted: AbortedTransactions | undefined;
}

/**
 * How much of what was found fits into a limit of bytes. Only the sizes of whole ranges are known, so that the end lies within the last
 * of them by its share of the records, and at least one record behind the offset.
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

/** By an estimate, what the records between the offset and the end take. */
export function bytesOf({ pointers, endOffset }: LocatedLog, offset: number): number {
  let bytes = 0;
  for (let row = 0; row < pointers.fileId.length; row++) {
    const first = Math.max(offset, pointers.baseOffset[row]!);
    const next = Math.min(endOffset, pointers.nextOffset[row]!);
    if (next > first) bytes += bytesBetween(pointers, row, first, next);
  }
  return bytes;
}

/** The bytes of spans, and the ranges of files that hold some of their records. */
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
    // Ends of transactions are given to nobody, so that no row is one.
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
