import type { Clock } from '@weir/core';

/** An object that requests wake-ups. */
export interface Sleeper {
  /** Infinite if it requests none. */
  wakeAtMs: number;
}

interface Entry<T extends Sleeper> {
  readonly atMs: number;
  readonly sleeper: T;
}

/**
 * Wakes many sleepers with one timer: a heap by time. An earlier wake-up adds another entry, and the old one is
 * skipped. A later wake-up changes nothing until the sleeper is woken, so that a heartbeat costs nothing here.
 */
export class WakeQueue<T extends Sleeper> {
  readonly #clock: Clock;
  readonly #wake: (sleeper: T) => number;
  readonly #heap: Entry<T>[] = [];
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #isClosed = false;

  /** `wake` returns the next wake-up time of the sleeper. */
  constructor(clock: Clock, wake: (sleeper: T) => number) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** In monotonic time. */
  wakeBy(sleeper: T, atMs: number): void {
    if (this.#isClosed || atMs >= sleeper.wakeAtMs) return;
    sleeper.wakeAtMs = atMs;
    this.#push({ atMs, sleeper });
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#heap.length = 0;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || (this.#timer !== undefined && this.#timer.atMs <= first.atMs)) return;
    this.#timer?.cancel();
    const delayMs = Math.max(0, Math.ceil(first.atMs - this.#clock.monotonicMs()));
    const cancel = this.#clock.after(Math.min(delayMs, timerDelayMsMax), () => this.#wakeAll());
    this.#timer = { atMs: first.atMs, cancel };
  }

  #wakeAll(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= nowMs; first = this.#heap[0]) {
      this.#pop();
      const { sleeper, atMs } = first;
      if (sleeper.wakeAtMs !== atMs) continue;
      sleeper.wakeAtMs = Number.POSITIVE_INFINITY;
      const nextMs = this.#wake(sleeper);
      // Not before time advances, or a sleeper that always wants to wake would loop forever.
      if (nextMs < Number.POSITIVE_INFINITY) this.wakeBy(sleeper, Math.max(nextMs, nowMs + 1));
      if (this.#isClosed) return;
    }
    this.#arm();
  }

  #push(entry: Entry<T>): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.atMs <= entry.atMs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child++;
      if (heap[child]!.atMs >= last.atMs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

/** System timers are limited to 2^31 ms; longer sleeps are split. */
const timerDelayMsMax = 3_600_000;
