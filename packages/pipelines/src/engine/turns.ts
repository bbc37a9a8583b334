import type { Clock } from '@weir/core';

/**
 * Lets the event loop turn now and then: an input and an output that never wait would leave no turn to anything else.
 * The timer is set long before it is waited for, so that waiting takes no longer than the turn.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #sinceMs = 0;
  #turn: Promise<void> | undefined;
  #cancel: () => void = () => {};

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** What to wait for before going on; mostly nothing. */
  pause(): Promise<void> | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (this.#turn === undefined) {
      this.#sinceMs = nowMs;
      this.#turn = new Promise((resolve) => {
        this.#cancel = this.#clock.after(0, () => {
          this.#turn = undefined;
          resolve();
        });
      });
      return undefined;
    }
    return nowMs - this.#sinceMs > this.#everyMs ? this.#turn : undefined;
  }

  end(): void {
    this.#cancel();
  }
}
