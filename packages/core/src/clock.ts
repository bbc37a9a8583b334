/**
 * Time enters the system here and nowhere else, so that a whole cluster can be simulated from a seed.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never run backwards; for measuring. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs`; a delay that has passed already is none, one without end never comes. The returned function
   * cancels it.
   */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay that a timer of the runtime takes. It would run a longer one at once, and complain on the terminal. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    if (delayMs > timerMsMax) return afterLong(delayMs, run);
    // Also of what is not a number: the runtime would complain about it as it does about a negative delay.
    const timer = setTimeout(run, delayMs > 0 ? delayMs : 0);
    return () => clearTimeout(timer);
  },
};

function afterLong(delayMs: number, run: () => void): () => void {
  let cancel = systemClock.after(timerMsMax, () => {
    cancel = systemClock.after(delayMs - timerMsMax, run);
  });
  return () => cancel();
}
