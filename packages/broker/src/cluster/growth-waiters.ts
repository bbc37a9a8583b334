import type { GrowingEnd } from './cluster-view.ts';

interface Waiter {
  readonly end: GrowingEnd;
  readonly offset: number;
  readonly run: () => void;
}

const endless = { nextOffset: Number.POSITIVE_INFINITY, lastStableOffset: Number.POSITIVE_INFINITY };

/**
 * Long polls that wait until one of the ends of a partition grows beyond an offset. Each is called once or cancelled,
 * and then removed.
 */
export class GrowthWaiters {
  readonly #waitersMax: number;
  readonly #byTopic = new Map<string, Map<number, Set<Waiter>>>();
  #size = 0;

  constructor(waitersMax: number) {
    this.#waitersMax = waitersMax;
  }

  get size(): number {
    return this.#size;
  }

  /** Beyond the limit the waiter is not stored: that long poll ends with its own timeout. */
  add(topicId: string, partition: number, waiter: Waiter): () => void {
    if (this.#size >= this.#waitersMax) return () => {};
    let byPartition = this.#byTopic.get(topicId);
    if (byPartition === undefined) {
      byPartition = new Map();
      this.#byTopic.set(topicId, byPartition);
    }
    const waiters = byPartition.get(partition) ?? new Set<Waiter>();
    byPartition.set(partition, waiters);
    waiters.add(waiter);
    this.#size++;
    return () => this.#remove(topicId, partition, waiter);
  }

  /** Removes and returns the waiters for offsets below the ends. */
  takeBelow(topicId: string, partition: number, ends: Readonly<Record<GrowingEnd, number>>): (() => void)[] {
    const waiters = this.#byTopic.get(topicId)?.get(partition);
    if (waiters === undefined) return [];
    const due = [...waiters].filter(({ end, offset }) => offset < ends[end]);
    for (const waiter of due) this.#remove(topicId, partition, waiter);
    return due.map(({ run }) => run);
  }

  /** Removes and returns all waiters of a topic: it was deleted, and they should notice. */
  takeTopic(topicId: string): (() => void)[] {
    const due: (() => void)[] = [];
    for (const partition of [...(this.#byTopic.get(topicId)?.keys() ?? [])]) {
      due.push(...this.takeBelow(topicId, partition, endless));
    }
    return due;
  }

  topicIds(): readonly string[] {
    return [...this.#byTopic.keys()];
  }

  #remove(topicId: string, partition: number, waiter: Waiter): void {
    const byPartition = this.#byTopic.get(topicId);
    const waiters = byPartition?.get(partition);
    if (byPartition === undefined || waiters === undefined || !waiters.delete(waiter)) return;
    this.#size--;
    if (waiters.size > 0) return;
    byPartition.delete(partition);
    if (byPartition.size === 0) this.#byTopic.delete(topicId);
  }
}
