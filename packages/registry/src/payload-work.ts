import { registryLimits } from './limits.ts';

/**
 * What checking payloads has cost, and what it may cost, in the time that inflating a byte takes: about two
 * nanoseconds. One is shared by all payloads of a request, since each of many small ones could take the whole of a
 * limit of its own.
 */
export class PayloadWork {
  #used = 0;
  #once = 0;
  #max: number;

  constructor(max: number = registryLimits.payloadWorkMax) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** What is left of what is allowed. */
  get left(): number {
    return Math.max(0, this.#max - this.#used);
  }

  /** What was used of what is allowed. */
  get limited(): number {
    return this.#used - this.#once;
  }

  /** Whether more was used than is allowed: what was checked last was not checked to its end. */
  get isExceeded(): boolean {
    return this.#used > this.#max;
  }

  /** Allows more for a payload, by its bytes. */
  allow(payloadBytes: number): void {
    this.#max += registryLimits.payloadWorkPerByteMax * payloadBytes;
  }

  spend(work: number): void {
    this.#used += work;
  }

  /** Spends what only the first payload of a schema costs. It counts, and it is no reason to refuse the payload. */
  spendOnce(work: number): void {
    this.#used += work;
    this.#once += work;
    this.#max += work;
  }
}

/** The work that one payload may cost where nothing is shared. */
export function workOf(payloadBytes: number): PayloadWork {
  const work = new PayloadWork();
  work.allow(payloadBytes);
  return work;
}
