/**
 * Decides when another process may take the lease. No two clocks are compared, neither those of two processes nor that
 * of a database before and after a correction. The holder raises a counter; a watcher may take the lease when it saw an
 * unchanged counter for the whole duration of the lease, by its own monotonic clock.
 *
 * Why there are never two holders with a valid lease, as long as monotonic clocks run at about the same rate: the
 * holder counts its time from before it sent the renewal (s); the row changed after that (w ≥ s); the watcher saw the
 * change after it happened (o ≥ w) and takes the lease not before o + ttl ≥ s + ttl, with a compare-and-swap that fails
 * if the counter was raised meanwhile. The holder stops a tenth of the time earlier, which allows for different clock
 * rates.
 */
export class LeaseWatch {
  #seen = '';
  #sinceMs = 0;
  #free = '';
  #freeSinceMs = 0;

  /**
   * How long to wait before the lease may be taken; 0 if it may be taken now. `nowMs` is from after the row was read.
   */
  remainingMs(row: LeaseRow, nowMs: number): number {
    if (row.holder === undefined) return 0;
    const seen = `${row.epoch}:${row.renewal}`;
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#sinceMs = nowMs;
    }
    return Math.max(0, this.#sinceMs + row.ttlMs - nowMs);
  }

  /**
   * How long a free lease is still left to better candidates: until it was seen free for `graceMs`. Voluntary; no
   * guarantee depends on it.
   */
  graceLeftMs(row: LeaseRow, graceMs: number, nowMs: number): number {
    const free = `${row.epoch}:${row.renewal}`;
    if (free !== this.#free) {
      this.#free = free;
      this.#freeSinceMs = nowMs;
    }
    return Math.max(0, this.#freeSinceMs + graceMs - nowMs);
  }
}

export interface LeaseRow {
  readonly epoch: number;
  readonly renewal: number;
  /** The duration for which the holder counts on the lease. */
  readonly ttlMs: number;
  readonly holder: { readonly id: string; readonly url: string } | undefined;
}
