interface TurnLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
}

/** Too many wait already. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

/** Does few things at a time and lets some wait, in the order in which they came. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Rejects with `NoTurn` when too many wait. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.runningMax) this.#running++;
    else if (this.#waiting.length < this.#limits.waitingMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else throw new NoTurn('too much is measured at the moment');
    try {
      return await work();
    } finally {
      // The turn goes to the next one, or back.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
