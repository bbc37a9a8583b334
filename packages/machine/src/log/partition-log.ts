import { AbortedList } from './aborted-list.ts';
import { type Marker, markerFileSlot, packMarker } from './marker.ts';
import { chunkMask, chunkPointers, chunkShift, type PointerPool, type PointerVisit } from './pointer-pool.ts';

/** Timestamp of a chunk that contains only markers: earlier than all others. */
const noTimestamp = Number.NEGATIVE_INFINITY;
const earliestTimestamp = -Number.MAX_VALUE;

/** Pointers as columns, none of them a marker. */
interface PointerRows {
  readonly fileSlot: readonly number[];
  readonly byteStart: readonly number[];
  readonly byteLength: readonly number[];
  readonly baseOffset: readonly number[];
  readonly maxTimestampMs: readonly number[];
}

function writeRows(pool: PointerPool, rows: PointerRows, slotOf: (row: number) => number): void {
  for (let row = 0; row < rows.fileSlot.length; row++) {
    pool.write(
      slotOf(row),
      rows.fileSlot[row]!,
      rows.byteStart[row]!,
      rows.byteLength[row]!,
      rows.baseOffset[row]!,
      rows.maxTimestampMs[row]!,
    );
  }
}

/**
 * One partition: its start, its end, and its pointers. Pointers cover the offsets without gaps: each ends where the
 * next one starts, and the last at `nextOffset` (L2).
 *
 * Producers choose timestamps, so these do not grow with the offsets. To find the first pointer that reaches a
 * timestamp without a scan, every chunk stores the latest timestamp up to its end. This running maximum never
 * decreases, so it supports binary search; within the chunk at most sixteen pointers are examined. Pointers store their
 * own timestamp, not the running maximum, which would be wrong as soon as the log loses its head.
 */
export class PartitionLog {
  readonly topicNumber: number;
  readonly topicId: string;
  readonly partition: number;
  logStartOffset = 0;
  nextOffset = 0;
  pointerCount = 0;
  /** Records before it were compacted with each other, if the topic is compacted. It may lie before the log start. */
  cleanOffset = 0;
  /** Bytes that the pointers cover in files. A pointer that spans the log start counts fully. */
  byteCount = 0;
  /** Bytes that were appended since this process has the log, for rates. It is no part of snapshots. */
  appendedByteCount = 0;
  /** Slots of `Producers` by producer id; `undefined` while there are none. */
  producerSlots: Map<number, number> | undefined = undefined;
  /**
   * First offsets of open transactions by producer id. Transactions start at the end of the log, so the first one is
   * the lowest.
   */
  openTransactions: Map<number, number> | undefined = undefined;
  /** `undefined` while there are none. */
  aborted: AbortedList | undefined = undefined;

  readonly #pool: PointerPool;
  #chunks: number[] = [];
  /** Number of positions of the first chunk whose pointers were dropped. */
  #headPositions = 0;
  #runningMaxMs: number[] = [];

  constructor(topicNumber: number, topicId: string, partition: number, pool: PointerPool) {
    this.topicNumber = topicNumber;
    this.topicId = topicId;
    this.partition = partition;
    this.#pool = pool;
  }

  /** Where the log of a copy begins, which has nothing yet. */
  beginAt(offset: number): void {
    this.logStartOffset = offset;
    this.nextOffset = offset;
  }

  /**
   * Assigns the next offsets to a batch. Returns whether it has its own pointer; otherwise it directly follows the last
   * batch in the same file, and the last pointer was extended over it (L3). `mayExtend` is false if that pointer could
   * be from an earlier command (L11).
   */
  append(
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    recordCount: number,
    maxTimestampMs: number,
    mayExtend = true,
  ): boolean {
    const baseOffset = this.nextOffset;
    this.nextOffset += recordCount;
    this.appendedByteCount += byteLength;
    const pool = this.#pool;
    if (mayExtend && this.pointerCount > 0) {
      const last = this.slot(this.pointerCount - 1);
      if (pool.fileSlot(last) === fileSlot && pool.byteStart(last) + pool.byteLength(last) === byteStart) {
        pool.extend(last, byteLength, maxTimestampMs);
        this.byteCount += byteLength;
        this.#raiseRunningMax(maxTimestampMs);
        return false;
      }
    }
    this.push(fileSlot, byteStart, byteLength, baseOffset, maxTimestampMs);
    return true;
  }

  /** No record of an open transaction has a lower offset. */
  get lastStableOffset(): number {
    if (this.openTransactions === undefined) return this.nextOffset;
    const [lowest] = this.openTransactions.values();
    return Math.max(lowest!, this.logStartOffset);
  }

