import { KiB } from '@weir/core';

/**
 * How long a small file waits for clients that were just answered: longer than a nearby client needs to send its next
 * request.
 */
const patienceMs = 1;

/** Distance between files, in multiples of the time from close to commit of one file. */
const spacing = 4;

/** Upper bound of that distance, so that slow files do not delay requests further. */
const distanceMsMax = 16;

/**
 * Lower bound of that distance if files are larger than `smallFileBytes` on average: in memory a file takes less than a
 * millisecond, but hundreds of them per second take a tenth of a core. Clients with little to send do not wait.
 */
const distanceMsMin = 8;
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
    return (
      this.#lastClosedMs + Math.min(Math.max(spacing * this.#fileMs, this.#distanceMsMin), distanceMsMax)
    );
  }

  get #distanceMsMin(): number {
    return this.#fileBytes > smallFileBytes ? distanceMsMin : 0;
  }

  /** When a file is due that gathered while the previous one was in flight, whose clients may send again. */
  dueMsAfterAnswers(nowMs: number): number {
    return Math.max(nowMs + patienceMs, this.dueMs);
  }
}
