import type { Clock } from '@weir/core';

/** Time that a test moves by hand. */
export class HandClock implements Clock {
  #nowMs = 1_700_000_000_000;
  readonly #timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many wait to be run. */
  get waiting(): number {
    return this.#timers.size;
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of [...this.#timers]) {
      if (timer.dueMs <= this.#nowMs && this.#timers.delete(timer)) timer.run();
    }
  }
}
