/**
 * Measures how long one turn of the event loop of this thread occupies its processor. It counts processor time of the
 * thread and not the time that passes, so that other load of the machine does not count. Work that lets others take
 * turns, by timers or immediates, has many short turns.
 */
export class TurnWatch {
  #pending: NodeJS.Immediate | undefined;
  #lastMicros = 0;
  #longestMicros = 0;

  /** Observes turns from now on. The loop does not sleep meanwhile. */
  start(): void {
    this.stop();
    this.#longestMicros = 0;
    this.#lastMicros = threadMicros();
    const turn = () => {
      this.#endTurn();
      this.#pending = setImmediate(turn);
    };
    this.#pending = setImmediate(turn);
  }

  /** Returns the longest turn since the start, the present one included, in milliseconds of processor time. */
  stop(): number {
    if (this.#pending !== undefined) {
      clearImmediate(this.#pending);
      this.#endTurn();
    }
    this.#pending = undefined;
    return this.#longestMicros / 1000;
  }

  #endTurn(): void {
    const nowMicros = threadMicros();
    this.#longestMicros = Math.max(this.#longestMicros, nowMicros - this.#lastMicros);
    this.#lastMicros = nowMicros;
  }
}

function threadMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** What a request may occupy a serving thread for at a time. */
export const turnMsMax = 100;

/** How often a turn that seems too long is measured again. */
const tries = 5;

/**
 * Runs work and returns its longest turn in milliseconds of processor time. If that is above the limit, the work runs
 * again, alone, and the shortest result counts: collections of garbage and code that is compiled come only once.
 */
export async function longestTurnMs(
  measure: () => Promise<number>,
  { limitMs = turnMsMax }: { readonly limitMs?: number } = {},
): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries && shortestMs > limitMs; count++)
    shortestMs = Math.min(shortestMs, await measure());
  return shortestMs;
}

interface ShortTurnsOptions {
  readonly limitMs?: number;
  /** What the work is, for the error. */
  readonly what?: string;
}

/**
 * Fails if the work has a turn of this thread above the limit, and otherwise returns its result. The work may run
 * several times. It should do no more than what is measured: inputs are made before, and clocks are real, because turns
 * of a clock that a test moves are one turn of the thread.
 */
export async function requireShortTurns<Result>(
  work: () => Promise<Result>,
  { limitMs = turnMsMax, what = 'the work' }: ShortTurnsOptions = {},
): Promise<Result> {
  const watch = new TurnWatch();
  let result: Result;
  const longestMs = await longestTurnMs(
    async () => {
      watch.start();
      try {
        result = await work();
      } finally {
        watch.stop();
      }
      return watch.stop();
    },
    { limitMs },
  );
  if (longestMs > limitMs)
    throw new Error(
      `one turn of ${what} took ${longestMs.toFixed(1)} ms of processor time; the limit is ${limitMs} ms`,
    );
  return result!;
}
