import type { PartitionLog } from '../log/partition-log.ts';
import { chunkMask, chunkPointers, chunkShift } from '../log/pointer-pool.ts';

/**
 * The ends of all partitions at one moment, and with them all of their pointers. A pointer grows only within the
 * command that created it, since a file is committed at once; so the list of chunks and the count are enough to read
 * the pointers later (L11).
 */
export class CapturedLogs {
  readonly count: number;
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly pointerCount: Uint32Array;
  readonly #chunks: (readonly number[])[];
  readonly #headPositions: Uint8Array;

  constructor(logs: readonly PartitionLog[]) {
    const count = logs.length;
    this.count = count;
    this.logStartOffset = new Float64Array(count);
    this.nextOffset = new Float64Array(count);
    this.pointerCount = new Uint32Array(count);
    this.#chunks = new Array(count);
    this.#headPositions = new Uint8Array(count);
    for (let index = 0; index < count; index++) {
      const log = logs[index]!;
      this.logStartOffset[index] = log.logStartOffset;
      this.nextOffset[index] = log.nextOffset;
      this.pointerCount[index] = log.pointerCount;
      this.#chunks[index] = log.chunks;
      this.#headPositions[index] = log.headPositions;
    }
  }

  get pointerTotal(): number {
    return this.pointerCount.reduce((sum, count) => sum + count, 0);
  }

  slot(log: number, index: number): number {
    const position = this.#headPositions[log]! + index;
    return this.#chunks[log]![position >>> chunkShift]! * chunkPointers + (position & chunkMask);
  }
}
