import type { Clock } from '@weir/core';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Time that moves when a test says so. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  /** In the order in which they are due. */
  readonly #timers: Timer[] = [];
  readonly #startMs: number;

  constructor(startMs = 1_700_000_000_000) {
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { dueMs: this.#elapsedMs + delayMs, run, isCancelled: false };
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#timers[middle]!.dueMs <= timer.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  /** Moves time on, and lets everything that becomes due happen in its order, with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await settle();
    while (this.#timers.length > 0 && this.#timers[0]!.dueMs <= endMs) {
      const next = this.#timers.shift()!;
      if (next.isCancelled) continue;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.run();
      await settle();
    }
    this.#elapsedMs = endMs;
  }
}

/** Lets promises that wait for nothing but each other settle: Node comes to the next tick when no microtask is left. */
export function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
