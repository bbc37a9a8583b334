import type { Clock } from '@weir/core';

/** Something that wants to be woken. */
export interface Sleeper {
  /** Infinite while it does not. */
  wakeAtMs: number;
}

interface Entry<T extends Sleeper> {
  readonly atMs: number;
  readonly sleeper: T;
}

/**
 * Wakes many with one timer: a heap by time. Who wants to be woken earlier is entered again, and the entry that it had is skipped
 * when its turn comes. Who may sleep longer than they thought find out when they are woken, so that a heartbeat costs
 * nothing here.
 */
export class WakeQueue<T extends Sleeper> {
  readonly #clock: Clock;
  readonly #wake: (sleeper: T) => number;
  readonly #heap: Entry<T>[] = [];
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #isClosed = false;

  /** `wake` gives when the sleeper wants to be woken again. */
  constructor(clock: Clock, wake: (sleeper: T) => number) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** By the monotonic clock. */
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
      // Not before time has moved on, or somebody who is never content would keep us here.
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

/** Timers of the system end at 2^31 ms; whoever sleeps longer is looked at in between. */
const timerDelayMsMax = 3_600_000;
