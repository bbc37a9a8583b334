/**
 * Measures how long one turn of the event loop of this thread occupies its processor. It counts processor time of the
 * thread and not the time that passes, so that other load of the machine does not count. Work that lets others take
 * turns, by timers or immediates, has many short turns.
 */
export class TurnWatch {
  #pending: NodeJS.Immediate | undefined;
  #longestMicros = 0;

  /** Observes turns from now on. The loop does not sleep meanwhile. */
  start(): void {
    this.stop();
    this.#longestMicros = 0;
    let last = threadMicros();
    const turn = () => {
      const now = threadMicros();
      this.#longestMicros = Math.max(this.#longestMicros, now - last);
      last = now;
      this.#pending = setImmediate(turn);
    };
    this.#pending = setImmediate(turn);
  }

  /** Returns the longest turn since the start, in milliseconds of processor time. */
  stop(): number {
    if (this.#pending !== undefined) clearImmediate(this.#pending);
    this.#pending = undefined;
    return this.#longestMicros / 1000;
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

/** Fails if the work has a turn of this thread above the limit. */
export async function requireShortTurns(work: () => Promise<void>, limitMs = turnMsMax): Promise<void> {
  const watch = new TurnWatch();
  const longestMs = await longestTurnMs(
    async () => {
      watch.start();
      try {
        await work();
      } finally {
        watch.stop();
      }
      return watch.stop();
    },
    { limitMs },
  );
  if (longestMs > limitMs)
    throw new Error(`one turn took ${longestMs.toFixed(1)} ms of processor time; the limit is ${limitMs} ms`);
}
