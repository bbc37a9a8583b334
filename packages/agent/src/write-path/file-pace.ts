/** How long a small file waits for the clients that were just answered: longer than a client nearby takes to send the next request. */
const patienceMs = 1;

/** How far apart files are, in multiples of what one takes from its close to its commit. */
const spacing = 4;

/** No request waits longer for the distance between files, however slow they are. */
const distanceMsMax = 16;

/** The part that a new file has in what files take. */
const newPart = 1 / 4;

/**
 * How far apart small files are closed where the store charges nothing per request. A file costs about as much work as a megabyte of
 * records, so that requests which come in quick succession should share one. What a file takes says what it costs here and
 * now: on a busy machine files are further apart, which leaves it the time for everything else.
 *
 * It is a bound for clients that send by the clock. Clients that wait for their answers are counted, and a file is closed as soon as all of
 * them are in it.
 */
export class FilePace {
  /** What a file takes from its close to its commit, on average. */
  #fileMs = 0;
  /** How many requests were answered with the last file. */
  #answeredAppends = 0;
  #lastClosedMs = Number.NEGATIVE_INFINITY;

  closed(nowMs: number): void {
    this.#lastClosedMs = nowMs;
  }

  /** A file is committed and its requests are answered. */
  committed(fileMs: number, answeredAppends: number): void {
    this.#fileMs += (fileMs - this.#fileMs) * newPart;
    this.#answeredAppends = answeredAppends;
  }

  /** When the next file is due after others. */
  get dueMs(): number {
    return this.#lastClosedMs + Math.min(spacing * this.#fileMs, distanceMsMax);
  }

  /** When a file is due that gathered while the one before it was under way, whose clients may come again. */
  dueMsAfterAnswers(nowMs: number): number {
    return Math.max(nowMs + patienceMs, this.dueMs);
  }

  /** How many requests may come again. */
  get expectedAppends(): number {
    return this.#answeredAppends;
  }
}
