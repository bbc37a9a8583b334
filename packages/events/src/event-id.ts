import type { Random } from '@weir/core';

/** A table of three hexadecimal digits per number: a lookup is much cheaper than formatting. */
const digits = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));
const variants = '89ab';

/**
 * Makes unique event ids: UUIDs of version 7, ordered by time. Ids of one millisecond share the timestamp and a random
 * tail that is drawn per millisecond and when the counter overflows; a counter between the two distinguishes them
 * (RFC 9562, method 1).
 */
export class EventIds {
  readonly #random: Random;
  #timeMs = Number.NaN;
  #count = digits.length;
  /** The parts of the id before and after the three counter digits. */
  head = '';
  tail = '';

  constructor(random: Random) {
    this.#random = random;
  }

  next(timeMs: number): string {
    const counted = this.count(timeMs);
    return `${this.head}${counted}${this.tail}`;
  }

  /**
   * Returns the three counter digits of the next id, for callers that assemble the id themselves. A tail is used with
   * one head only.
   */
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
