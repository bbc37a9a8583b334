import type { Clock } from '@weir/core';

/** A connection may cross zones for this long: time enough to learn where to go instead. */
const crossingMsMax = 60_000;

/**
 * Connections that stay in the wrong zone. A client that never refreshes its metadata learns of the agents in its own zone only when it
 * has to connect anew, so that closing its connection is the way to tell it. This is for clients that ask for it.
 */
export class ZoneCrossings {
  readonly #clock: Clock;
  /** By what lives as long as the connection does. */
  readonly #sinceMs = new WeakMap<AbortSignal, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes whether a request crossed zones, and says whether its connection has done so for too long. */
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
