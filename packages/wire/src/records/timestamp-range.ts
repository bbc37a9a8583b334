/** From here on a difference that is a safe integer may wrap a time of 64 bits. */
const farFrom = 2n ** 63n - 2n ** 53n;

/**
 * The earliest and latest time of the records of a batch, which state their times as differences to one time. Nearly
 * all differences are small numbers, so bigints are created at the end instead of for every record.
 */
export class TimestampRange {
  readonly #base: bigint;
  readonly #mayWrap: boolean;
  #minDelta = Number.POSITIVE_INFINITY;
  #maxDelta = Number.NEGATIVE_INFINITY;
  /** Among the times that are no exact number from the base. */
  #minFar: bigint | undefined;
  #maxFar: bigint | undefined;

  constructor(base: bigint) {
    this.#base = base;
    this.#mayWrap = base >= farFrom || base <= -farFrom;
  }

  /** Adds the time `base + delta`. Sums wrap at 64 bits. */
  add(delta: number | bigint): void {
    if (typeof delta === 'bigint' || this.#mayWrap) {
      const time = BigInt.asIntN(64, this.#base + BigInt(delta));
      if (this.#minFar === undefined || time < this.#minFar) this.#minFar = time;
      if (this.#maxFar === undefined || time > this.#maxFar) this.#maxFar = time;
      return;
    }
    if (delta < this.#minDelta) this.#minDelta = delta;
    if (delta > this.#maxDelta) this.#maxDelta = delta;
  }

  /** Undefined if no time was added. */
  get min(): bigint | undefined {
    if (this.#minDelta > this.#maxDelta) return this.#minFar;
    const near = this.#base + BigInt(this.#minDelta);
    return this.#minFar !== undefined && this.#minFar < near ? this.#minFar : near;
  }

  get max(): bigint | undefined {
    if (this.#minDelta > this.#maxDelta) return this.#maxFar;
    const near = this.#base + BigInt(this.#maxDelta);
    return this.#maxFar !== undefined && this.#maxFar > near ? this.#maxFar : near;
  }
}
