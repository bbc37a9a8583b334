import type { Clock } from '@weir/core';

/** Time during which a connection is not read, because an answer had a throttle time (KIP-219). */
export class Throttle {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #cancel: (() => void) | undefined;
  #untilMs = 0;

  constructor(clock: Clock, onOver: () => void) {
    this.#clock = clock;
    this.#onOver = onOver;
  }

  get isActive(): boolean {
    return this.#cancel !== undefined;
  }

  /** Of several throttle times the longest counts, regardless of the order of the answers. */
  start(forMs: number): void {
    const untilMs = this.#clock.monotonicMs() + forMs;
    if (this.#cancel !== undefined && untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#cancel?.();
    this.#cancel = this.#clock.after(forMs, () => {
      this.#cancel = undefined;
      this.#onOver();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
