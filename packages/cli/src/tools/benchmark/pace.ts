import type { Clock } from '@weir/core';

/** How much a delayed client may catch up at once. Beyond that the rate was not reached, and that is the result. */
const arrearsMaxMs = 1_000;

/** Computes how many records are due at a steady rate. */
export class Pace {
  readonly #clock: Clock;
  readonly #recordsPerMs: number;
  #fromMs: number;
  #taken = 0;

  constructor(clock: Clock, recordsPerSecond: number) {
    this.#clock = clock;
    this.#recordsPerMs = recordsPerSecond / 1000;
    this.#fromMs = clock.monotonicMs();
  }

  /** Takes the records that are due now, up to a limit. */
  take(recordsMax: number): number {
    const nowMs = this.#clock.monotonicMs();
    const due = (nowMs - this.#fromMs) * this.#recordsPerMs - this.#taken;
    // A rate below one record per second must still yield its first record.
    const arrears = due - Math.max(1, arrearsMaxMs * this.#recordsPerMs);
    if (arrears > 0) this.#fromMs += arrears / this.#recordsPerMs;
    const taken = Math.min(Math.floor(arrears > 0 ? due - arrears : due), recordsMax);
    this.#taken += taken;
    return taken;
  }
}

/** A number of records that clients share. */
export class Allowance {
  #left: number;

  /** Negative for no limit. */
  constructor(records: number) {
    this.#left = records < 0 ? Number.POSITIVE_INFINITY : records;
  }

  get isUsedUp(): boolean {
    return this.#left === 0;
  }

  take(recordsMax: number): number {
    const taken = Math.min(recordsMax, this.#left);
    this.#left -= taken;
    return taken;
  }
}
