import type { Clock } from '@weir/core';

/** The longest pause, so that a merge whose share grows does not sleep through it. */
const pauseMsMax = 1_000;
/** Shorter pauses cost more than they give to others. */
const pauseMsMin = 1;

/** Spreads work over time: pauses between its parts, for as long as the share of the time says. */
export class WorkShare {
  readonly #clock: Clock;
  #share = 1;
  /** When the last pause ended. */
  #sinceMs: number;
  #pausing: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs();
  }

  set share(share: number) {
    this.#share = share;
  }

  /** Called before each part of the work. Parts that come during a pause wait for its end. */
  async turn(): Promise<void> {
    if (this.#pausing !== undefined) return this.#pausing;
    const workedMs = this.#clock.monotonicMs() - this.#sinceMs;
    const pauseMs = Math.min(pauseMsMax, workedMs * (1 / this.#share - 1));
    if (pauseMs < pauseMsMin) return;
    this.#pausing = new Promise((resolve) => {
      this.#clock.after(pauseMs, () => {
        this.#sinceMs = this.#clock.monotonicMs();
        this.#pausing = undefined;
        resolve();
      });
    });
    return this.#pausing;
  }
}
