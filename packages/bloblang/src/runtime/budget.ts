import { formatBytes } from '@weir/core';
import { bloblangLimits } from '../limits.ts';
import { LimitError } from '../values/mapping-error.ts';

/** What one run of a mapping may cost. Callers may allow less than the limits. */
export interface RunLimits {
  readonly stepsMax: number;
  readonly builtBytesMax: number;
  readonly mapDepthMax: number;
}

export const usualRunLimits: RunLimits = {
  stepsMax: bloblangLimits.stepsMax,
  builtBytesMax: bloblangLimits.builtBytesMax,
  mapDepthMax: bloblangLimits.mapDepthMax,
};

/** What a run has left. Work is charged before it is done. */
export class Budget {
  readonly limits: RunLimits;
  #steps: number;
  #bytes: number;

  constructor(limits: RunLimits) {
    this.limits = limits;
    this.#steps = limits.stepsMax;
    this.#bytes = limits.builtBytesMax;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0)
      throw new LimitError(
        `the mapping took more than ${this.limits.stepsMax} steps; make its loops and maps visit fewer elements`,
      );
  }

  /** Elements that are copied cost less than elements that are visited. */
  copy(count: number): void {
    this.step(1 + (count >>> 4));
  }

  /** Characters or bytes of a value that is built; elements of arrays count eight. */
  build(bytes: number): void {
    this.#bytes -= bytes;
    if (!(this.#bytes >= 0))
      throw new LimitError(
        `the mapping built values of more than ${formatBytes(this.limits.builtBytesMax)}; make them smaller`,
      );
  }

  /** What may still be built, for work whose result is not known before. */
  get bytesLeft(): number {
    return Math.max(0, this.#bytes);
  }
}
