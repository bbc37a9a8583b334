import type { Clock } from '@weir/core';

/** A consumer fetches every few seconds at least, even without new records. */
const rememberedMs = 60_000;

/**
 * Whether any consumer reads from this agent. Caching a file that was just written costs a copy of it and evicts other
 * pages; without readers that would be a third of the cost of a write.
 */
export class RecentReaders {
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get hasAny(): boolean {
    return this.#clock.monotonicMs() - this.#lastMs < rememberedMs;
  }

  came(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }
}
