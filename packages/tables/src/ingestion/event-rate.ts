import type { Clock } from '@weir/core';

/** Lets through so many events in a minute, and counts the others. */
export class EventRate {
  readonly #clock: Clock;
  readonly #perMinute: number;
  #minute = Number.NEGATIVE_INFINITY;
  #taken = 0;
  #left = 0;

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** How many were left out since the last one; `undefined` if this one is left out. */
  take(): number | undefined {
    const minute = Math.floor(this.#clock.monotonicMs() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perMinute) {
      this.#left++;
      return undefined;
    }
    this.#taken++;
    const left = this.#left;
    this.#left = 0;
    return left;
  }
}
