/** The connection options of the PostgreSQL driver, in seconds. */
export const connectTiming = {
  connect_timeout: 5,
  /**
   * The default pauses of the driver triple with each failed attempt, over all connections, up to 20 s: a server that
   * was away for a few seconds would be back long before the next attempt. Callers have pauses of their own.
   */
  backoff: (failures: number) => Math.min(0.5, 0.05 * failures),
} as const;
