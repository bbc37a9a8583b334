/** The only source of time, so that a whole cluster can be simulated from a seed. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never go backwards; for measuring durations. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs`; a negative delay counts as 0, an infinite one never ends. Returns a function that
   * cancels it.
   */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay of a timer of the runtime, which would run a longer one at once and print a warning. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    if (delayMs > timerMsMax) return afterLong(delayMs, run);
    // Also for NaN: the runtime would warn about it as about a negative delay.
    const timer = setTimeout(run, delayMs > 0 ? delayMs : 0);
    return () => clearTimeout(timer);
  },
};

/**
 * Calls `run` after the events of this turn of the event loop, for work that is done once for all of them. Not part of
 * `Clock`: a thread that only passes bytes on is not simulated.
 */
export function afterEvents(run: () => void): void {
  setImmediate(run);
}

function afterLong(delayMs: number, run: () => void): () => void {
  let cancel = systemClock.after(timerMsMax, () => {
    cancel = systemClock.after(delayMs - timerMsMax, run);
  });
  return () => cancel();
}
