/** There is no room to wait in either. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}

interface SlotsOptions {
  /** How many may run at a time. */
  readonly runningMax: number;
  /** How many more may wait for their turn; without it there is no end. */
  readonly waitingMax?: number;
}

/** Lets so many run at a time, the others in the order in which they came. */
export class Slots {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ runningMax, waitingMax = Number.POSITIVE_INFINITY }: SlotsOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  /** Takes a slot if one is free. Whoever has one gives it back with `leave`. */
  tryEnter(): boolean {
    if (this.#running >= this.#runningMax) return false;
    this.#running++;
    return true;
  }

  leave(): void {
    // Whoever waits inherits the slot, so that it is never free for somebody who came later.
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (!this.tryEnter()) {
      if (this.#waiting.length >= this.#waitingMax) throw new TooManyWaiting('too many wait already');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      this.leave();
    }
  }
}
