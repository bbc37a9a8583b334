import type { TokenBucket, TokenRate } from '@weir/core';

interface MutationLimit {
  readonly bucket: TokenBucket;
  readonly rate: TokenRate;
  /** Whether the client understands a refusal. */
  readonly isStrict: boolean;
  readonly nowMs: () => number;
  readonly onThrottled: (waitMs: number) => number;
}

/** The partition mutations that one request may make (KIP-599). Without a limit all are allowed. */
export class MutationQuota {
  readonly #limit: MutationLimit | undefined;
  #hasRefused = false;

  constructor(limit?: MutationLimit) {
    this.#limit = limit;
  }

  /**
   * Whether this many partitions may be created or deleted. One topic may overdraw the bucket, at the expense of the
   * next.
   */
  take(partitions: number): boolean {
    if (this.#limit === undefined) return true;
    const { bucket, rate, isStrict, nowMs } = this.#limit;
    if (isStrict && bucket.waitMs(0, rate, nowMs()) > 0) {
      this.#hasRefused = true;
      return false;
    }
    bucket.overdraw(partitions, rate, nowMs());
    return true;
  }

  /**
   * How long the client has to wait, after all mutations. A client that can be refused waits only if it was refused.
   */
  throttleMs(): number {
    if (this.#limit === undefined) return 0;
    const { bucket, rate, isStrict, nowMs, onThrottled } = this.#limit;
    return isStrict && !this.#hasRefused ? 0 : onThrottled(Math.ceil(bucket.waitMs(0, rate, nowMs())));
  }
}
