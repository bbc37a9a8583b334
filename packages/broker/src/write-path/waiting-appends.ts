import type { Clock } from '@weir/core';
import type { PendingAppend } from './pending-append.ts';

/** Requests without room, in order of arrival. Each waits until its deadline. */
export class WaitingAppends {
  readonly #clock: Clock;
  /** With the timers of their deadlines. */
  readonly #timers = new Map<PendingAppend, () => void>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#timers.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(append: PendingAppend, onDeadline: () => void): void {
    this.#bytes += append.bytes;
    this.#timers.set(append, this.#clock.after(append.deadlineMs - append.arrivedMs, onDeadline));
  }

  /** Returns them in order of arrival. Those that are returned may be removed meanwhile. */
  all(): IterableIterator<PendingAppend> {
    return this.#timers.keys();
  }

  remove(append: PendingAppend): void {
    this.#timers.get(append)?.();
    this.#timers.delete(append);
    this.#bytes -= append.bytes;
    append.heldUntil(this.#clock.monotonicMs());
  }

  abandon(): void {
    for (const cancel of this.#timers.values()) cancel();
  }
}
