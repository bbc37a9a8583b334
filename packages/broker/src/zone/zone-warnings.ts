import type { Clock, Log, LogFields } from '@weir/core';
import { brokerLimits } from '../limits.ts';

/** Minimum interval between warnings of any kind. */
const quietMs = 60_000;

/**
 * Warnings about unknown zones. Records are served in any case, so each warning is logged once, and different warnings
 * at most one a minute.
 */
export class ZoneWarnings {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #areDisabled: boolean;
  readonly #logged = new Set<string>();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly clock: Clock; readonly log: Log; readonly areDisabled: boolean }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#areDisabled = options.areDisabled;
  }

  warn(message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#areDisabled || nowMs - this.#lastMs < quietMs) return;
    const news = `${message} ${JSON.stringify(fields)}`;
    // After this many different warnings, another one adds nothing new.
    if (this.#logged.has(news) || this.#logged.size >= brokerLimits.zoneWarningsMax) return;
    this.#logged.add(news);
    this.#lastMs = nowMs;
    this.#log.warn(message, fields);
  }
}
