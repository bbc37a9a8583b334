import { coreLimits } from '@weir/core';
import { CapturedOffsets, type PendingOfProducer } from './captured-offsets.ts';
import { layoutOf } from './offset-field.ts';
import { OffsetPool, type OffsetValue } from './offset-pool.ts';
import { PendingOffsets } from './pending-offsets.ts';
import type { StoredOffset } from './stored-offset.ts';

/** An offset to commit for one partition. */
export interface OffsetRow {
  readonly topicNumber: number;
  readonly partition: number;
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

/**
 * Topic and partition in one number: a map with number keys takes half the memory of one with string keys. Exact for
 * 2^35 topics, which no cluster reaches.
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
 * Committed offsets of all groups, and pending offsets of open transactions. Offsets belong to topic ids, not names: a
 * topic that is created again starts without any.
 */
export class Offsets {
  readonly #pool = new OffsetPool();
  /**
   * Slots by key, per group. In order of first commits, which is the same for all machines that apply the same entries.
   */
  readonly #groups = new Map<string, Map<number, number>>();
  readonly #pending = new PendingOffsets();
  #captured: CapturedOffsets | undefined;
  #count = 0;
  #negativeCount = 0;
  #textChars = 0;
  /** Sequence of the next commit, transactional or not. */
  nextSequence = 0;

  /** Committed offsets of all groups. */
  get count(): number {
    return this.#count;
  }

  get pendingCount(): number {
    return this.#pending.count;
  }

  /** Characters of group ids and metadata, including pending offsets: the parts whose length clients control. */
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

  /** Restores an offset from a snapshot. */
  restore(groupId: string, stored: StoredOffset): void {
    this.#put(groupId, keyOf(stored.topicNumber, stored.partition), stored);
  }

  delete(groupId: string, topicNumber: number, partition: number): void {
    const slots = this.#groups.get(groupId);
    if (slots !== undefined) this.#remove(groupId, slots, keyOf(topicNumber, partition));
  }

  /** Removes all offsets of a group, including pending ones. */
  deleteGroup(groupId: string): void {
    const slots = this.#groups.get(groupId);
    for (const key of slots?.keys() ?? []) this.#remove(groupId, slots!, key);
    this.#pending.dropGroup(groupId);
  }

  /** Removes the offsets of all groups for removed topics, in one pass for any number of topics. */
  forgetTopics(topicNumbers: ReadonlySet<number>): void {
    for (const [groupId, slots] of this.#groups) {
      for (const key of slots.keys()) {
        if (topicNumbers.has(topicNumberOf(key))) this.#remove(groupId, slots, key);
      }
    }
    this.#pending.drop((key) => topicNumbers.has(topicNumberOf(key)));
  }

  /**
   * Adds an offset that takes effect when the transaction of its producer commits. A later one of the same transaction
   * replaces it.
   */
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

  /** Restores an offset from a snapshot. */
  restorePending(producerId: number, groupId: string, stored: StoredOffset): void {
    this.#pending.add(producerId, groupId, keyOf(stored.topicNumber, stored.partition), stored);
  }

  /** Ends the transaction of a producer: its offsets take effect or are dropped. */
  settlePending(producerId: number, isCommit: boolean): void {
    for (const { groupId, key, value } of this.#pending.take(producerId)) {
      // A plain commit may have been made since; the later one takes effect (O5).
      const slot = this.#groups.get(groupId)?.get(key);
      const isNewer = slot === undefined || this.#pool.sequence(slot) < value.sequence;
      if (isCommit && isNewer) this.#put(groupId, key, value);
    }
  }

  /** Returns whether an open transaction may change the offset. */
  isPending(groupId: string, topicNumber: number, partition: number): boolean {
    return this.#pending.has(groupId, keyOf(topicNumber, partition));
  }

  hasPendingGroup(groupId: string): boolean {
    return this.#pending.hasGroup(groupId);
  }

  /** Captures the offsets of this moment, to be written while they change. Must be followed by `endCapture`. */
  capture(): CapturedOffsets {
    const pending = Array.from(
      this.#pending.all(),
      ({ producerId, groupId, key, value }): PendingOfProducer => {
        const stored = { topicNumber: topicNumberOf(key), partition: partitionOf(key), ...value };
        return { producerId, groupId, stored };
      },
    );
    const layout = this.#negativeCount > 0 ? 'signed' : layoutOf(pending.map(({ stored }) => stored));
    this.#captured = new CapturedOffsets(
      layout,
      this.nextSequence,
      [...this.#groups.keys()],
      pending,
      (groupId) => [...this.of(groupId)],
    );
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
      if (this.#pool.offset(slot) < 0) this.#negativeCount--;
    }
    this.#textChars += value.metadata.length;
    if (value.offset < 0) this.#negativeCount++;
    this.#pool.write(slot, value);
  }

  #remove(groupId: string, slots: Map<number, number>, key: number): void {
    const slot = slots.get(key);
    if (slot === undefined) return;
    this.#captured?.beforeChange(groupId);
    slots.delete(key);
    this.#textChars -= this.#pool.metadata(slot).length;
    if (this.#pool.offset(slot) < 0) this.#negativeCount--;
    this.#pool.free(slot);
    this.#count--;
    if (slots.size > 0) return;
    this.#groups.delete(groupId);
    this.#textChars -= groupId.length;
  }
}
