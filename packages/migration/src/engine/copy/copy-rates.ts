import type { Clock } from '@weir/core';

/** Rates are those of the last seconds. */
const windowMs = 10_000;
const stepMs = 1_000;

interface Step {
  readonly atMs: number;
  bytes: number;
  records: number;
}

/** How fast something is copied. */
export class CopyRates {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #steps: Step[] = [];

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  add(bytes: number, records: number): void {
    const atMs = this.#clock.monotonicMs();
    const last = this.#steps.at(-1);
    if (last !== undefined && atMs - last.atMs < stepMs) {
      last.bytes += bytes;
      last.records += records;
    } else this.#steps.push({ atMs, bytes, records });
    this.#forget(atMs);
  }

  perSecond(): { readonly bytesPerSecond: number; readonly recordsPerSecond: number } {
    this.#forget(this.#clock.monotonicMs());
    let [bytes, records] = [0, 0];
    for (const step of this.#steps) {
      bytes += step.bytes;
      records += step.records;
    }
    const seconds = windowMs / 1000;
    return { bytesPerSecond: bytes / seconds, recordsPerSecond: records / seconds };
  }

  #forget(nowMs: number): void {
    while (this.#steps.length > 0 && nowMs - this.#steps[0]!.atMs > windowMs) this.#steps.shift();
  }
}
