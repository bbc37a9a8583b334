import { caps } from '@weir/core';

/** What the batches of one request may inflate to together, and how much of that before others get their turn. */
export class InflationBudget {
  #bytesLeft: number;
  #atOnceBytesLeft: number;
  #isUntouched = true;

  /** `requestBytes`: the batches as they came. */
  constructor(requestBytes: number, atOnceBytesMax: number = caps.inflatedAtOnceBytesMax) {
    this.#atOnceBytesLeft = atOnceBytesMax;
    this.#bytesLeft = Math.max(caps.inflatedRequestBytesMax, caps.inflatedRequestTimesMax * requestBytes);
  }

  /** What another batch may inflate to, of a topic that takes records of so many bytes. The first has room for one of them in any case. */
  bytesFor(recordBytesMax: number): number {
    const bytes = this.#isUntouched ? Math.max(this.#bytesLeft, recordBytesMax) : this.#bytesLeft;
    return Math.min(bytes, caps.decompressedBatchBytesMax);
  }

  get atOnceBytes(): number {
    return Math.min(this.#atOnceBytesLeft, this.#bytesLeft);
  }

  spend(bytes: number): void {
    this.#isUntouched = false;
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
  }

  spendAtOnce(bytes: number): void {
    this.#atOnceBytesLeft = Math.max(0, this.#atOnceBytesLeft - bytes);
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
  }
}
