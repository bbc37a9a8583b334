import type { Clock, Log, LogFields } from '@weir/core';

/** Lines about the same come at most this often. */
const quietMs = 60_000;

interface Told {
  lastMs: number;
  untold: number;
}

/**
 * The log of connections that were turned away. Whoever connects from outside decides how many there are, so that one line in a
 * while stands for all of a kind and says how many it stands for.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #told = new Map<string, Told>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `kind` is a word of ours, never a peer's. */
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
