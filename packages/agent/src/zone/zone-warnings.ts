import type { Clock, Log, LogFields } from '@weir/core';

/** Warnings come at most this often, whatever they are about. */
const quietMs = 60_000;

/** Warnings about zones that nobody knows. Records are served all the same, so that one a minute is enough. */
export class ZoneWarnings {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #areDisabled: boolean;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly clock: Clock; readonly log: Log; readonly areDisabled: boolean }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#areDisabled = options.areDisabled;
  }

  warn(message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#areDisabled || nowMs - this.#lastMs < quietMs) return;
    this.#lastMs = nowMs;
    this.#log.warn(message, fields);
  }
}
