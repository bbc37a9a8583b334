interface CpuPressureOptions {
  /** From 0 to 100; 0 disables it. */
  readonly thresholdPercent: number;
}

/** How often the load is sampled. */
export const sampleIntervalMs = 250;

/**
 * A load is sustained if this many samples in a row reach the threshold: five seconds. A pause, however long, counts as
 * one sample, because no samples are taken while it lasts.
 */
export const sustainedSamples = 20;

/** In its first ten seconds a process loads and compiles code, which clients do not cause. */
export const startSamples = 40;

/** The load must fall this far below the threshold for the pressure to end, or it would start and end all the time. */
const releasePercent = 5;

/** The first delay for clients, its growth with every sample without relief, and its maximum. */
export const firstDelayMs = 10;
const delayGrowth = 1.5;
export const delayMsMax = 1_000;

/**
 * Decides when clients are slowed down because the processor is used up, and by how much.
 *
 * ```
 *            20 samples at or above the threshold
 *   serving ──────────────────────────────────────► pressing: each further such sample lengthens the delay
 *      ▲                                                │
 *      └──────────── one sample 5 points below ─────────┘
 * ```
 *
 * Between the two thresholds the delay stays as it is. Clients that always wait for the agent lose nothing by a short
 * delay: it removes their requests from the agent's queues and does not change the throughput.
 */
export class CpuPressure {
  readonly #threshold: number;
  #samples = 0;
  #samplesAbove = 0;
  #delayMs = 0;

  constructor({ thresholdPercent }: CpuPressureOptions) {
    this.#threshold = thresholdPercent / 100;
  }

  get isPressing(): boolean {
    return this.#delayMs > 0;
  }

  /** How long a client should wait before its next request; 0 without pressure. */
  get delayMs(): number {
    return Math.round(this.#delayMs);
  }

  /** Takes the load since the last sample, from 0 to 1. */
  sample(load: number): void {
    if (this.#threshold === 0 || ++this.#samples <= startSamples) return;
    const isAbove = load >= this.#threshold;
    this.#samplesAbove = isAbove ? this.#samplesAbove + 1 : 0;
    if (!this.isPressing) {
      if (this.#samplesAbove >= sustainedSamples) this.#delayMs = firstDelayMs;
    } else if (isAbove) {
      this.#delayMs = Math.min(this.#delayMs * delayGrowth, delayMsMax);
    } else if (load < this.#threshold - releasePercent / 100) {
      this.#delayMs = 0;
    }
  }
}
