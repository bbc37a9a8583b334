interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly weight: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface GatheredCallsOptions<Ask, Answer> {
  /** Answers come in the order of the entries. */
  readonly call: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  /** How much of `weightMax` an entry takes. */
  readonly weigh: (ask: Ask) => number;
  /** Limit of one call; a single heavier entry goes alone. */
  readonly weightMax: number;
}

/**
 * Batches calls to the control plane that take lists. The first entry goes at once; entries that arrive while a call is
 * in flight go together in the next. An idle agent waits for nothing, and a busy one makes one call per round trip for
 * any number of clients.
 *
 * One call is in flight at a time, so that entries are processed in order of arrival.
 */
export class GatheredCalls<Ask, Answer> {
  readonly #options: GatheredCallsOptions<Ask, Answer>;
  readonly #waiting: Waiting<Ask, Answer>[] = [];
  #isRunning = false;

  constructor(options: GatheredCallsOptions<Ask, Answer>) {
    this.#options = options;
  }

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, weight: this.#options.weigh(ask), resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const taken = this.#take();
      try {
        const answers = await this.#options.call(taken.map(({ ask }) => ask));
        for (const [index, { resolve }] of taken.entries()) resolve(answers[index]!);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    this.#isRunning = false;
  }

  #take(): Waiting<Ask, Answer>[] {
    let count = 0;
    let weight = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && weight + waiting.weight > this.#options.weightMax) break;
      weight += waiting.weight;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}
