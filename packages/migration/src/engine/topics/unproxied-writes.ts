import type { Clock } from '@weir/core';

/** Agents say every few seconds what they passed on, so that the newest of it is not counted yet. */
const usualWindowMs = 15_000;
/** How long writes past the agents are held against a cut-over. */
const risingMs = 30_000;

interface Reading {
  readonly atMs: number;
  readonly ahead: number;
  readonly forwarded: number;
}

/** How far the ends are ahead when the source got nothing without the agents. */
interface Base {
  ahead: number;
  readonly atMs: number;
  /** The most of the readings after the first one. */
  laterMost: number;
  isSettled: boolean;
}

/**
 * Counts what the source of a topic got without the agents, since the agents pass on what clients write: offsets that
 * its log grew by, less the records that agents say they passed on. They say so late, and so the least of the last
 * seconds counts.
 */
export class UnproxiedWrites {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windowMs: number;
  /** How far the ends are ahead of what agents say, over the last readings. */
  readonly #recent: Reading[] = [];
  #base: Base | undefined;
  #isKnown = false;
  #forwarded = 0;
  #counted = 0;
  /** What was counted before the leader, or an agent, began to count anew. */
  #before = 0;
  #roseMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonicMs'>, windowMs = usualWindowMs) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** Whether the topic was watched for long enough: before, nothing says that there are no such writes. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get count(): number {
    return this.#before + this.#counted;
  }

  /** Whether there were such writes lately. */
  get isRising(): boolean {
    return this.#clock.monotonicMs() - this.#roseMs < risingMs;
  }

  /**
   * Whether agents say that they passed on what the source got, up to a few seconds ago and but for what they may not
   * have said yet. Otherwise others may have begun to write, which counts as soon as it is certain.
   */
  get isExplained(): boolean {
    const [base, first, last] = [this.#base, this.#recent[0], this.#recent.at(-1)];
    if (base === undefined || first === undefined || last === undefined) return false;
    // A source that is slow to say its ends has no later reading than the last.
    const sinceMs = Math.min(this.#clock.monotonicMs() - this.#windowMs / 2, last.atMs);
    const notSaid = this.#forwarded - first.forwarded;
    const most = base.ahead + this.#counted + notSaid;
    return this.#recent.some(({ atMs, ahead }) => atMs >= sinceMs && ahead <= most);
  }

  /** `ends` was read before `forwarded`. Returns how many more there are. */
  read(ends: number, forwarded: number): number {
    const atMs = this.#clock.monotonicMs();
    if (this.#base === undefined || forwarded < this.#forwarded) {
      this.#before += this.#counted;
      this.#counted = 0;
      this.#recent.length = 0;
      this.#base = { ahead: ends - forwarded, atMs, laterMost: Number.NEGATIVE_INFINITY, isSettled: false };
    }
    this.#isKnown = atMs - this.#base.atMs > this.#windowMs;
    this.#forwarded = forwarded;
    const ahead = ends - forwarded;
    if (this.#recent.length > 0 && !this.#base.isSettled) this.#settle(this.#base, atMs, ahead);
    this.#recent.push({ atMs, ahead, forwarded });
    while (this.#recent.length > 1 && atMs - this.#recent[0]!.atMs > this.#windowMs) this.#recent.shift();
    const isFull = atMs - this.#recent[0]!.atMs >= this.#windowMs / 2;
    const least = Math.min(...this.#recent.map((one) => one.ahead)) - this.#base.ahead;
    if (!isFull || least <= this.#counted) return 0;
    const more = least - this.#counted;
    this.#counted = least;
    this.#roseMs = atMs;
    return more;
  }

  /**
   * The first ends may have had records that agents said only later. These must not make up for records of others: if
   * the ends were less far ahead at all readings of the first seconds, that is the base. What agents always say a
   * little late stays within it.
   */
  #settle(base: Base, atMs: number, ahead: number): void {
    base.laterMost = Math.max(base.laterMost, ahead);
    if (atMs - base.atMs < this.#windowMs / 2) return;
    base.ahead = Math.min(base.ahead, base.laterMost);
    base.isSettled = true;
  }
}
