import type { Clock } from '@weir/core';

interface Timer {
  readonly dueMs: number;
  /** Tells timers of one moment apart: first set, first run. */
  readonly number: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Time that jumps from one timer to the next, and only when everything that the last one set off has come to rest. */
export class VirtualClock implements Clock {
  readonly #startMs = 1_700_000_000_000;
  /** A binary heap, the next one first. */
  readonly #timers: Timer[] = [];
  #elapsedMs = 0;
  #lastNumber = 0;

  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const dueMs = this.#elapsedMs + Math.max(0, delayMs);
    const timer: Timer = { dueMs, number: ++this.#lastNumber, run, isCancelled: false };
    this.#push(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  /** Lets time pass until `isDone`, but no further than `untilMs`. Says whether it was done. */
  run(isDone: () => boolean, untilMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (isDone()) return resolve(true);
          const next = this.#pop(untilMs);
          if (next === undefined) {
            this.#elapsedMs = Math.max(this.#elapsedMs, untilMs);
            return resolve(false);
          }
          this.#elapsedMs = next.dueMs;
          next.run();
        } catch (error) {
          return reject(error);
        }
        rest(step);
      };
      rest(step);
    });
  }

  #push(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  /** The next timer that still counts and is due by then. */
  #pop(untilMs: number): Timer | undefined {
    const heap = this.#timers;
    for (;;) {
      const first = heap[0];
      if (first === undefined || (!first.isCancelled && first.dueMs > untilMs)) return undefined;
      const last = heap.pop()!;
      if (last !== first) this.#sink(last);
      if (!first.isCancelled) return first;
    }
  }

  #sink(timer: Timer): void {
    const heap = this.#timers;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, timer)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = timer;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.number < b.number);
}

/** Ticks run when no microtask is left, however many of them led to each other. */
function rest(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
