import type { Clock } from '@weir/core';

/** How long a connection may cross zones: enough time to learn of nearer agents. */
const crossingMsMax = 60_000;

/**
 * Connections that stay in the wrong zone. A client that never refreshes its metadata learns of agents in its own zone
 * only when it reconnects, so the agent closes its connection. This applies only to clients that ask for it.
 */
export class ZoneCrossings {
  readonly #clock: Clock;
  /** Keyed by a signal that lives as long as the connection. */
  readonly #sinceMs = new WeakMap<AbortSignal, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records whether a request crossed zones, and returns whether its connection has done so for too long. */
  isTooLong(connection: AbortSignal, isCrossing: boolean): boolean {
    if (!isCrossing) {
      this.#sinceMs.delete(connection);
      return false;
    }
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#sinceMs.get(connection) ?? nowMs;
    this.#sinceMs.set(connection, sinceMs);
    return nowMs - sinceMs >= crossingMsMax;
  }
}
