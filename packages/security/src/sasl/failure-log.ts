import type { Clock, Log, LogFields } from '@weir/core';

/**
 * Any client can fail at any rate, so the number of lines per window is limited; the first line of the next window has
 * the number of suppressed ones.
 */
const windowMs = 10_000;
const linesPerWindow = 50;
const wordCharsMax = 64;

/** Rate-limited log of failed logins. */
export class FailureLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #unlogged = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  log(message: string, fields: LogFields): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#lines = 0;
    }
    if (this.#lines >= linesPerWindow) {
      this.#unlogged++;
      return;
    }
    this.#lines++;
    const unlogged = this.#unlogged === 0 ? {} : { unloggedBefore: this.#unlogged };
    this.#unlogged = 0;
    this.#log.warn(message, { ...fields, ...unlogged });
  }
}

/** Sanitizes a string from a client for the log: short, and without control characters. */
export function printable(word: string, charsMax = wordCharsMax): string {
  const clean = word.replaceAll(/[\p{C}\p{Z}]/gu, '?');
  return clean.length <= charsMax ? clean : `${clean.slice(0, charsMax)}…`;
}
