import type { Clock, Log, Series } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { brokerLimits } from '../limits.ts';

interface DeadFilesOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Files that are deleted again, and files that are left in the bucket. */
  readonly deleted: Series;
  readonly left: Series;
}

/** By then the store has done, or has forgotten, what it was asked to do before the request was aborted. */
export const deadFileDelayMs = 30_000;

/**
 * Deletes objects that were uploaded, or may have been, and will never be committed: the slower upload of a hedged
 * file, and those that failed. Best effort: what a crash or an error leaves in the bucket, the scan for orphans finds.
 */
export class DeadFiles {
  readonly #options: DeadFilesOptions;
  readonly #timers = new Set<() => void>();

  constructor(options: DeadFilesOptions) {
    this.#options = options;
  }

  add(key: string): void {
    const { store, clock, log, deleted, left } = this.#options;
    if (this.#timers.size >= brokerLimits.deadFilesMax) {
      left.add(1);
      return;
    }
    const cancel = clock.after(deadFileDelayMs, () => {
      this.#timers.delete(cancel);
      store.delete(key).then(
        () => deleted.add(1),
        (error: unknown) => {
          left.add(1);
          log.debug('failed to delete dead file', { key, error: String(error) });
        },
      );
    });
    this.#timers.add(cancel);
  }

  /** Leaves the rest in the bucket. */
  abandon(): void {
    for (const cancel of this.#timers) cancel();
    this.#options.left.add(this.#timers.size);
    this.#timers.clear();
  }
}
