/** Kafka's `quota.window.num` and `quota.window.size.seconds`. */
const samplesMax = 11;
export const sampleMs = 1_000;

/**
 * Rate per second over eleven samples of one second, the last of which is incomplete. A short history counts as if
 * nothing had come before it: otherwise the first request of a client would look like a flood.
 */
export class RateWindow {
  /** Rings; the sample at `#first` is the oldest. */
  readonly #startMs: number[] = [];
  readonly #sum: number[] = [];
  #first = 0;
  #count = 0;

  /** A negative amount reverts what was recorded at the same time. */
  record(amount: number, nowMs: number): void {
    this.#forgetBefore(nowMs - samplesMax * sampleMs);
    if (this.#count === 0 || nowMs - this.#startMs[this.#at(this.#count - 1)]! >= sampleMs) {
      // Samples begin at least a second apart, so after dropping old ones there is always room for one.
      const added = this.#at(this.#count++);
      this.#startMs[added] = nowMs;
      this.#sum[added] = 0;
    }
    this.#sum[this.#at(this.#count - 1)]! += amount;
  }

  total(nowMs: number): number {
    this.#forgetBefore(nowMs - samplesMax * sampleMs);
    let total = 0;
    for (let index = 0; index < this.#count; index++) total += this.#sum[this.#at(index)]!;
    return total;
  }

  /** The time that the total covers. */
  windowMs(nowMs: number): number {
    this.#forgetBefore(nowMs - samplesMax * sampleMs);
    const elapsedMs = this.#count === 0 ? 0 : nowMs - this.#startMs[this.#first]!;
    const missingSamples = Math.max(0, samplesMax - 1 - Math.floor(elapsedMs / sampleMs));
    return elapsedMs + missingSamples * sampleMs;
  }

  /** Returns how long nothing more may come until the rate is within the quota; 0 if it is. */
  excessMs(perSecondMax: number, nowMs: number): number {
    const windowMs = this.windowMs(nowMs);
    const perSecond = (this.total(nowMs) * 1000) / windowMs;
    return perSecond <= perSecondMax ? 0 : Math.round(((perSecond - perSecondMax) / perSecondMax) * windowMs);
  }

  #at(index: number): number {
    return (this.#first + index) % samplesMax;
  }

  #forgetBefore(oldestMs: number): void {
    while (this.#count > 0 && this.#startMs[this.#first]! <= oldestMs) {
      this.#first = this.#at(1);
      this.#count--;
    }
  }
}

/** What a rate allows in the shortest window: a larger single amount never fits. */
export function windowAllowance(perSecondMax: number): number {
  return (perSecondMax * (samplesMax - 1) * sampleMs) / 1000;
}

/** What a client may use at once after a long idle time. */
export function burstOf(perSecondMax: number): number {
  return (perSecondMax * samplesMax * sampleMs) / 1000;
}
