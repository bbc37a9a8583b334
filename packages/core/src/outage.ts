import { backOffMs } from './back-off.ts';
import type { Clock } from './clock.ts';

/** How often a failure that goes on is logged again. */
const repeatMs = 60_000;
const retryMsMax = 1_000;

/**
 * Failures in a row of something that is retried, such as a database without space: when to log them, and how long to
 * wait before the next attempt. Logged are the first one, others, and once a minute how many there were.
 */
export class Outage {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #retryMs: number;
  #error: string | undefined;
  #sinceMs = 0;
  #loggedMs = 0;
  #failureCount = 0;
  #unloggedCount = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, retryMs = 0) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /** Counts a failure. Returns the fields of its line in the log; `undefined` if it has none. */
  failed(error: unknown): { readonly error: string; readonly repeated?: number } | undefined {
    const nowMs = this.#clock.monotonicMs();
    const text = String(error);
    if (this.#failureCount++ === 0) this.#sinceMs = nowMs;
    if (text === this.#error && nowMs - this.#loggedMs < repeatMs) {
      this.#unloggedCount++;
      return undefined;
    }
    const repeated = this.#unloggedCount;
    this.#error = text;
    this.#loggedMs = nowMs;
    this.#unloggedCount = 0;
    return { error: text, ...(repeated === 0 ? {} : { repeated }) };
  }

  /** The pause before the next attempt. */
  get pauseMs(): number {
    return backOffMs(Math.max(0, this.#failureCount - 1), {
      firstMs: this.#retryMs,
      maxMs: Math.max(retryMsMax, this.#retryMs),
    });
  }

  /** Ends the outage. Returns the fields of a line about it; `undefined` if there was none. */
  ended(): { readonly failureCount: number; readonly elapsedMs: number } | undefined {
    if (this.#failureCount === 0) return undefined;
    const over = {
      failureCount: this.#failureCount,
      elapsedMs: Math.round(this.#clock.monotonicMs() - this.#sinceMs),
    };
    this.#error = undefined;
    this.#failureCount = 0;
    this.#unloggedCount = 0;
    return over;
  }
}
