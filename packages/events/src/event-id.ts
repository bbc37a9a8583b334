import type { Random } from '@weir/core';

/** Three hexadecimal digits each: to look them up takes a fraction of the time that it takes to write them. */
const digits = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));
const variants = '89ab';

/**
 * Makes ids that no other event has, UUIDs of version 7: ids of later events come later. Those of one millisecond have in common the time, and what
 * tells them from those of others, which is drawn anew for each millisecond. Between the two they are counted, as the standard has it for those who
 * make many.
 */
export class EventIds {
  readonly #random: Random;
  #timeMs = Number.NaN;
  #count = digits.length;
  /** What stands before and behind the three digits that are counted. */
  head = '';
  tail = '';

  constructor(random: Random) {
    this.#random = random;
  }

  next(timeMs: number): string {
    const counted = this.count(timeMs);
    return `${this.head}${counted}${this.tail}`;
  }

  /** The three digits of the next id, for those who write it themselves. No other ids have its tail than those of its head. */
  count(timeMs: number): string {
    if (timeMs !== this.#timeMs || this.#count === digits.length) this.#begin(timeMs);
    return digits[this.#count++]!;
  }

  #begin(timeMs: number): void {
    const time = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0').slice(-12);
    const some = () => digits[this.#random.below(digits.length)]!;
    this.#timeMs = timeMs;
    this.#count = 0;
    this.head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    this.tail = `-${variants[this.#random.below(4)]}${some()}-${some()}${some()}${some()}${some()}`;
  }
}
