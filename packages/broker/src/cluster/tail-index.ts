import type { AbortedTransactions, Pointers } from '@weir/cluster';
import { PartitionTail } from './partition-tail.ts';
import { PointerRing } from './pointer-ring.ts';

export interface TailLimits {
  readonly recentPointersPerPartitionMax: number;
  readonly recentPointersMax: number;
}

/** The last pointers of all partitions, limited per partition and overall, oldest dropped first. */
export class TailIndex {
  readonly #pointersPerPartitionMax: number;
  readonly #ring: PointerRing;
  readonly #tails = new Map<string, PartitionTail[]>();

  constructor({ recentPointersPerPartitionMax, recentPointersMax }: TailLimits) {
    this.#pointersPerPartitionMax = recentPointersPerPartitionMax;
    this.#ring = new PointerRing(recentPointersMax);
  }

  /** Number of stored pointers; for tests and metrics. */
  get size(): number {
    let size = 0;
    for (const tails of this.#tails.values()) for (const tail of Object.values(tails)) size += tail.size;
    return size;
  }

  /** Adds the new ones among the pointers. After a gap the older pointers are dropped, because a tail is contiguous. */
  append(topicId: string, partition: number, pointers: Pointers, aborted?: AbortedTransactions): void {
    const tail = this.#tailOf(topicId, partition);
    for (let row = 0; row < pointers.fileId.length; row++) {
      const { end } = tail;
      if (end !== undefined && pointers.nextOffset[row]! <= end) continue;
      if (end !== undefined && pointers.baseOffset[row]! !== end) tail.clear();
      tail.push(pointers, row);
      if (tail.size > this.#pointersPerPartitionMax) tail.dropOldest();
    }
    if (aborted !== undefined) tail.noteAborted(aborted);
  }

  find(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined {
    return this.#tails.get(topicId)?.[partition]?.from(offset, bytesMax);
  }

  abortedIn(
    topicId: string,
    partition: number,
    offset: number,
    endOffset: number,
  ): AbortedTransactions | undefined {
    return this.#tails.get(topicId)?.[partition]?.abortedIn(offset, endOffset);
  }

  /** Drops a tail that does not end where the partition does, because the appends between were not received. */
  keepIfEndsAt(topicId: string, partition: number, nextOffset: number): void {
    const tail = this.#tails.get(topicId)?.[partition];
    if (tail !== undefined && tail.end !== nextOffset) tail.clear();
  }

  /** Drops pointers that begin before an offset, because other files hold their batches by now. */
  dropBelow(topicId: string, partition: number, offset: number): void {
    const tail = this.#tails.get(topicId)?.[partition];
    while (tail?.start !== undefined && tail.start < offset) tail.dropOldest();
  }

  deleteTopic(topicId: string): void {
    for (const tail of Object.values(this.#tails.get(topicId) ?? [])) tail.clear();
    this.#tails.delete(topicId);
  }

  topicIds(): Iterable<string> {
    return this.#tails.keys();
  }

  #tailOf(topicId: string, partition: number): PartitionTail {
    let tails = this.#tails.get(topicId);
    if (tails === undefined) {
      tails = [];
      this.#tails.set(topicId, tails);
    }
    let tail = tails[partition];
    if (tail === undefined) {
      tail = new PartitionTail(this.#ring);
      tails[partition] = tail;
    }
    return tail;
  }
}
