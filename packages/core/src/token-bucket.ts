/** The refill of tokens: a steady rate, up to a burst. */
export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A token bucket. The rate is an argument of every call, because it may change while the bucket is in use. A new bucket
 * is full.
 */
export class TokenBucket {
  /** The burst is unknown until the first call. */
  #tokens = Number.POSITIVE_INFINITY;
  #filledMs = 0;

  /** Takes tokens if enough are available. */
  tryTake(count: number, rate: TokenRate, nowMs: number): boolean {
    this.#fill(rate, nowMs);
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes tokens even if they are not available: the bucket may be overdrawn, and later calls wait. */
  overdraw(count: number, rate: TokenRate, nowMs: number): void {
    this.#fill(rate, nowMs);
    this.#tokens -= count;
  }

  putBack(count: number, rate: TokenRate, nowMs: number): void {
    this.#fill(rate, nowMs);
    this.#tokens = Math.min(rate.burst, this.#tokens + count);
  }

  /**
   * How long it takes until `count` tokens are available, not rounded; for 0, until the bucket is no longer overdrawn.
   */
  waitMs(count: number, rate: TokenRate, nowMs: number): number {
    this.#fill(rate, nowMs);
    return this.#tokens >= count ? 0 : ((count - this.#tokens) / rate.perSecond) * 1000;
  }

  #fill({ perSecond, burst }: TokenRate, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perSecond) / 1000);
    this.#filledMs = nowMs;
  }
}
