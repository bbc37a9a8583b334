import type { AbortedTransactions, Pointers } from '@weir/cluster';
import { PartitionTail } from './partition-tail.ts';

export interface TailLimits {
  readonly recentPointersPerPartitionMax: number;
  readonly recentPointersMax: number;
}

interface IndexedTail {
  readonly tail: PartitionTail;
  /** Number of queue entries of this tail whose pointer was already dropped. */
  droppedAhead: number;
}

/**
 * The last pointers of all partitions, limited per partition and overall, oldest dropped first. The queue has an entry
 * for every pointer in order of arrival, so the index is bounded whatever clients write.
 */
export class TailIndex {
  readonly #limits: TailLimits;
  readonly #tails = new Map<string, IndexedTail[]>();
  /** A ring: when it is full, the entry at `#oldest` is evicted next. */
  readonly #queue: IndexedTail[] = [];
  #oldest = 0;

  constructor(limits: TailLimits) {
    this.#limits = limits;
  }

  /** Number of stored pointers; for tests and metrics. */
  get size(): number {
    let size = 0;
    for (const tails of this.#tails.values()) for (const { tail } of Object.values(tails)) size += tail.size;
    return size;
  }

  /** Adds the new ones among the pointers. After a gap the older pointers are dropped, because a tail is contiguous. */
  append(topicId: string, partition: number, pointers: Pointers, aborted?: AbortedTransactions): void {
    const indexed = this.#tailOf(topicId, partition);
    for (let row = 0; row < pointers.fileId.length; row++) {
      const end = indexed.tail.end;
      if (end !== undefined && pointers.nextOffset[row]! <= end) continue;
      if (end !== undefined && pointers.baseOffset[row]! !== end) this.#clear(indexed);
      indexed.tail.push(pointers, row);
      this.#enqueue(indexed);
      if (indexed.tail.size > this.#limits.recentPointersPerPartitionMax) {
        indexed.tail.dropOldest();
        indexed.droppedAhead++;
      }
    }
    if (aborted !== undefined) indexed.tail.noteAborted(aborted);
  }

  find(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined {
    return this.#tails.get(topicId)?.[partition]?.tail.from(offset, bytesMax);
  }

  abortedIn(
    topicId: string,
    partition: number,
    offset: number,
    endOffset: number,
  ): AbortedTransactions | undefined {
    return this.#tails.get(topicId)?.[partition]?.tail.abortedIn(offset, endOffset);
  }

  /** Drops a tail that does not end where the partition does, because the appends between were not received. */
  keepIfEndsAt(topicId: string, partition: number, nextOffset: number): void {
    const indexed = this.#tails.get(topicId)?.[partition];
    if (indexed !== undefined && indexed.tail.end !== nextOffset) this.#clear(indexed);
  }

  deleteTopic(topicId: string): void {
    for (const indexed of Object.values(this.#tails.get(topicId) ?? [])) this.#clear(indexed);
    this.#tails.delete(topicId);
  }

  topicIds(): Iterable<string> {
    return this.#tails.keys();
  }

  #tailOf(topicId: string, partition: number): IndexedTail {
    let tails = this.#tails.get(topicId);
    if (tails === undefined) {
      tails = [];
      this.#tails.set(topicId, tails);
    }
    let indexed = tails[partition];
    if (indexed === undefined) {
      indexed = { tail: new PartitionTail(), droppedAhead: 0 };
      tails[partition] = indexed;
    }
    return indexed;
  }

  #clear(indexed: IndexedTail): void {
    indexed.droppedAhead += indexed.tail.size;
    indexed.tail.clear();
  }

  #enqueue(indexed: IndexedTail): void {
    if (this.#queue.length < this.#limits.recentPointersMax) {
      this.#queue.push(indexed);
      return;
    }
    const oldest = this.#queue[this.#oldest]!;
    if (oldest.droppedAhead > 0) oldest.droppedAhead--;
    else oldest.tail.dropOldest();
    this.#queue[this.#oldest] = indexed;
    this.#oldest = (this.#oldest + 1) % this.#limits.recentPointersMax;
  }
}
