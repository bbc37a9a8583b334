import type { EventResponse } from '@weir/api';

/** Ids in memory. If more events than this are in the overlap, some may be printed twice. */
const seenMax = 10_000;

/**
 * The events that were already printed. Events may arrive out of order, so every poll overlaps the previous one, and
 * events that were printed are skipped.
 */
export class SeenEvents {
  readonly #overlapMs: number;
  /** Event times by event id, in the order of printing. */
  readonly #seen = new Map<string, number>();
  #newestMs: number;

  constructor(startMs: number, overlapMs: number) {
    this.#newestMs = startMs + overlapMs;
    this.#overlapMs = overlapMs;
  }

  /** Start of the next poll. */
  get sinceMs(): number {
    return this.#newestMs - this.#overlapMs;
  }

  /** Returns the events that are new, and marks them as seen. */
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
