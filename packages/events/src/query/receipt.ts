import type { Clock } from '@weir/core';
import type { PartialReason, QueryStats } from './request.ts';
import type { ScanResult } from './scan.ts';

export interface Budget {
  /** Bytes that may be looked at. */
  readonly bytes: number;
  readonly ms: number;
}

/** What a query may take for the events of its rows when its time is over. */
const graceMs = 2000;

/** What a query took, and whether it may take more. */
export class Receipt {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #startedMs: number;
  #cancelTimer: () => void;
  readonly #sums = {
    ...{ expected: 0, scanned: 0, cached: 0, matched: 0, parsed: 0 },
    ...{ unreadable: 0, bytesScanned: 0, bytesRead: 0 },
  };
  #hasTimeLeft = true;
  /** Whether everything was looked at that the window has. */
  isExact = true;
  /** Resolves when the time is over. */
  readonly whenOver: Promise<void>;

  constructor(clock: Clock, budget: Budget) {
    this.#clock = clock;
    this.#budget = budget;
    this.#startedMs = clock.monotonicMs();
    let cancel = () => {};
    this.whenOver = new Promise((resolve) => {
      cancel = clock.after(budget.ms, () => {
        this.#hasTimeLeft = false;
        resolve();
      });
    });
    this.#cancelTimer = cancel;
  }

  /** Which part of the budget is used up. */
  get exhausted(): PartialReason | undefined {
    if (!this.#hasTimeLeft) return 'time';
    return this.#sums.bytesScanned > this.#budget.bytes ? 'bytes' : undefined;
  }

  /** Events that a query will have looked at, or left out for a reason. */
  expect(events: number): void {
    this.#sums.expected += events;
  }

  addRead(bytes: number): void {
    this.#sums.bytesRead += bytes;
  }

  /** What was looked at just now. */
  addScanned(result: ScanResult): void {
    this.#sums.scanned += result.scanned;
    this.#sums.parsed += result.parsed;
    this.#sums.unreadable += result.unreadable;
    this.#sums.bytesScanned += result.bytesScanned;
    this.#sums.matched += result.matched;
  }

  /** What an earlier query looked at. */
  addCached(result: ScanResult): void {
    this.#sums.cached += result.scanned;
    this.#sums.matched += result.matched;
  }

  get fraction(): number {
    const { expected, scanned, cached } = this.#sums;
    return expected === 0 ? 1 : Math.min(1, (scanned + cached) / expected);
  }

  stats(): QueryStats {
    const { expected, scanned, cached, matched, parsed, unreadable, bytesScanned, bytesRead } = this.#sums;
    return {
      eventsMatched: matched,
      isExact: this.isExact,
      eventsScanned: scanned,
      eventsPruned: Math.max(0, expected - scanned - cached),
      eventsCached: cached,
      eventsParsed: parsed,
      eventsUnreadable: unreadable,
      bytesScanned,
      bytesRead,
      elapsedMs: this.#clock.monotonicMs() - this.#startedMs,
    };
  }

  /** Waits for what makes an answer whole; only for a little while once the time is over, and not at all for somebody who left. */
  async within(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const leave = () => waited.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    void this.whenOver.then(() => {
      this.#cancelTimer = this.#clock.after(graceMs, waited.resolve);
    });
    try {
      signal.throwIfAborted();
      await Promise.race([work, waited.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  end(): void {
    this.#cancelTimer();
  }
}
