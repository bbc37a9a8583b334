import { type Clock, TokenBucket, type TokenRate } from '@weir/core';
import { controlPlaneLimits } from '../limits.ts';

/** A token bucket per key. Memory is bounded: the least recently used bucket is evicted first. */
export class TokenBuckets {
  readonly #rate: TokenRate;
  readonly #clock: Clock;
  /** The least recently used first. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: TokenRate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Takes a token and returns 0, or returns the seconds until there is one. */
  take(key: string): number {
    const bucket = this.#bucketOf(key);
    const nowMs = this.#clock.monotonicMs();
    if (bucket.tryTake(1, this.#rate, nowMs)) return 0;
    return Math.max(1, Math.ceil(bucket.waitMs(1, this.#rate, nowMs) / 1000));
  }

  /** Returns a token to its bucket. */
  putBack(key: string): void {
    this.#bucketOf(key).putBack(1, this.#rate, this.#clock.monotonicMs());
  }

  get size(): number {
    return this.#buckets.size;
  }

  #bucketOf(key: string): TokenBucket {
    const bucket = this.#buckets.get(key) ?? new TokenBucket();
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > controlPlaneLimits.apiCountedCallersMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return bucket;
  }
}
