import { burstOf } from './rate-window.ts';

/**
 * Tokens that come at a steady rate, up to as many as come in the window of a quota. Taking may overdraw them: whoever makes one
 * topic of many partitions has to wait afterwards, not before.
 */
export class TokenBucket {
  /** Unknown until the rate is, which is the burst of somebody who did nothing yet. */
  #tokens = Number.POSITIVE_INFINITY;
  #filledMs = 0;

  take(count: number, perSecond: number, nowMs: number): void {
    this.#fill(perSecond, nowMs);
    this.#tokens -= count;
  }

  /** How long it takes until the bucket is no longer overdrawn. */
  overdrawnMs(perSecond: number, nowMs: number): number {
    this.#fill(perSecond, nowMs);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / perSecond) * 1000);
  }

  #fill(perSecond: number, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#tokens = Math.min(burstOf(perSecond), this.#tokens + (passedMs * perSecond) / 1000);
    this.#filledMs = nowMs;
  }
}
