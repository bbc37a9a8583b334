/** Enough for the 99th percentile to differ from the maximum. */
const windowSamples = 256;

/** With fewer samples a percentile is random. */
const samplesMin = 32;

/** Sorting at every call would cost too much. */
const samplesPerSort = 16;

/** The recent latencies of one operation, and a percentile of them. */
export class LatencyWindow {
  readonly #share: number;
  readonly #samples = new Float64Array(windowSamples);
  #count = 0;
  /** Of the first `#sortedCount` samples. */
  #percentile: number | undefined;
  #sortedCount = 0;

  /** `share` is 0.99 for the 99th percentile. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Costs next to nothing, so that it may be called for every request; who asks for the percentile pays for it. */
  add(latencyMs: number): void {
    this.#samples[this.#count % windowSamples] = latencyMs;
    this.#count++;
  }

  /** `undefined` until there are enough samples. Of the latest ones, except up to 15. */
  get percentileMs(): number | undefined {
    if (this.#count >= samplesMin && this.#count - this.#sortedCount >= samplesPerSort) {
      this.#sortedCount = this.#count;
      const sorted = this.#samples.slice(0, Math.min(this.#count, windowSamples)).sort();
      this.#percentile = sorted[Math.ceil(sorted.length * this.#share) - 1];
    }
    return this.#percentile;
  }
}
