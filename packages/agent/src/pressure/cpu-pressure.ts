interface CpuPressureOptions {
  /** From 0 to 100; 0 turns the whole off. */
  readonly thresholdPercent: number;
}

/** How often the load is looked at. */
export const sampleIntervalMs = 250;

/**
 * A load is sustained when this many samples in a row reach the threshold: five seconds. A pause, however long, is one sample, because
 * nothing is looked at while it lasts.
 */
export const sustainedSamples = 20;

/** What a process does in its first ten seconds is loading and compiling, which clients have no part in. */
export const startSamples = 40;

/** The load must fall this far below the threshold for the pressure to end, or it would begin and end all the time. */
const releasePercent = 5;

/** What clients are asked to wait at first, by how much it grows with every sample that brings no relief, and its end. */
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
 * Between the two marks the delay stays as it is. Clients that are always waiting for us lose nothing by a short delay: it
 * takes their requests out of our queues and leaves the work as it is.
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

  /** How long a client is to wait before it sends again; 0 while there is no pressure. */
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
