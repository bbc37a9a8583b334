import type { Clock, Log, LogFields } from '@weir/core';
import { agentLimits } from '../limits.ts';

/** Warnings come at most this often, whatever they are about. */
const quietMs = 60_000;

/**
 * Warnings about zones that are not known. Records are served all the same, so that each is told once: what is still as it was is no
 * news, and different news come one a minute.
 */
export class ZoneWarnings {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #areDisabled: boolean;
  readonly #told = new Set<string>();
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
    // After so many different ones, another says nothing that the log does not have already.
    if (this.#told.has(news) || this.#told.size >= agentLimits.zoneWarningsMax) return;
    this.#told.add(news);
    this.#lastMs = nowMs;
    this.#log.warn(message, fields);
  }
}
