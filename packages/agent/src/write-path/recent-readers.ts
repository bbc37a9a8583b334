import type { Clock } from '@weir/core';

/** A consumer fetches every few seconds at least, even when there is nothing new. */
const rememberedMs = 60_000;

/**
 * Whether anybody reads from this agent. A file that was just written is kept in memory for readers, which costs a copy of it and a
 * place that something else could have; where nobody reads, that would be a third of the work of writing.
 */
export class RecentReaders {
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get areThere(): boolean {
    return this.#clock.monotonicMs() - this.#lastMs < rememberedMs;
  }

  came(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }
}
