/**
 * The time until the next beat. Clusters of one process do their periodic work at the same moments, the multiples of
 * the interval by the clock of the process. So their database calls coincide, and go out as one call
 * (journal/gathering.ts). Processes start at different times, so their moments differ.
 */
export function untilBeatMs(monotonicMs: number, intervalMs: number): number {
  return intervalMs - (monotonicMs % intervalMs);
}
