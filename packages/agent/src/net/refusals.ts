import type { Clock, Log, LogFields } from '@weir/core';

/** Minimum interval between log lines of the same kind. */
const quietMs = 60_000;

interface Told {
  lastMs: number;
  untold: number;
}

/**
 * Logs rejected connections. Outside peers control how many there are, so one line per interval stands for all of a
 * kind and carries their number.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #told = new Map<string, Told>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `kind` must be one of our words, never text from a peer. */
  tell(kind: string, message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicMs();
    const told = this.#told.get(kind);
    if (told !== undefined && nowMs - told.lastMs < quietMs) {
      told.untold++;
      return;
    }
    this.#told.set(kind, { lastMs: nowMs, untold: 0 });
    const before = told === undefined || told.untold === 0 ? {} : { untoldBefore: told.untold };
    this.#log.warn(message, { ...fields, ...before });
  }
}
