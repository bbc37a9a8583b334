import type { Clock } from '@weir/core';

interface Scheduled {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  #scheduled: Scheduled[] = [];

  constructor(nowMs = 1_700_000_000_000) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const scheduled = { dueMs: this.#nowMs + delayMs, run };
    this.#scheduled.push(scheduled);
    return () => {
      this.#scheduled = this.#scheduled.filter((one) => one !== scheduled);
    };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#scheduled.length;
  }

  /** Moves time, stopping at every timer on the way so that what it starts can schedule more. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settle();
    for (;;) {
      const next = this.#scheduled
        .filter(({ dueMs }) => dueMs <= untilMs)
        .reduce<Scheduled | undefined>((a, b) => (a === undefined || b.dueMs < a.dueMs ? b : a), undefined);
      if (next === undefined) break;
      this.#scheduled = this.#scheduled.filter((one) => one !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** Moves time until the promise settles. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    for (let step = 0; !isSettled; step++) {
      if (step > 100_000) throw new Error('the promise does not settle, however much time passes');
      await settle();
      const nextMs = Math.min(...this.#scheduled.map(({ dueMs }) => dueMs));
      if (!isSettled && Number.isFinite(nextMs)) await this.advance(Math.max(0, nextMs - this.#nowMs));
    }
    return await promise;
  }
}

/** Lets everything run that does not wait for time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
