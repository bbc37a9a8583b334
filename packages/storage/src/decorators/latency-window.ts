/** Enough for the 99th percentile to be more than the largest value. */
const windowSamples = 256;

/** Below this a percentile is chance. */
const samplesMin = 32;

/** Sorting at every call would cost more than it is worth. */
const samplesPerSort = 16;

/** The latest latencies of one operation, and the time that one in a hundred takes longer than. */
export class LatencyWindow {
  readonly #samples = new Float64Array(windowSamples);
  #count = 0;
  #p99: number | undefined;

  add(latencyMs: number): void {
    this.#samples[this.#count % windowSamples] = latencyMs;
    this.#count++;
    if (this.#count >= samplesMin && this.#count % samplesPerSort === 0) {
      const kept = this.#samples.slice(0, Math.min(this.#count, windowSamples)).sort();
      this.#p99 = kept[Math.ceil(kept.length * 0.99) - 1];
    }
  }

  /** `undefined` until enough is known. */
  get p99Ms(): number | undefined {
    return this.#p99;
  }
}
