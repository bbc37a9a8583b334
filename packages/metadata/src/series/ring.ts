import { seriesLongRangeMs, seriesLongStepMs, seriesShortRangeMs, seriesShortStepMs } from '@weir/core';

const shortSlots = seriesShortRangeMs / seriesShortStepMs;
const longSlots = seriesLongRangeMs / seriesLongStepMs;
const shortPerLong = seriesLongStepMs / seriesShortStepMs;
/** Slots of the long range are allocated by the hour: most series are of clusters or groups that are young or idle. */
const blockSlots = 60;

/**
 * The values of one series: the last hour in short steps and the last day in long ones. A step without a value is NaN.
 * Single precision: a chart does not show the difference.
 */
export class Ring {
  readonly #merge: 'mean' | 'max';
  readonly #short = new Float32Array(shortSlots).fill(Number.NaN);
  readonly #long: (Float32Array | undefined)[] = [];
  /** The short step of the last value. */
  #last: number;
  #sum = 0;
  #count = 0;

  constructor(merge: 'mean' | 'max', step: number) {
    this.#merge = merge;
    this.#last = step - 1;
  }

  /** The short step of the last value: the number of the step since 1970. */
  get last(): number {
    return this.#last;
  }

  /** Adds the value of a step that is not before the last one. */
  put(step: number, value: number): void {
    const skipped = Math.min(step - this.#last - 1, shortSlots);
    for (let back = 1; back <= skipped; back++) this.#short[(step - back) % shortSlots] = Number.NaN;
    this.#short[step % shortSlots] = value;
    this.#putLong(step, value);
    this.#last = step;
  }

  #putLong(step: number, value: number): void {
    const long = Math.floor(step / shortPerLong);
    const lastLong = Math.floor(this.#last / shortPerLong);
    if (long !== lastLong || this.#count === 0) {
      const skipped = Math.min(long - lastLong - 1, longSlots);
      for (let back = 1; back <= skipped; back++) this.#setLong(long - back, Number.NaN);
      this.#sum = 0;
      this.#count = 0;
    }
    this.#sum = this.#merge === 'mean' || this.#count === 0 ? this.#sum + value : Math.max(this.#sum, value);
    this.#count++;
    this.#setLong(long, this.#merge === 'mean' ? this.#sum / this.#count : this.#sum);
  }

  #setLong(long: number, value: number): void {
    const slot = long % longSlots;
    const block = Math.floor(slot / blockSlots);
    if (this.#long[block] === undefined) {
      if (Number.isNaN(value)) return;
      this.#long[block] = new Float32Array(blockSlots).fill(Number.NaN);
    }
    this.#long[block]![slot % blockSlots] = value;
  }

  /** The value of a short step; NaN if there is none or it is too old. */
  short(step: number): number {
    if (step > this.#last || step <= this.#last - shortSlots) return Number.NaN;
    return this.#short[step % shortSlots]!;
  }

  /** The value of a long step; NaN if there is none or it is too old. */
  long(long: number): number {
    const lastLong = Math.floor(this.#last / shortPerLong);
    if (long > lastLong || long <= lastLong - longSlots) return Number.NaN;
    const slot = long % longSlots;
    return this.#long[Math.floor(slot / blockSlots)]?.[slot % blockSlots] ?? Number.NaN;
  }

  /** Values of `count` steps of `stepMs` from a time on, which is a multiple of the step. */
  read(fromMs: number, stepMs: number, count: number): Float64Array {
    const isShort = stepMs < seriesLongStepMs;
    const unitMs = isShort ? seriesShortStepMs : seriesLongStepMs;
    const per = stepMs / unitMs;
    const first = fromMs / unitMs;
    return Float64Array.from({ length: count }, (_, index) =>
      this.#merged(per, (at) => (isShort ? this.short : this.long).call(this, first + index * per + at)),
    );
  }

  #merged(count: number, valueAt: (index: number) => number): number {
    if (count === 1) return valueAt(0);
    let [sum, found] = [0, 0];
    for (let index = 0; index < count; index++) {
      const value = valueAt(index);
      if (Number.isNaN(value)) continue;
      sum = this.#merge === 'mean' || found === 0 ? sum + value : Math.max(sum, value);
      found++;
    }
    if (found === 0) return Number.NaN;
    return this.#merge === 'mean' ? sum / found : sum;
  }
}
