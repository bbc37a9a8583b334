/** How the driver connects to PostgreSQL, in seconds. */
export const connectTiming = {
  connect_timeout: 5,
  /**
   * Its own pauses after failed attempts grow threefold with each, over all connections, to as much as 20 s: a server that was away for a
   * few seconds would be back long before it is asked again. Callers have pauses of their own.
   */
  backoff: (failures: number) => Math.min(0.5, 0.05 * failures),
} as const;
