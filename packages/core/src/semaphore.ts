/** All permits are taken and no more tasks may wait. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull';
}

interface SemaphoreOptions {
  /** How many tasks run at a time. */
  readonly permits: number;
  /** How many more may wait. If absent, there is no limit. */
  readonly waitingMax?: number;
}

/** Limits how many tasks run at a time. The others wait in FIFO order. */
export class Semaphore {
  readonly #permits: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ permits, waitingMax = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#permits = permits;
    this.#waitingMax = waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  /** Takes a permit if one is free; `release` returns it. */
  tryAcquire(): boolean {
    if (this.#running >= this.#permits) return false;
    this.#running++;
    return true;
  }

  release(): void {
    // The permit passes to the first waiting task, so that a later task cannot take it in between.
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }

  /** Rejects with `SemaphoreFull` if too many wait. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (!this.tryAcquire()) {
      if (this.#waiting.length >= this.#waitingMax) throw new SemaphoreFull('too many tasks wait');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      this.release();
    }
  }
}
