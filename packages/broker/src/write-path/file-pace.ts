import { KiB } from '@weir/core';

/**
 * How long a small file waits for clients that were just answered: longer than a nearby client needs to send its next
 * request.
 */
const patienceMs = 1;

/** How far apart small files are. */
interface Pace {
  /** Their distance, in multiples of the time from close to commit of one file. */
  readonly spacing: number;
  /** Upper bound of that distance, so that slow files do not delay requests further. */
  readonly distanceMsMax: number;
  /**
   * Lower bound of that distance if files are larger than `smallFileBytes` on average: in memory a file takes less than
   * a millisecond, but hundreds of them per second take a tenth of a core. Clients with little to send do not wait.
   */
  readonly distanceMsMin: number;
}

export const filePace: Pace = { spacing: 4, distanceMsMax: 16, distanceMsMin: 8 };

/** Of files that their commits store: those cost one write. */
export const committedFilePace: Pace = { spacing: 2, distanceMsMax: 6, distanceMsMin: 4 };

const smallFileBytes = 64 * KiB;

/** Weight of a new file in the moving average. */
const newPart = 1 / 4;

/**
 * Spaces out small files if the store does not charge per request. A file costs about as much work as a megabyte of
 * records, so requests that arrive in quick succession should share one. The duration of a file shows its current cost:
 * on a busy machine files are further apart, which leaves time for other work.
 *
 * This is a bound for clients that send at a fixed rate. A file whose clients all wait for their answers is closed at
 * once: see `outstanding-appends.ts`.
 */
export class FilePace {
  /** Moving average of the time from close to commit. */
  #fileMs = 0;
  /** Moving average of the size. */
  #fileBytes = 0;
  #lastClosedMs = Number.NEGATIVE_INFINITY;
  readonly #pace: () => Pace;

  constructor(pace: () => Pace = () => filePace) {
    this.#pace = pace;
  }

  closed(nowMs: number): void {
    this.#lastClosedMs = nowMs;
  }

  /** Called when a file is committed. */
  committed(fileMs: number, fileBytes: number): void {
    this.#fileMs += (fileMs - this.#fileMs) * newPart;
    this.#fileBytes += (fileBytes - this.#fileBytes) * newPart;
  }

  /** When the next file is due. */
  get dueMs(): number {
    const { spacing, distanceMsMin, distanceMsMax } = this.#pace();
    const leastMs = this.#fileBytes > smallFileBytes ? distanceMsMin : 0;
    return this.#lastClosedMs + Math.min(Math.max(spacing * this.#fileMs, leastMs), distanceMsMax);
  }

  /** When a file is due that gathered while the previous one was in flight, whose clients may send again. */
  dueMsAfterAnswers(nowMs: number): number {
    return Math.max(nowMs + patienceMs, this.dueMs);
  }
}
