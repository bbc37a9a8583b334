import { type Clock, TokenBucket, type TokenRate } from '@weir/core';

/** The rate that all pipelines of an agent share. Who asks first gets first. */
export class SharedRate {
  readonly #rate: TokenRate;
  readonly #clock: Clock;
  readonly #bucket = new TokenBucket();
  #last: Promise<void> = Promise.resolve();

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#rate = { perSecond: bytesPerSecond, burst: bytesPerSecond };
    this.#clock = clock;
  }

  /** Resolves when the bytes before these have their time; a large portion delays those after it. */
  take(bytes: number): Promise<void> {
    this.#last = this.#last.then(async () => {
      const waitMs = this.#bucket.waitMs(0, this.#rate, this.#clock.monotonicMs());
      if (waitMs > 0) await new Promise<void>((resolve) => this.#clock.after(waitMs, resolve));
      this.#bucket.overdraw(bytes, this.#rate, this.#clock.monotonicMs());
    });
    return this.#last;
  }
}
