/**
 * Time enters the system here and nowhere else, so that a whole cluster can be simulated from a seed.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never run backwards; for measuring. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`. The returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
