import type { SubBucket } from '../composite/sub-bucket.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** The share of the newest sample in a mean. */
const newestShare = 0.2;

/** What a failed call counts as: a bucket that fails is asked last until it has answered a few times. */
const failedMs = 1_000;

/** One bucket of `service_multi://`, and how fast it answers. */
export class Replica {
  readonly index: number;
  readonly name: string;
  readonly store: ObjectStore;
  /** Objects that it should have and has not, as far as this process knows. It is not asked for them first. */
  readonly missed = new Set<string>();
  readonly reads = new MeanLatency();
  readonly puts = new MeanLatency();
  readonly #bucket: SubBucket;

  constructor(index: number, bucket: SubBucket) {
    this.index = index;
    this.#bucket = bucket;
    this.name = bucket.name;
    this.store = bucket.store;
  }

  /** Whether it does not answer: its breaker refuses calls. */
  get isOut(): boolean {
    return this.#bucket.breaker.isRefusing();
  }
}

/** A mean of latencies in which recent ones count more. */
class MeanLatency {
  #meanMs: number | undefined;
  #failures = 0;

  /** Zero before the first sample, so that every bucket is tried. */
  get meanMs(): number {
    return this.#meanMs ?? 0;
  }

  get isKnown(): boolean {
    return this.#meanMs !== undefined;
  }

  /** Whether the last call failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  add(latencyMs: number): void {
    this.#failures = 0;
    this.#mix(latencyMs);
  }

  /** A call that was given up after this time, because others were faster. */
  addAtLeast(latencyMs: number): void {
    if (latencyMs > this.meanMs) this.#mix(latencyMs);
  }

  addFailure(): void {
    this.#failures++;
    this.#mix(Math.max(failedMs, this.meanMs));
  }

  #mix(sampleMs: number): void {
    this.#meanMs =
      this.#meanMs === undefined ? sampleMs : this.#meanMs + newestShare * (sampleMs - this.#meanMs);
  }
}
