import { coreLimits } from '@weir/core';
import { CapturedOffsets, type PendingOfProducer } from './captured-offsets.ts';
import { OffsetPool, type OffsetValue } from './offset-pool.ts';
import { PendingOffsets } from './pending-offsets.ts';

/** An offset of one partition, as it is committed. */
export interface OffsetRow {
  readonly topicNumber: number;
  readonly partition: number;
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

/** An offset of one partition, as it is kept. */
export interface StoredOffset extends OffsetValue {
  readonly topicNumber: number;
  readonly partition: number;
}

/**
 * Topic and partition in one number: a map by numbers takes half of one by texts. Exact for 2^35 topics, which no cluster ever
 * makes.
 */
const partitionSpan = 2 ** Math.ceil(Math.log2(coreLimits.partitionsPerTopicMax));

function keyOf(topicNumber: number, partition: number): number {
  return topicNumber * partitionSpan + partition;
}

function topicNumberOf(key: number): number {
  return Math.floor(key / partitionSpan);
}

function partitionOf(key: number): number {
  return key % partitionSpan;
}

/**
 * What the groups of a cluster have committed, and what transactions would like to. Offsets belong to topics, not to their
 * names: a topic that is made again starts without any.
 */
export class Offsets {
  readonly #pool = new OffsetPool();
  /** Per group, slots by key. In the order of first commits, which is the same wherever the entries are applied. */
  readonly #groups = new Map<string, Map<number, number>>();
  readonly #pending = new PendingOffsets();
  #captured: CapturedOffsets | undefined;
  #count = 0;
  #textChars = 0;
  /** Of the next commit, in a transaction or not. */
  nextSequence = 0;

  /** Committed offsets of all groups. */
  get count(): number {
    return this.#count;
  }

  get pendingCount(): number {
    return this.#pending.count;
  }

  /** Characters of group ids and metadata, those of pending offsets included: what clients can make longer. */
  get textChars(): number {
    return this.#textChars + this.#pending.textChars;
  }

  hasGroup(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  countOf(groupId: string): number {
    return this.#groups.get(groupId)?.size ?? 0;
  }

  get(groupId: string, topicNumber: number, partition: number): OffsetValue | undefined {
    const slot = this.#groups.get(groupId)?.get(keyOf(topicNumber, partition));
    return slot === undefined ? undefined : this.#pool.read(slot);
  }

  *of(groupId: string): Generator<StoredOffset> {
    for (const [key, slot] of this.#groups.get(groupId) ?? []) {
      yield { topicNumber: topicNumberOf(key), partition: partitionOf(key), ...this.#pool.read(slot) };
    }
  }

  commit(groupId: string, row: OffsetRow, committedMs: number, expiresMs: number | undefined): void {
    const sequence = this.nextSequence++;
    this.#put(groupId, keyOf(row.topicNumber, row.partition), { ...row, committedMs, expiresMs, sequence });
  }

  /** Takes an offset of a snapshot. */
  restore(groupId: string, kept: StoredOffset): void {
    this.#put(groupId, keyOf(kept.topicNumber, kept.partition), kept);
  }

  delete(groupId: string, topicNumber: number, partition: number): void {
    const slots = this.#groups.get(groupId);
    if (slots !== undefined) this.#remove(groupId, slots, keyOf(topicNumber, partition));
  }

  /** Forgets all offsets of a group, those of transactions that are under way included. */
  deleteGroup(groupId: string): void {
    const slots = this.#groups.get(groupId);
    for (const key of slots?.keys() ?? []) this.#remove(groupId, slots!, key);
    this.#pending.dropGroup(groupId);
  }

  /** Forgets what all groups committed for topics that are gone. One walk over everything, however many topics. */
  forgetTopics(topicNumbers: ReadonlySet<number>): void {
    for (const [groupId, slots] of this.#groups) {
      for (const key of slots.keys()) {
        if (topicNumbers.has(topicNumberOf(key))) this.#remove(groupId, slots, key);
      }
    }
    this.#pending.drop((key) => topicNumbers.has(topicNumberOf(key)));
  }

  /** An offset that counts when the transaction of its producer is committed. A later one of the same transaction replaces it. */
  addPending(producerId: number, groupId: string, row: OffsetRow, committedMs: number): void {
    const sequence = this.nextSequence++;
    this.#pending.add(producerId, groupId, keyOf(row.topicNumber, row.partition), {
      offset: row.offset,
      leaderEpoch: row.leaderEpoch,
      metadata: row.metadata,
      committedMs,
      expiresMs: undefined,
      sequence,
    });
  }

  /** Takes an offset of a snapshot. */
  restorePending(producerId: number, groupId: string, kept: StoredOffset): void {
    this.#pending.add(producerId, groupId, keyOf(kept.topicNumber, kept.partition), kept);
  }

  /** The transaction of a producer is over: its offsets count, or are dropped. */
  settlePending(producerId: number, isCommit: boolean): void {
    for (const { groupId, key, value } of this.#pending.take(producerId)) {
      // Somebody may have committed since without a transaction; the later one counts.
      const slot = this.#groups.get(groupId)?.get(key);
      const isNewer = slot === undefined || this.#pool.sequence(slot) < value.sequence;
      if (isCommit && isNewer) this.#put(groupId, key, value);
    }
  }

  /** Whether a transaction that is under way may change the offset. */
  isPending(groupId: string, topicNumber: number, partition: number): boolean {
    return this.#pending.has(groupId, keyOf(topicNumber, partition));
  }

  hasPendingGroup(groupId: string): boolean {
    return this.#pending.hasGroup(groupId);
  }

  /** The offsets of this moment, to be written down while they change. Has to be followed by `endCapture`. */
  capture(): CapturedOffsets {
    const pending = Array.from(
      this.#pending.all(),
      ({ producerId, groupId, key, value }): PendingOfProducer => {
        const kept = { topicNumber: topicNumberOf(key), partition: partitionOf(key), ...value };
        return { producerId, groupId, kept };
      },
    );
    this.#captured = new CapturedOffsets(this.nextSequence, [...this.#groups.keys()], pending, (groupId) => [
      ...this.of(groupId),
    ]);
    return this.#captured;
  }

  endCapture(): void {
    this.#captured = undefined;
  }

  #put(groupId: string, key: number, value: OffsetValue): void {
    this.#captured?.beforeChange(groupId);
    let slots = this.#groups.get(groupId);
    if (slots === undefined) {
      slots = new Map();
      this.#groups.set(groupId, slots);
      this.#textChars += groupId.length;
    }
    let slot = slots.get(key);
    if (slot === undefined) {
      slot = this.#pool.allocate();
      slots.set(key, slot);
      this.#count++;
    } else {
      this.#textChars -= this.#pool.metadata(slot).length;
    }
    this.#textChars += value.metadata.length;
    this.#pool.write(slot, value);
  }

  #remove(groupId: string, slots: Map<number, number>, key: number): void {
    const slot = slots.get(key);
    if (slot === undefined) return;
    this.#captured?.beforeChange(groupId);
    slots.delete(key);
    this.#textChars -= this.#pool.metadata(slot).length;
    this.#pool.free(slot);
    this.#count--;
    if (slots.size > 0) return;
    this.#groups.delete(groupId);
    this.#textChars -= groupId.length;
  }
}
