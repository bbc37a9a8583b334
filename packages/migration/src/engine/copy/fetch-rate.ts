import { type Clock, TokenBucket, type TokenRate } from '@weir/core';
import { migrationLimits } from '../../limits.ts';

/** Bounds the bytes that a slot takes from its source. What one answer has beyond the rate is waited for afterwards. */
export class FetchRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #rate: TokenRate | undefined;
  readonly #bucket = new TokenBucket();

  /** Without a rate there is no limit. */
  constructor(bytesPerSecond: number | undefined, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    if (bytesPerSecond !== undefined) this.#rate = { perSecond: bytesPerSecond, burst: bytesPerSecond };
  }

  /** What an answer may have: as much as a second, so that the rate is kept from second to second. */
  get answerBytesMax(): number {
    if (this.#rate === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(migrationLimits.fetchBytesMin, Math.floor(this.#rate.perSecond));
  }

  /** How long to wait before the next fetch. */
  waitMs(): number {
    return this.#rate === undefined ? 0 : this.#bucket.waitMs(0, this.#rate, this.#clock.monotonicMs());
  }

  took(bytes: number): void {
    if (this.#rate !== undefined) this.#bucket.overdraw(bytes, this.#rate, this.#clock.monotonicMs());
  }
}
