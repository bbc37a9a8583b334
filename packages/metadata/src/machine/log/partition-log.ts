import { chunkMask, chunkPointers, chunkShift, type PointerPool } from './pointer-pool.ts';

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
  /** Slots of `Producers` by producer id, as soon as there is one. */
  producerSlots: Map<number, number> | undefined = undefined;

  readonly #pool: PointerPool;
  readonly #chunks: number[] = [];
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
        this.#raiseRunningMax(maxTimestampMs);
        return false;
      }
    }
    this.push(fileSlot, byteStart, byteLength, baseOffset, maxTimestampMs);
    return true;
  }

  /** Adds a pointer as it is. `append` and a snapshot's reader know that it fits. */
  push(
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    baseOffset: number,
    maxTimestampMs: number,
  ): void {
    if ((this.pointerCount & chunkMask) === 0) {
      const before = this.#runningMaxMs.at(-1) ?? maxTimestampMs;
      this.#chunks.push(this.#pool.allocateChunk());
      this.#runningMaxMs.push(Math.max(before, maxTimestampMs));
    } else {
      this.#raiseRunningMax(maxTimestampMs);
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

  /** The place of a pointer in the pool. */
  slot(index: number): number {
    return this.#chunks[index >>> chunkShift]! * chunkPointers + (index & chunkMask);
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

  /** The first pointer whose latest timestamp is at least this; -1 when there is none. */
  indexOfTimestamp(timestampMs: number): number {
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
    let index = low * chunkPointers;
    while (this.#pool.maxTimestampMs(this.slot(index)) < timestampMs) index++;
    return index;
  }

  /** The first pointer that has the latest timestamp of the log; -1 when the log is empty. */
  indexOfLatestTimestamp(): number {
    const latest = this.#runningMaxMs.at(-1);
    return latest === undefined ? -1 : this.indexOfTimestamp(latest);
  }

  /** Gives all chunks back. The log is of no use afterwards. */
  free(): void {
    for (const chunk of this.#chunks) this.#pool.freeChunk(chunk);
    this.#chunks.length = 0;
    this.#runningMaxMs.length = 0;
    this.pointerCount = 0;
  }

  #raiseRunningMax(timestampMs: number): void {
    const last = this.#runningMaxMs.length - 1;
    if (timestampMs > this.#runningMaxMs[last]!) this.#runningMaxMs[last] = timestampMs;
  }
}
