import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import { AbortedList } from './aborted-list.ts';
import { markerAt, markerFileSlot } from './marker.ts';
import type { PartitionLog } from './partition-log.ts';

/** Where the clone of a log ends. */
export interface CloneCut {
  /** From the log start to the last stable offset. Where no pointer of the source begins, `lastPointer` is there. */
  readonly endOffset: number;
  /** What the clone has of the pointer that covers its end. */
  readonly lastPointer?: { readonly byteLength: number; readonly maxTimestampMs: number };
}

/** Returns how many pointers the clone of a log has, without markers that are added at its end. */
export function pointersBelow(source: PartitionLog, { endOffset, lastPointer }: CloneCut): number {
  const { logStartOffset, nextOffset, pointerCount } = source;
  if (endOffset === nextOffset) return pointerCount;
  if (endOffset <= logStartOffset || pointerCount === 0) return 0;
  return source.indexOfOffset(endOffset) + (lastPointer === undefined ? 0 : 1);
}

/**
 * Makes an empty log a clone of another up to an offset: same pointers, same log start, same aborted transactions, no
 * producers. Its files count the new pointers too.
 *
 * Readers take an aborted transaction to last until its marker. One that has records below the end and its marker
 * behind it gets another marker, right at the end of the clone.
 */
export function cloneLog(
  state: ClusterState,
  source: PartitionLog,
  clone: PartitionLog,
  cut: CloneCut,
): void {
  const { pointers, files, nowMs } = state;
  const { endOffset, lastPointer } = cut;
  if (endOffset < source.logStartOffset || endOffset > source.nextOffset) {
    throw new UnreadableBytes(`a clone of partition ${source.partition} cannot end at ${endOffset}`);
  }
  const count = pointersBelow(source, { endOffset });
  const copiedEnd = count > 0 ? source.endOf(count - 1) : source.logStartOffset;
  if (lastPointer === undefined && copiedEnd !== endOffset) {
    throw new UnreadableBytes(`no pointer of partition ${source.partition} ends at ${endOffset}`);
  }
  clone.takeFirst(source, count, (fileSlots, byteLengths, start, end) =>
    files.countPointers(fileSlots, byteLengths, start, end),
  );
  if (lastPointer !== undefined) {
    const slot = count < source.pointerCount ? source.slot(count) : -1;
    if (slot < 0 || pointers.fileSlot(slot) === markerFileSlot) {
      throw new UnreadableBytes(`partition ${source.partition} has no records at ${endOffset}`);
    }
    const { byteLength, maxTimestampMs } = lastPointer;
    const fileSlot = pointers.fileSlot(slot);
    clone.push(fileSlot, pointers.byteStart(slot), byteLength, pointers.baseOffset(slot), maxTimestampMs);
    files.countPointer(fileSlot, byteLength);
  }
  clone.logStartOffset = source.logStartOffset;
  clone.nextOffset = endOffset;
  clone.cleanOffset = Math.min(source.cleanOffset, clone.nextOffset);
  if (source.aborted !== undefined && clone.pointerCount > 0) cloneAborted(state, source, clone, nowMs);
}

function cloneAborted(
  { pointers }: ClusterState,
  source: PartitionLog,
  clone: PartitionLog,
  nowMs: number,
): void {
  const endOffset = clone.nextOffset;
  const rows = source.aborted!.capture();
  const aborted = new AbortedList();
  const cutRows: number[] = [];
  for (const [row, lastOffset] of rows.lastOffset.entries()) {
    const firstOffset = rows.firstOffset[row]!;
    if (lastOffset < endOffset) {
      aborted.add(rows.producerId[row]!, firstOffset, lastOffset, rows.stableOffset[row]!);
    } else if (firstOffset < endOffset) cutRows.push(row);
  }
  if (aborted.count > 0) clone.aborted = aborted;
  // As if all of them had been open here, and ended now one after the other.
  const byFirstOffset = cutRows.toSorted((a, b) => rows.firstOffset[a]! - rows.firstOffset[b]!);
  for (const row of byFirstOffset) clone.beginTransaction(rows.producerId[row]!, rows.firstOffset[row]!);
  for (const row of cutRows) {
    const producerId = rows.producerId[row]!;
    const slot = source.slot(source.indexOfOffset(rows.lastOffset[row]!));
    // A marker that was merged into a file is not read for its epoch, which no reader looks at.
    const producerEpoch =
      pointers.fileSlot(slot) === markerFileSlot ? markerAt(pointers, slot).producerEpoch : 0;
    clone.endTransaction({ producerId, producerEpoch, isCommit: false }, nowMs);
  }
}
