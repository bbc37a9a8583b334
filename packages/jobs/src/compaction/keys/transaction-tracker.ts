import type { AbortedTransactions } from '@weir/cluster';
import { type RecordBatchView, readControlRecord } from '@weir/wire';

interface AbortedTransaction {
  readonly firstOffset: number;
  readonly lastOffset: number;
  hasBatches: boolean;
}

/**
 * Follows the transactions of a partition while its batches are read in order, as Apache Kafka's log cleaner does.
 * Records of aborted transactions can be discarded at once, and a marker when no batch of its transaction is left.
 */
export class TransactionTracker {
  readonly #aborted: AbortedTransactions;
  #next = 0;
  readonly #openAborted = new Map<number, AbortedTransaction>();
  readonly #openCommitted = new Set<number>();

  /** Takes the aborted transactions of the partition, by first offset. */
  constructor(aborted: AbortedTransactions) {
    this.#aborted = aborted;
  }

  /** Returns whether the records of a batch belong to an aborted transaction. */
  isAborted(batch: RecordBatchView, lastOffset: number): boolean {
    if (!batch.isTransactional) return false;
    this.#openUpTo(lastOffset);
    const producerId = Number(batch.producerId);
    const transaction = this.#openAborted.get(producerId);
    if (transaction !== undefined && lastOffset <= transaction.lastOffset) {
      transaction.hasBatches = true;
      return true;
    }
    this.#openCommitted.add(producerId);
    return false;
  }

  /** Takes a control batch. Returns whether it is the end of a transaction without batches. */
  isEndOfNothing(batch: RecordBatchView, offset: number): boolean {
    this.#openUpTo(offset);
    // The records of a control batch without any were removed before.
    if (batch.recordCount === 0) return true;
    const record = readControlRecord(batch);
    if (record.kind !== 'endTransaction') return false;
    const producerId = Number(batch.producerId);
    if (record.result === 'commit') return !this.#openCommitted.delete(producerId);
    const transaction = this.#openAborted.get(producerId);
    this.#openAborted.delete(producerId);
    return transaction?.hasBatches !== true;
  }

  #openUpTo(offset: number): void {
    const { producerId, firstOffset, lastOffset } = this.#aborted;
    for (; this.#next < firstOffset.length && firstOffset[this.#next]! <= offset; this.#next++) {
      this.#openAborted.set(producerId[this.#next]!, {
        firstOffset: firstOffset[this.#next]!,
        lastOffset: lastOffset[this.#next]!,
        hasBatches: false,
      });
    }
  }
}
