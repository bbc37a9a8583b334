/** Enough for the 99th percentile to differ from the maximum. */
const windowSamples = 256;

/** With fewer samples a percentile is random. */
const samplesMin = 32;

/** Sorting at every call would cost too much. */
const samplesPerSort = 16;

/** The recent latencies of one operation, and their 99th percentile. */
export class LatencyWindow {
  readonly #samples = new Float64Array(windowSamples);
  #count = 0;
  #p99: number | undefined;

  add(latencyMs: number): void {
    this.#samples[this.#count % windowSamples] = latencyMs;
    this.#count++;
    if (this.#count >= samplesMin && this.#count % samplesPerSort === 0) {
      const sorted = this.#samples.slice(0, Math.min(this.#count, windowSamples)).sort();
      this.#p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
    }
  }

  /** `undefined` until there are enough samples. */
  get p99Ms(): number | undefined {
    return this.#p99;
  }
}
