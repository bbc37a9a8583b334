import type { Clock } from '@weir/core';
import type { PartialReason, QueryStats } from './request.ts';
import type { ScanResult } from './scan.ts';

export interface Budget {
  /** Bytes that may be scanned. */
  readonly bytes: number;
  readonly ms: number;
}

/** Extra time for reading the events of the rows after the deadline of the query. */
const graceMs = 2000;

/** The resources that a query has used, and its budget. */
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
  /** Whether the whole window was scanned. */
  isExact = true;
  /** Resolves when the time budget is used up. */
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

  /** The part of the budget that is used up. */
  get exhausted(): PartialReason | undefined {
    if (!this.#hasTimeLeft) return 'time';
    return this.#sums.bytesScanned > this.#budget.bytes ? 'bytes' : undefined;
  }

  /** Adds events that the query will scan or prune. */
  expect(events: number): void {
    this.#sums.expected += events;
  }

  addRead(bytes: number): void {
    this.#sums.bytesRead += bytes;
  }

  /** Adds the result of a scan. */
  addScanned(result: ScanResult): void {
    this.#sums.scanned += result.scanned;
    this.#sums.parsed += result.parsed;
    this.#sums.unreadable += result.unreadable;
    this.#sums.bytesScanned += result.bytesScanned;
    this.#sums.matched += result.matched;
  }

  /** Adds the cached result of an earlier query. */
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

  /**
   * Waits for work that completes an answer: only for a grace period once the time is over, and not at all after
   * cancellation.
   */
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
