import type { Clock } from '@weir/core';
import type { HeldBack } from '../component/held-back.ts';
import type { Output } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';
import type { InFlight } from './in-flight.ts';

/** After so many moments in which nothing was settled, batches are written although others are being written. */
const patientMoments = 10;

/**
 * Has gathered messages written while an input is held back: the batch that they wait for may never be full. It is
 * patient where a write is under way, because messages that are settled let the input go on.
 */
export class HeldBackFlush {
  readonly #heldBack: HeldBack;
  readonly #inFlight: InFlight;
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #unwatch: () => void;
  #cancel: (() => void) | undefined;
  #settled = 0;
  #quietMoments = 0;

  constructor(heldBack: HeldBack, inFlight: InFlight, output: Output, clock: Clock) {
    this.#heldBack = heldBack;
    this.#inFlight = inFlight;
    this.#output = output;
    this.#clock = clock;
    this.#unwatch = heldBack.watch(() => this.#begin());
    if (heldBack.isHeld) this.#begin();
  }

  close(): void {
    this.#unwatch();
    this.#cancel?.();
  }

  #begin(): void {
    if (this.#cancel !== undefined) return;
    this.#settled = this.#inFlight.settledCount;
    this.#quietMoments = 0;
    this.#later();
  }

  #later(): void {
    this.#cancel = this.#clock.after(pipelineLimits.flushEveryMs, () => {
      this.#cancel = undefined;
      if (!this.#heldBack.isHeld) return;
      this.#look();
      this.#later();
    });
  }

  #look(): void {
    const { settledCount, isEmpty } = this.#inFlight;
    this.#quietMoments = settledCount === this.#settled ? this.#quietMoments + 1 : 0;
    this.#settled = settledCount;
    const isPatient = this.#quietMoments < patientMoments;
    if (isEmpty || !isPatient) this.#heldBack.release();
    void this.#output.flush?.(isPatient ? 'idle' : 'now').catch(() => undefined);
  }
}
