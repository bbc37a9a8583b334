import type { Clock } from '@weir/core';

/** The time between two trials: the first after a pause, and the longest, to which it doubles. */
const trialMsMin = 1_000;
const trialMsMax = 32_000;

/** The peak is that of the current period and of the one before. */
const periodMs = 500;

/**
 * Counts requests that wait for their answers, of all clients or of one connection, and the most of the last second. A
 * client has a limit of requests in
 * flight, so a count as high as the peak means that every client waits for an answer, and that it is no use to wait for
 * more requests. Clients that send at a fixed rate stay below their limits, and the count of a moment says nothing.
 *
 * Where a request is answered before the next one comes, the peak is 1 for a client that sends at a fixed rate as for
 * one that waits for each answer. So once in a while a file waits nevertheless (a trial). If requests come meanwhile,
 * the peak rises, and files wait for as long as this goes on.
 */
export class OutstandingAppends {
  readonly #clock: Clock;
  #count = 0;
  #peak = 0;
  #earlierPeak = 0;
  #periodEndMs = Number.NEGATIVE_INFINITY;
  #nextTrialMs = Number.POSITIVE_INFINITY;
  #trialMs = trialMsMin;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
    this.#startPeriod();
    this.#peak = Math.max(this.#peak, this.#count);
  }

  end(): void {
    // Of requests that waited for longer than a period, too, the peak is known.
    this.#startPeriod();
    this.#count--;
  }

  /** Whether more requests are to be expected before one is answered. */
  mayGrow(): boolean {
    this.#startPeriod();
    return this.#count < Math.max(this.#peak, this.#earlierPeak);
  }

  /** Whether a file that was just opened is to wait although no more requests are to be expected. */
  beginTrial(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextTrialMs) return false;
    this.#nextTrialMs = nowMs + this.#trialMs;
    this.#trialMs = Math.min(2 * this.#trialMs, trialMsMax);
    return true;
  }

  #startPeriod(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#periodEndMs) return;
    const isRested = nowMs >= this.#periodEndMs + periodMs;
    this.#earlierPeak = isRested ? 0 : this.#peak;
    if (isRested) {
      this.#trialMs = trialMsMin;
      this.#nextTrialMs = nowMs + trialMsMin;
    }
    this.#peak = this.#count;
    this.#periodEndMs = nowMs + periodMs;
  }
}