  /** Opens a transaction at `firstOffset`. */
  beginTransaction(producerId: number, firstOffset: number): void {
    this.openTransactions ??= new Map();
    this.openTransactions.set(producerId, firstOffset);
  }

  /** Ends the producer's open transaction and assigns the next offset to the marker. */
  endTransaction(marker: Marker, timestampMs: number): void {
    const { producerId, isCommit } = marker;
    const firstOffset = this.openTransactions?.get(producerId);
    this.forgetTransaction(producerId);
    const markerOffset = this.nextOffset++;
    const [byteStart, byteLength] = packMarker(marker);
    this.push(markerFileSlot, byteStart, byteLength, markerOffset, timestampMs);
    if (isCommit || firstOffset === undefined) return;
    this.aborted ??= new AbortedList();
    this.aborted.add(producerId, firstOffset, markerOffset, this.lastStableOffset);
  }

  /**
   * Ends the open transaction of a producer by a marker that was copied, and so lies in a file. `markerOffset` is that
   * of the marker; what follows it may have been appended already.
   */
  endCopiedTransaction(producerId: number, isCommit: boolean, markerOffset: number): void {
    const firstOffset = this.openTransactions?.get(producerId);
    if (firstOffset === undefined) return;
    this.forgetTransaction(producerId);
    if (isCommit) return;
    const [lowest = markerOffset + 1] = this.openTransactions?.values() ?? [];
    this.aborted ??= new AbortedList();
    this.aborted.add(producerId, firstOffset, markerOffset, Math.min(lowest, markerOffset + 1));
  }

  forgetTransaction(producerId: number): void {
    this.openTransactions?.delete(producerId);
    if (this.openTransactions?.size === 0) this.openTransactions = undefined;
  }

