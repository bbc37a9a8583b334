import type { Clock } from '@weir/core';
import { ByteWriter } from '@weir/machine';
import type { GroupSaver } from '../../group-saver.ts';
import { writeSharePartition } from './record.ts';
import type { StoredPartition } from './stored-partition.ts';

/** What nobody waits for is durable after this. */
const laterMs = 1_000;

interface Attempt {
  /** The one that is on its way. */
  running: Promise<void>;
  /** One for all that came meanwhile. */
  next: Promise<void> | undefined;
}

/**
 * Makes share partitions durable. What members say of records is durable before they are answered; who was given what is written a
 * little later, or with the next that has to be. Of one partition one write is on its way at a time, and what comes meanwhile shares
 * the next, so that a busy partition costs a write per append of the journal and not one per member.
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

  /** Settles when the partition is durable as it is now, or rejects; it is tried again then. */
  keep(kept: StoredPartition): Promise<void> {
    const attempt = this.#attempts.get(kept);
    if (attempt === undefined) return this.#begin(kept);
    attempt.next ??= attempt.running.then(
      () => this.#begin(kept),
      () => this.#begin(kept),
    );
    return attempt.next;
  }

  keepLater(kept: StoredPartition): void {
    this.#later.add(kept);
    this.#cancelLater ??= this.#clock.after(laterMs, () => {
      this.#cancelLater = undefined;
      // Keeping one takes it off the list.
      for (const one of [...this.#later]) this.keep(one).catch(() => {});
    });
  }

  /** Forgets partitions for good. */
  async erase(gone: Iterable<StoredPartition>): Promise<void> {
    const erased: Promise<void>[] = [];
    for (const kept of gone) {
      kept.isGone = true;
      this.#later.delete(kept);
      erased.push(this.#saver.put(kept.key, [{ namespace: 'sharePartition', key: kept.key, value: null }]));
    }
    await Promise.all(erased);
  }

  close(): void {
    this.#cancelLater?.();
    this.#later.clear();
  }

  #begin(kept: StoredPartition): Promise<void> {
    this.#later.delete(kept);
    if (kept.isGone) {
      this.#attempts.delete(kept);
      return Promise.resolve();
    }
    writeSharePartition(kept.state, this.#writer);
    const value = this.#writer.take();
    const running = this.#saver.put(kept.key, [{ namespace: 'sharePartition', key: kept.key, value }]);
    const attempt: Attempt = { running, next: undefined };
    this.#attempts.set(kept, attempt);
    const end = () => {
      if (attempt.next === undefined && this.#attempts.get(kept) === attempt) this.#attempts.delete(kept);
    };
    running.then(end, end);
    return running;
  }
}
