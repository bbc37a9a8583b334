import type { Clock } from '@weir/core';

/** The peak is that of the current period and of the one before. */
const periodMs = 500;

/**
 * Counts requests that wait for their answers, and the most of the last second. A client has a limit of requests in
 * flight, so a count as high as the peak means that every client waits for an answer, and that it is no use to wait for
 * more requests. Clients that send at a fixed rate stay below their limits, and the count of a moment says nothing.
 */
export class OutstandingAppends {
  readonly #clock: Clock;
  #count = 0;
  #peak = 0;
  #earlierPeak = 0;
  #periodEndMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#count++;
    this.#startPeriod();
    this.#peak = Math.max(this.#peak, this.#count);
  }

  end(): void {
    this.#count--;
  }

  /** Whether more requests are to be expected before one is answered. */
  mayGrow(): boolean {
    this.#startPeriod();
    return this.#count < Math.max(this.#peak, this.#earlierPeak);
  }

  #startPeriod(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#periodEndMs) return;
    this.#earlierPeak = nowMs < this.#periodEndMs + periodMs ? this.#peak : 0;
    this.#peak = this.#count;
    this.#periodEndMs = nowMs + periodMs;
  }
}
