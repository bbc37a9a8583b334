import type { Clock } from '@weir/core';
import { controlPlaneLimits } from '../limits.ts';

export interface BucketSize {
  /** Calls that may come at once. */
  readonly burst: number;
  /** How many may come in a second for long. */
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  countedMs: number;
}

/** A token bucket per key. Memory is bounded: the least recently used bucket goes first. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #clock: Clock;
  /** The longest silent first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
  }

  /** Takes a token and says 0, or says after how many seconds there is one. */
  take(key: string): number {
    const bucket = this.#bucketOf(key);
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#size.perSecond));
    bucket.tokens -= 1;
    return 0;
  }

  /** Puts a token back that was taken for nothing. */
  putBack(key: string): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.min(this.#size.burst, bucket.tokens + 1);
  }

  get size(): number {
    return this.#buckets.size;
  }

  #bucketOf(key: string): Bucket {
    const { burst, perSecond } = this.#size;
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, countedMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.countedMs) / 1000) * perSecond);
    bucket.countedMs = nowMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > controlPlaneLimits.apiCountedCallersMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return bucket;
  }
}
