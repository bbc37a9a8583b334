import type { Clock, Log, LogFields } from '@weir/core';

/** Minimum interval between log lines of the same kind. */
const quietMs = 60_000;

interface LineState {
  lastMs: number;
  suppressed: number;
}

/**
 * Logs rejected connections. Outside peers control how many there are, so one line per interval stands for all of a
 * kind and carries their number.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lines = new Map<string, LineState>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `kind` must be one of our words, never text from a peer. */
  log(kind: string, message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicMs();
    const line = this.#lines.get(kind);
    if (line !== undefined && nowMs - line.lastMs < quietMs) {
      line.suppressed++;
      return;
    }
    this.#lines.set(kind, { lastMs: nowMs, suppressed: 0 });
    const before = line === undefined || line.suppressed === 0 ? {} : { unloggedBefore: line.suppressed };
    this.#log.warn(message, { ...fields, ...before });
  }
}
