import type { Clock } from '../src/clock.ts';
import { settle } from './settle.ts';

interface Timer {
  readonly dueMs: number;
  /** Orders timers of the same time: first set, first run. */
  readonly number: number;
  readonly run: () => void;
}

/** More timers than any test waits for, so a test that reaches it waits for something that never happens. */
const timersUntilMax = 100_000;

/**
 * A clock that advances only when a test moves it. It stops at every timer on the way, so that each timer sees the time
 * that it was set for, and timers that it sets take their place among the others.
 *
 * `advance` is synchronous, for code that only uses callbacks. `pass` and `until` let promises settle after each timer,
 * for code that awaits one thing after another.
 */
export class HandClock implements Clock {
  readonly #startMs: number;
  #elapsedMs = 0;
  #lastNumber = 0;
  /** In the order in which they run. */
  readonly #timers: Timer[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  /** Starts at zero, so that code that mistakes it for wall-clock time is found. */
  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const dueMs = this.#elapsedMs + Math.max(0, delayMs);
    const timer: Timer = { dueMs, number: ++this.#lastNumber, run };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return () => {
      const place = this.#placeOf(timer);
      if (this.#timers[place] === timer) this.#timers.splice(place, 1);
    };
  }

  /** How many timers have neither run nor been cancelled. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Advances time, and runs the timers that become due. */
  advance(byMs: number): void {
    const endMs = this.#elapsedMs + byMs;
    while (this.#runNext(endMs));
    this.#moveTo(endMs);
  }

  /** Lets time pass, but stops once `isDone`. Returns whether it was done. */
  async pass(byMs: number, isDone: () => boolean = () => false): Promise<boolean> {
    const endMs = this.#elapsedMs + byMs;
    for (;;) {
      await settle();
      if (isDone()) return true;
      if (this.#runNext(endMs)) continue;
      this.#moveTo(endMs);
      return false;
    }
  }

  /** Lets time pass from timer to timer until the promise settles. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    for (let count = 0; ; count++) {
      await settle();
      if (isSettled) return promise;
      if (count === timersUntilMax || !this.#runNext(Number.POSITIVE_INFINITY))
        throw new Error('the promise does not settle, however much time passes');
    }
  }

  /** Runs the next timer, if it is due by then. */
  #runNext(endMs: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.dueMs > endMs) return false;
    this.#timers.shift();
    this.#moveTo(next.dueMs);
    next.run();
    return true;
  }

  /** Never moves back: a timer may have advanced time further than its caller did. */
  #moveTo(ms: number): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, ms);
  }

  /** Its index among the timers, or where to insert it. */
  #placeOf(timer: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#timers[middle]!, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.number < b.number);
}
