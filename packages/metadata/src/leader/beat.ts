/**
 * Clusters of one process do what they do over and over at the same moments, which are the multiples of the interval by the
 * process's own clock. So what they ask of the database meets there, and goes as one call (journal/gathering.ts). Processes started at
 * different times, so that their moments differ.
 */
export function untilBeatMs(monotonicMs: number, intervalMs: number): number {
  return intervalMs - (monotonicMs % intervalMs);
}
