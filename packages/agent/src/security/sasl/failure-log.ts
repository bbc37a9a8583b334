import type { Clock, Log, LogFields } from '@weir/core';

/** Anybody can fail as often as he likes, so that only so many lines come in a window, and the first of the next tells of the rest. */
const windowMs = 10_000;
const linesPerWindow = 50;
const wordCharsMax = 64;

/** Lines about logins that failed. */
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

  tell(message: string, fields: LogFields): void {
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
    this.#log.info(message, { ...fields, ...unlogged });
  }
}

/** A word of a client as it may stand in a log: short, and nothing that a terminal would obey. */
export function printable(word: string): string {
  const clean = word.replaceAll(/[\p{C}\p{Z}]/gu, '?');
  return clean.length <= wordCharsMax ? clean : `${clean.slice(0, wordCharsMax)}…`;
}
