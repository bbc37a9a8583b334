import type { Clock } from '@weir/core';
import { ByteWriter } from '@weir/machine';
import type { GroupSaver } from '../../group-saver.ts';
import { writeSharePartition } from './record.ts';
import type { StoredPartition } from './stored-partition.ts';

/** The delay of saves that no request waits for. */
const laterMs = 1_000;

interface Attempt {
  /** The save in flight. */
  running: Promise<void>;
  /** One save for all changes since. */
  next: Promise<void> | undefined;
}

/**
 * Makes share partitions durable. Acknowledgements are durable before they are answered; acquisitions are written a
 * little later, or with the next save that has to be. Each partition has one write in flight at a time, and later
 * changes share the next one, so that a busy partition costs a write per append of the journal and not one per member.
 */
export class PartitionKeeper {
  readonly #saver: GroupSaver;
  readonly #clock: Clock;
  readonly #writer = new ByteWriter();
  readonly #attempts = new Map<StoredPartition, Attempt>();
  readonly #later = new Set<StoredPartition>();
  #cancelLater: (() => void) | undefined;

  constructor(saver: GroupSaver, clock: Clock) {
    this.#saver = saver;
    this.#clock = clock;
  }

  /** Resolves when the partition is durable in its present state; rejects if the save fails, which is then retried. */
  keep(stored: StoredPartition): Promise<void> {
    const attempt = this.#attempts.get(stored);
    if (attempt === undefined) return this.#begin(stored);
    attempt.next ??= attempt.running.then(
      () => this.#begin(stored),
      () => this.#begin(stored),
    );
    return attempt.next;
  }

  keepLater(stored: StoredPartition): void {
    this.#later.add(stored);
    this.#cancelLater ??= this.#clock.after(laterMs, () => {
      this.#cancelLater = undefined;
      // `keep` removes it from the set.
      for (const one of [...this.#later]) this.keep(one).catch(() => {});
    });
  }

  /** Deletes partitions. */
  async erase(gone: Iterable<StoredPartition>): Promise<void> {
    const erased: Promise<void>[] = [];
    for (const stored of gone) {
      stored.isGone = true;
      this.#later.delete(stored);
      erased.push(
        this.#saver.put(stored.key, [{ namespace: 'sharePartition', key: stored.key, value: null }]),
      );
    }
    await Promise.all(erased);
  }

  close(): void {
    this.#cancelLater?.();
    this.#later.clear();
  }

  #begin(stored: StoredPartition): Promise<void> {
    this.#later.delete(stored);
    if (stored.isGone) {
      this.#attempts.delete(stored);
      return Promise.resolve();
    }
    writeSharePartition(stored.state, this.#writer);
    const value = this.#writer.take();
    const running = this.#saver.put(stored.key, [{ namespace: 'sharePartition', key: stored.key, value }]);
    const attempt: Attempt = { running, next: undefined };
    this.#attempts.set(stored, attempt);
    const end = () => {
      if (attempt.next === undefined && this.#attempts.get(stored) === attempt) this.#attempts.delete(stored);
    };
    running.then(end, end);
    return running;
  }
}
