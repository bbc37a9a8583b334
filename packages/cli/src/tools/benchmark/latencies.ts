/** Values from here on share a bucket with their neighbours; below, each microsecond has its own. */
const exactMicroseconds = 128;
/** Buckets per power of two. Neighbours differ by less than one part in 64. */
const bucketsPerOctave = 64;
/** Up to 2^42 µs, which is 50 days; longer latencies count as that. */
const octaves = 42;

/**
 * A histogram of latencies in a fixed amount of memory: the width of buckets grows with the value, so that every
 * percentile is accurate to within 2 %.
 */
export class Latencies {
  readonly #counts = new Float64Array((octaves + 1) * bucketsPerOctave);
  #count = 0;
  #maxMs = 0;

  get count(): number {
    return this.#count;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  /** Adds a latency with the number of records that had it. */
  add(latencyMs: number, times = 1): void {
    const ms = Math.max(0, latencyMs);
    this.#counts[bucketOf(ms * 1000)]! += times;
    this.#count += times;
    if (ms > this.#maxMs) this.#maxMs = ms;
  }

  /** The latency that this share of the records (0 to 1) did not exceed; 0 if there were none. */
  percentileMs(share: number): number {
    let left = Math.max(1, Math.ceil(this.#count * share));
    for (const [bucket, times] of this.#counts.entries()) {
      left -= times;
      if (left <= 0) return Math.min(upperMicroseconds(bucket) / 1000, this.#maxMs);
    }
    return this.#maxMs;
  }
}

function bucketOf(microseconds: number): number {
  const whole = Math.floor(microseconds);
  if (whole < exactMicroseconds) return whole;
  const octave = Math.min(Math.floor(Math.log2(whole)), octaves);
  // The octaves below 2^7 are the exact ones, which fill two octaves of buckets.
  const within = Math.min(Math.floor((whole / 2 ** octave - 1) * bucketsPerOctave), bucketsPerOctave - 1);
  return exactMicroseconds + (octave - 7) * bucketsPerOctave + within;
}

/** The largest value that falls into a bucket. */
function upperMicroseconds(bucket: number): number {
  if (bucket < exactMicroseconds) return bucket + 1;
  const octave = 7 + Math.floor((bucket - exactMicroseconds) / bucketsPerOctave);
  const within = (bucket - exactMicroseconds) % bucketsPerOctave;
  return 2 ** octave * (1 + (within + 1) / bucketsPerOctave);
}