  /** Adds a pointer without checks; `append` and the snapshot reader guarantee that it fits. */
  push(
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    baseOffset: number,
    maxTimestampMs: number,
  ): void {
    // Timestamp searches look for records, and a marker is none.
    const recordTimestampMs = fileSlot === markerFileSlot ? noTimestamp : maxTimestampMs;
    if (fileSlot !== markerFileSlot) this.byteCount += byteLength;
    if (((this.#headPositions + this.pointerCount) & chunkMask) === 0) {
      const before = this.#runningMaxMs.at(-1) ?? recordTimestampMs;
      this.#chunks.push(this.#pool.allocateChunk());
      this.#runningMaxMs.push(Math.max(before, recordTimestampMs));
    } else {
      this.#raiseRunningMax(recordTimestampMs);
    }
    this.#pool.write(
      this.slot(this.pointerCount++),
      fileSlot,
      byteStart,
      byteLength,
      baseOffset,
      maxTimestampMs,
    );
  }

  /**
   * The chunks of the log in order. The list grows only at its end and is otherwise replaced, never changed, so that a
   * capture can still read its pointers (L11).
   */
  get chunks(): readonly number[] {
    return this.#chunks;
  }

  /** Number of positions of the first chunk before the first pointer. */
  get headPositions(): number {
    return this.#headPositions;
  }

  /** Returns the slot of a pointer in the pool. */
  slot(index: number): number {
    const position = this.#headPositions + index;
    return this.#chunks[position >>> chunkShift]! * chunkPointers + (position & chunkMask);
  }

  /** Returns the offset after a pointer. */
  endOf(index: number): number {
    return index + 1 < this.pointerCount ? this.#pool.baseOffset(this.slot(index + 1)) : this.nextOffset;
  }

  /** Returns the pointer that covers an offset between start and end of the log. */
  indexOfOffset(offset: number): number {
    let low = 0;
    let high = this.pointerCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#pool.baseOffset(this.slot(middle)) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the first data pointer whose latest timestamp is at least this; -1 if there is none. */
  indexOfTimestamp(atLeastMs: number): number {
    const timestampMs = Math.max(atLeastMs, earliestTimestamp);
    const running = this.#runningMaxMs;
    let low = 0;
    let high = running.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (running[middle]! >= timestampMs) high = middle;
      else low = middle + 1;
    }
    if (low === running.length) return -1;
    // All earlier chunks have earlier timestamps, so the pointer is in this chunk.
    let index = Math.max(0, low * chunkPointers - this.#headPositions);
    while (!this.#reaches(this.slot(index), timestampMs)) index++;
    return index;
  }

  /** Returns the first pointer with the latest timestamp of the log; -1 if the log has no records. */
  indexOfLatestTimestamp(): number {
    const latest = this.#runningMaxMs.at(-1);
    return latest === undefined ? -1 : this.indexOfTimestamp(latest);
  }

  #reaches(slot: number, timestampMs: number): boolean {
    return this.#pool.fileSlot(slot) !== markerFileSlot && this.#pool.maxTimestampMs(slot) >= timestampMs;
  }

  /**
   * Drops the first pointers and frees the chunks that contain no others. The caller has already released their files.
   */
  dropFirst(count: number): void {
    if (count === 0) return;
    const pool = this.#pool;
    for (let index = 0; index < count; index++) {
      const slot = this.slot(index);
      if (pool.fileSlot(slot) !== markerFileSlot) this.byteCount -= pool.byteLength(slot);
    }
    const left = this.pointerCount - count;
    const position = this.#headPositions + count;
    const goneChunks = left === 0 ? this.#chunks.length : position >>> chunkShift;
    for (let chunk = 0; chunk < goneChunks; chunk++) pool.freeChunk(this.#chunks[chunk]!);
    this.#chunks = this.#chunks.slice(goneChunks);
    this.#runningMaxMs.splice(0, goneChunks);
    this.#headPositions = left === 0 ? 0 : position & chunkMask;
    this.pointerCount = left;
    this.#mendRunningMax(0, left);
  }

  /**
   * Replaces some pointers by others that cover the same offsets. The caller has already released their files. Chunks
   * that hold other pointers too are copied, because a capture may still read them (L11); so are all chunks on the side
   * of the replaced ones that has fewer pointers, as there is no room for more or fewer between the others.
   */
  replace(first: number, count: number, rows: PointerRows): void {
    const pool = this.#pool;
    for (let index = first; index < first + count; index++) {
      const slot = this.slot(index);
      if (pool.fileSlot(slot) !== markerFileSlot) this.byteCount -= pool.byteLength(slot);
    }
    for (const byteLength of rows.byteLength) this.byteCount += byteLength;
    const after = this.pointerCount - first - count;
    if (first < after) this.#replaceInHead(first, count, rows);
    else this.#replaceInTail(first, count, rows);
    this.pointerCount += rows.fileSlot.length - count;
  }

  /** Rebuilds the chunks up to the last replaced pointer, so that the pointers after it keep their positions. */
  #replaceInHead(first: number, count: number, rows: PointerRows): void {
    const pool = this.#pool;
    const before = this.#chunks;
    const newCount = rows.fileSlot.length;
    const keptPosition = this.#headPositions + first + count;
    const keptChunk = keptPosition >>> chunkShift;
    const inChunk = keptPosition & chunkMask;
    const headPositions = (inChunk - first - newCount) & chunkMask;
    const goneChunks = keptChunk + (inChunk > 0 ? 1 : 0);
    const builtChunks = (headPositions + first + newCount - inChunk) / chunkPointers + (inChunk > 0 ? 1 : 0);
    const built = Array.from({ length: builtChunks }, () => pool.allocateChunk());
    const slotAt = (position: number) =>
      built[position >>> chunkShift]! * chunkPointers + (position & chunkMask);
    for (let index = 0; index < first; index++) pool.copy(this.slot(index), slotAt(headPositions + index));
    writeRows(pool, rows, (row) => slotAt(headPositions + first + row));
    if (inChunk > 0) {
      const used = this.#headPositions + this.pointerCount - keptChunk * chunkPointers;
      const lastChunk = (builtChunks - 1) * chunkPointers;
      for (let position = inChunk; position < Math.min(chunkPointers, used); position++) {
        pool.copy(before[keptChunk]! * chunkPointers + position, slotAt(lastChunk + position));
      }
    }
    this.#chunks = built.concat(before.slice(goneChunks));
    this.#headPositions = headPositions;
    for (let chunk = 0; chunk < goneChunks; chunk++) pool.freeChunk(before[chunk]!);
    const running = new Array<number>(builtChunks).fill(Number.NaN);
    this.#runningMaxMs = running.concat(this.#runningMaxMs.slice(goneChunks));
    this.#mendRunningMax(0, this.pointerCount + newCount - count);
  }

  /** Rebuilds the chunks from the first replaced pointer on. */
  #replaceInTail(first: number, count: number, rows: PointerRows): void {
    const pool = this.#pool;
    const before = this.#chunks;
    const newCount = rows.fileSlot.length;
    const firstPosition = this.#headPositions + first;
    const keptChunks = firstPosition >>> chunkShift;
    const start = keptChunks * chunkPointers;
    const end = this.#headPositions + this.pointerCount + newCount - count;
    const built = Array.from({ length: Math.ceil((end - start) / chunkPointers) }, () =>
      pool.allocateChunk(),
    );
    const slotAt = (position: number) =>
      built[(position - start) >>> chunkShift]! * chunkPointers + (position & chunkMask);
    for (let position = Math.max(start, this.#headPositions); position < firstPosition; position++) {
      pool.copy(this.slot(position - this.#headPositions), slotAt(position));
    }
    writeRows(pool, rows, (row) => slotAt(firstPosition + row));
    for (let index = first + count; index < this.pointerCount; index++) {
      pool.copy(this.slot(index), slotAt(this.#headPositions + index + newCount - count));
    }
    this.#chunks = before.slice(0, keptChunks).concat(built);
    for (let chunk = keptChunks; chunk < before.length; chunk++) pool.freeChunk(before[chunk]!);
    const running = new Array<number>(built.length).fill(Number.NaN);
    this.#runningMaxMs = this.#runningMaxMs.slice(0, keptChunks).concat(running);
    this.#mendRunningMax(keptChunks, this.pointerCount + newCount - count);
  }

  /**
   * Takes the first pointers of another log, as this log's only ones, and passes them to `visit`. Both logs then share
   * the chunks that are full, which never change (L11).
   */
  takeFirst(source: PartitionLog, count: number, visit: PointerVisit): void {
    if (count === 0) return;
    const pool = this.#pool;
    const end = source.#headPositions + count;
    const fullCount = end >>> chunkShift;
    const chunkCount = (end + chunkMask) >>> chunkShift;
    this.#headPositions = source.#headPositions;
    this.#chunks = source.#chunks.slice(0, fullCount);
    for (const chunk of this.#chunks) pool.shareChunk(chunk);
    if (chunkCount > fullCount) {
      const copy = pool.allocateChunk();
      this.#chunks.push(copy);
      const original = source.#chunks[fullCount]! * chunkPointers;
      for (let position = 0; position < (end & chunkMask); position++) {
        pool.copy(original + position, copy * chunkPointers + position);
      }
    }
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      const first = chunk === 0 ? this.#headPositions : 0;
      pool.visitChunk(
        this.#chunks[chunk]!,
        first,
        Math.min(chunkPointers, end - chunk * chunkPointers),
        visit,
      );
    }
    this.#runningMaxMs = source.#runningMaxMs.slice(0, chunkCount);
    this.pointerCount = count;
    this.byteCount = source.byteCount;
    if (count === source.pointerCount) return;
    for (let index = count; index < source.pointerCount; index++) {
      const slot = source.slot(index);
      if (pool.fileSlot(slot) !== markerFileSlot) this.byteCount -= pool.byteLength(slot);
    }
    this.#runningMaxMs[chunkCount - 1] = Number.NaN;
    this.#mendRunningMax(chunkCount - 1, count);
  }

  /** Frees all chunks. The log must not be used afterwards. */
  free(): void {
    for (const chunk of this.#chunks) this.#pool.freeChunk(chunk);
    this.#chunks = [];
    this.#runningMaxMs.length = 0;
    this.#headPositions = 0;
    this.pointerCount = 0;
    this.byteCount = 0;
    this.openTransactions = undefined;
    this.aborted = undefined;
  }

  /**
   * Recomputes the running maximum from a chunk on, up to the first chunk where it did not change. With increasing
   * timestamps that is the first one.
   */
  #mendRunningMax(firstChunk: number, pointerCount: number): void {
    const running = this.#runningMaxMs;
    let latestMs = firstChunk === 0 ? noTimestamp : running[firstChunk - 1]!;
    let index = Math.max(0, firstChunk * chunkPointers - this.#headPositions);
    for (let chunk = firstChunk; chunk < running.length; chunk++) {
      const end = Math.min(pointerCount, (chunk + 1) * chunkPointers - this.#headPositions);
      for (; index < end; index++) {
        const slot = this.slot(index);
        if (this.#pool.fileSlot(slot) !== markerFileSlot) {
          latestMs = Math.max(latestMs, this.#pool.maxTimestampMs(slot));
        }
      }
      if (running[chunk] === latestMs) return;
      running[chunk] = latestMs;
    }
  }

  #raiseRunningMax(timestampMs: number): void {
    const last = this.#runningMaxMs.length - 1;
    if (timestampMs > this.#runningMaxMs[last]!) this.#runningMaxMs[last] = timestampMs;
  }
}
