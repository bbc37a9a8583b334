import { AbortedList } from './aborted-list.ts';
import { type Marker, markerFileSlot, packMarker } from './marker.ts';
import { chunkMask, chunkPointers, chunkShift, type PointerPool } from './pointer-pool.ts';

/** What a chunk has that holds nothing but markers: earlier than everything. */
const noTimestamp = Number.NEGATIVE_INFINITY;
const earliestTimestamp = -Number.MAX_VALUE;

/**
 * One partition: where it starts and ends, and the pointers between. Pointers tile the offsets without holes: each ends where
 * the next one begins, and the last at `nextOffset`.
 *
 * Producers choose timestamps, so they do not grow with the offsets. To find the first pointer that reaches a time without
 * walking over all of them, every chunk knows the latest time up to its end. That running maximum grows, so it can be
 * searched by halves, and within the chunk at most sixteen pointers are looked at. Pointers keep their own time, not the
 * running one, because a running maximum would be wrong as soon as the log loses its head.
 */
export class PartitionLog {
  readonly topicNumber: number;
  readonly topicId: string;
  readonly partition: number;
  logStartOffset = 0;
  nextOffset = 0;
  pointerCount = 0;
  /** What the pointers cover in files. A pointer that begins before the log does counts whole. */
  byteCount = 0;
  /** Slots of `Producers` by producer id, as soon as there is one. */
  producerSlots: Map<number, number> | undefined = undefined;
  /** The first offsets of open transactions by producer id. They begin at the end of the log, so that the lowest is the first. */
  openTransactions: Map<number, number> | undefined = undefined;
  /** As soon as there is one. */
  aborted: AbortedList | undefined = undefined;

  readonly #pool: PointerPool;
  #chunks: number[] = [];
  /** Positions of the first chunk whose pointers are gone. */
  #headPositions = 0;
  readonly #runningMaxMs: number[] = [];

  constructor(topicNumber: number, topicId: string, partition: number, pool: PointerPool) {
    this.topicNumber = topicNumber;
    this.topicId = topicId;
    this.partition = partition;
    this.#pool = pool;
  }

  /**
   * Gives a batch the next offsets. Returns whether it has a pointer of its own; otherwise it lies directly behind the last
   * one in the same file, and that one covers it now.
   */
  append(
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    recordCount: number,
    maxTimestampMs: number,
  ): boolean {
    const baseOffset = this.nextOffset;
    this.nextOffset += recordCount;
    const pool = this.#pool;
    if (this.pointerCount > 0) {
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

  /** Before it there is no record of an open transaction. */
  get lastStableOffset(): number {
    if (this.openTransactions === undefined) return this.nextOffset;
    const [lowest] = this.openTransactions.values();
    return Math.max(lowest!, this.logStartOffset);
  }

  /** The next offset is the first of a transaction. */
  beginTransaction(producerId: number, firstOffset: number): void {
    this.openTransactions ??= new Map();
    this.openTransactions.set(producerId, firstOffset);
  }

  /** Ends what the producer has open here, and gives the marker the next offset. */
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

  forgetTransaction(producerId: number): void {
    this.openTransactions?.delete(producerId);
    if (this.openTransactions?.size === 0) this.openTransactions = undefined;
  }

  /** Adds a pointer as it is. `append` and a snapshot's reader know that it fits. */
  push(
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    baseOffset: number,
    maxTimestampMs: number,
  ): void {
    // Whoever asks for a time asks for a record, and a marker is none.
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
   * The chunks of the log in order. The list grows at its end and is otherwise replaced, never changed, so that whoever keeps
   * it can go on reading the pointers that it had.
   */
  get chunks(): readonly number[] {
    return this.#chunks;
  }

  /** How many positions of the first chunk lie before the first pointer. */
  get headPositions(): number {
    return this.#headPositions;
  }

  /** The place of a pointer in the pool. */
  slot(index: number): number {
    const position = this.#headPositions + index;
    return this.#chunks[position >>> chunkShift]! * chunkPointers + (position & chunkMask);
  }

  /** The offset behind a pointer. */
  endOf(index: number): number {
    return index + 1 < this.pointerCount ? this.#pool.baseOffset(this.slot(index + 1)) : this.nextOffset;
  }

  /** The pointer that covers an offset between start and end of the log. */
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

  /** The first pointer to records whose latest timestamp is at least this; -1 when there is none. */
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
    // Everything before this chunk is earlier, so what makes its maximum reach the time lies within it.
    let index = Math.max(0, low * chunkPointers - this.#headPositions);
    while (!this.#reaches(this.slot(index), timestampMs)) index++;
    return index;
  }

  /** The first pointer that has the latest timestamp of the log; -1 when the log is empty. */
  indexOfLatestTimestamp(): number {
    const latest = this.#runningMaxMs.at(-1);
    return latest === undefined ? -1 : this.indexOfTimestamp(latest);
  }

  #reaches(slot: number, timestampMs: number): boolean {
    return this.#pool.fileSlot(slot) !== markerFileSlot && this.#pool.maxTimestampMs(slot) >= timestampMs;
  }

  /** Forgets the first pointers, and gives back the chunks that held nothing else. Their files have been discounted. */
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
    this.#mendRunningMax();
  }

  /** Gives all chunks back. The log is of no use afterwards. */
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

  /** Counts anew after the head went, up to where what went made no difference. With times that grow that is the first chunk. */
  #mendRunningMax(): void {
    const running = this.#runningMaxMs;
    let latestMs = noTimestamp;
    let index = 0;
    for (let chunk = 0; chunk < running.length; chunk++) {
      const end = Math.min(this.pointerCount, (chunk + 1) * chunkPointers - this.#headPositions);
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
