import type { Clock } from '../src/clock.ts';
import { settle } from './settle.ts';

interface Timer {
  readonly dueMs: number;
  /** Orders timers of one moment: first set, first run. */
  readonly number: number;
  readonly run: () => void;
}

/** More than any test means to wait for, so a test that gets there waits for something that never comes. */
const timersUntilMax = 100_000;

/**
 * Time that stands still until a test moves it. It stops at every timer on the way, so that each sees the moment that it was set
 * for, and what it sets for later takes its place among the others.
 *
 * `advance` does it at once, for code that only calls back. `pass` and `until` let promises settle after each timer, for code that
 * waits for one thing after another.
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

  /** Starts at zero, so that code that takes it for the time of day is found. */
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

  /** Moves time on, and runs what becomes due on the way. */
  advance(byMs: number): void {
    const endMs = this.#elapsedMs + byMs;
    while (this.#runNext(endMs));
    this.#moveTo(endMs);
  }

  /** Lets time pass, and no more of it once `isDone`. Says whether it was done. */
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

  /** Runs the timer that comes next, if it is due by then. */
  #runNext(endMs: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.dueMs > endMs) return false;
    this.#timers.shift();
    this.#moveTo(next.dueMs);
    next.run();
    return true;
  }

  /** A timer may have moved time further than its caller did. */
  #moveTo(ms: number): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, ms);
  }

  /** Where it stands among the timers, or would. */
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
