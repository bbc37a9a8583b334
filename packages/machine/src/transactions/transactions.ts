import type { RequestOrigin } from '@weir/cluster';
import type { PartitionLog } from '../log/partition-log.ts';
import { bytesOfContent, bytesOfId, noEpoch, noProducer, type Transaction } from './transaction.ts';

/** The producer that holds a transactional id from now on. */
export interface Holder {
  readonly producerId: number;
  readonly epoch: number;
  readonly lastEpoch: number;
  readonly previousProducerId: number;
}

/**
 * All transactional ids, from the one idle longest to the one used last. All changes go through this class, so that
 * counts, order and running captures stay consistent.
 */
export class Transactions {
  readonly #byId = new Map<string, Transaction>();
  readonly #byProducer = new Map<number, Transaction>();
  readonly #open = new Set<Transaction>();
  #bytes = 0;
  /** Earlier states of those that changed since the capture. */
  #captured: Map<Transaction, Transaction> | undefined;

  get count(): number {
    return this.#byId.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Approximate memory of all of it. */
  get bytes(): number {
    return this.#bytes;
  }

  byId(transactionalId: string): Transaction | undefined {
    return this.#byId.get(transactionalId);
  }

  /** Finds a transaction by its current producer id, not by an earlier one. */
  byProducer(producerId: number): Transaction | undefined {
    return this.#byProducer.get(producerId);
  }

  /** From the one idle longest. */
  oldestFirst(): Iterable<Transaction> {
    return this.#byId.values();
  }

  open(): Iterable<Transaction> {
    return this.#open;
  }

  add(transaction: Transaction): void {
    this.#byId.set(transaction.transactionalId, transaction);
    this.#byProducer.set(transaction.producerId, transaction);
    this.#bytes +=
      bytesOfId(transaction.transactionalId) +
      bytesOfContent(transaction.partitions.size, transaction.groups);
    if (transaction.isOpen) this.#open.add(transaction);
  }

  /** Removes an id without an open transaction. */
  remove(transaction: Transaction): void {
    this.#byId.delete(transaction.transactionalId);
    this.#byProducer.delete(transaction.producerId);
    this.#bytes -= bytesOfId(transaction.transactionalId);
  }

  /** Assigns the id to a producer. The id must have no open transaction. */
  take(transaction: Transaction, holder: Holder, timeoutMs: number, nowMs: number): void {
    this.#touch(transaction, nowMs);
    this.#hold(transaction, holder);
    transaction.timeoutMs = timeoutMs;
    transaction.state = 'Empty';
    transaction.bumpsEpoch = false;
  }

  /** Adds a partition to the transaction, and opens it if necessary. */
  addPartition(transaction: Transaction, log: PartitionLog, bumpsEpoch: boolean, nowMs: number): void {
    this.#change(transaction, bumpsEpoch, nowMs);
    if (transaction.partitions.has(log)) return;
    transaction.partitions.set(log, -1);
    this.#bytes += bytesOfContent(1, []);
  }

  /** Adds a group to the transaction, and opens it if necessary. */
  addGroup(transaction: Transaction, groupId: string, bumpsEpoch: boolean, nowMs: number): void {
    this.#change(transaction, bumpsEpoch, nowMs);
    if (transaction.groups.has(groupId)) return;
    transaction.groups.add(groupId);
    this.#bytes += bytesOfContent(0, [groupId]);
  }

  /** Records the first offset of the transaction in one of its partitions. */
  noteFirstOffset(transaction: Transaction, log: PartitionLog, firstOffset: number): void {
    if (transaction.partitions.get(log) !== -1) return;
    this.#beforeChange(transaction);
    transaction.partitions.set(log, firstOffset);
  }

  noteOrigin(transaction: Transaction, origin: RequestOrigin): void {
    this.#beforeChange(transaction);
    transaction.origin = origin;
  }

  /** Closes the transaction. Returns its partitions to the caller. */
  close(transaction: Transaction, isCommit: boolean, bumpsEpoch: boolean, nowMs: number): PartitionLog[] {
    this.#touch(transaction, nowMs);
    const logs = [...transaction.partitions.keys()];
    this.#bytes -= bytesOfContent(logs.length, transaction.groups);
    this.#open.delete(transaction);
    transaction.state = isCommit ? 'CompleteCommit' : 'CompleteAbort';
    transaction.bumpsEpoch = bumpsEpoch;
    transaction.startMs = -1;
    transaction.origin = undefined;
    transaction.partitions.clear();
    transaction.groups.clear();
    return logs;
  }

  /** Sets the next epoch, or the next producer id. */
  hold(transaction: Transaction, holder: Holder): void {
    this.#beforeChange(transaction);
    this.#hold(transaction, holder);
  }

  /** Removes the partitions of removed topics from all transactions. */
  forgetTopics(topicNumbers: ReadonlySet<number>): void {
    for (const transaction of this.#open) {
      for (const log of [...transaction.partitions.keys()]) {
        if (!topicNumbers.has(log.topicNumber)) continue;
        this.#beforeChange(transaction);
        transaction.partitions.delete(log);
        this.#bytes -= bytesOfContent(1, []);
      }
    }
  }

  /** Captures all of them, to be read while they change, until `endCapture`. */
  capture(): Iterable<Transaction> {
    const order = [...this.#byId.values()];
    const captured = new Map<Transaction, Transaction>();
    this.#captured = captured;
    return {
      *[Symbol.iterator]() {
        for (const transaction of order) yield captured.get(transaction) ?? transaction;
      },
    };
  }

  endCapture(): void {
    this.#captured = undefined;
  }

  #hold(transaction: Transaction, holder: Holder): void {
    if (holder.producerId !== transaction.producerId) {
      this.#byProducer.delete(transaction.producerId);
      this.#byProducer.set(holder.producerId, transaction);
    }
    transaction.producerId = holder.producerId;
    transaction.epoch = holder.epoch;
    transaction.lastEpoch = holder.lastEpoch;
    transaction.previousProducerId = holder.previousProducerId;
  }

  /** Called before an addition: opens the transaction if necessary. */
  #change(transaction: Transaction, bumpsEpoch: boolean, nowMs: number): void {
    this.#beforeChange(transaction);
    transaction.bumpsEpoch = bumpsEpoch;
    if (transaction.isOpen) return;
    this.#touch(transaction, nowMs);
    transaction.state = 'Ongoing';
    transaction.startMs = nowMs;
    transaction.lastEpoch = noEpoch;
    transaction.previousProducerId = noProducer;
    this.#open.add(transaction);
  }

  /** Moves it to the end: used last. */
  #touch(transaction: Transaction, nowMs: number): void {
    this.#beforeChange(transaction);
    transaction.updatedMs = nowMs;
    this.#byId.delete(transaction.transactionalId);
    this.#byId.set(transaction.transactionalId, transaction);
  }

  #beforeChange(transaction: Transaction): void {
    if (this.#captured === undefined || this.#captured.has(transaction)) return;
    this.#captured.set(transaction, transaction.copy());
  }
}
