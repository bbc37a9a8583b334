/**
 * Who may inflate aside: some at a time, of all connections, the others in the order in which they came. A connection has one batch here at a time,
 * so that one that sends much waits behind each of the others.
 */
export class InflationTurns {
  readonly #placesMax: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Batches that are inflated just now. */
  get running(): number {
    return this.#taken;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#placesMax) this.#taken++;
    // Whoever ends hands its place over.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }
}
