import type { EventResponse } from '@weir/api';

/** Ids that are kept. More events than this in the overlap may be printed twice. */
const seenMax = 10_000;

/**
 * Which events were printed. Some come later than others that happened after them, so that every look reaches back over a part of the last one, and what
 * was printed is left out.
 */
export class SeenEvents {
  readonly #overlapMs: number;
  /** When each happened, by its id; the ones that were seen first come first. */
  readonly #seen = new Map<string, number>();
  #newestMs: number;

  constructor(startMs: number, overlapMs: number) {
    this.#newestMs = startMs + overlapMs;
    this.#overlapMs = overlapMs;
  }

  /** Where the next look begins. */
  get sinceMs(): number {
    return this.#newestMs - this.#overlapMs;
  }

  /** Those that were not seen before, which now they are. */
  fresh(events: readonly EventResponse[]): readonly EventResponse[] {
    const found = events.filter(({ id }) => !this.#seen.has(id));
    for (const { id, time } of found) {
      const timeMs = Date.parse(time);
      this.#seen.set(id, timeMs);
      this.#newestMs = Math.max(this.#newestMs, timeMs);
    }
    for (const [id, timeMs] of this.#seen)
      if (timeMs < this.sinceMs || this.#seen.size > seenMax) this.#seen.delete(id);
    return found;
  }
}
