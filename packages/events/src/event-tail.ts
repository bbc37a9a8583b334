import { eventLimits } from './limits.ts';

/** How often a tail searches for new events. */
export const tailPollMs = 2_000;
/** How late an event may arrive and still be found. */
export const tailOverlapMs = 15_000;
/** Ids in memory. If more events than this are in the overlap, some may be returned twice. */
const seenMax = 10_000;

interface TailedEvent {
  readonly id: string;
  readonly time: string;
}

/**
 * What a tail has to search next, and which of the events that it found are new. Events may arrive out of order, so
 * every search overlaps the one before, and events that were already found are skipped.
 */
export class EventTail {
  /** Event times by event id, in the order in which they were found. */
  readonly #seen = new Map<string, number>();
  #newestMs: number;

  constructor(startMs: number) {
    this.#newestMs = startMs + tailOverlapMs;
  }

  /** The time of the next search. After a long pause it begins later than the last one ended: a day is the most. */
  windowAt(nowMs: number): { readonly start: string; readonly end: string } {
    // The clocks of agents may be ahead of this one.
    const endMs = nowMs + tailOverlapMs;
    const startMs = Math.max(this.#sinceMs, endMs - eventLimits.eventsWindowMsMax);
    return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
  }

  /** Returns the events that are new, and marks them as found. */
  fresh<Event extends TailedEvent>(events: readonly Event[]): readonly Event[] {
    const found = events.filter(({ id }) => !this.#seen.has(id));
    for (const { id, time } of found) {
      const timeMs = Date.parse(time);
      this.#seen.set(id, timeMs);
      this.#newestMs = Math.max(this.#newestMs, timeMs);
    }
    for (const [id, timeMs] of this.#seen)
      if (timeMs < this.#sinceMs || this.#seen.size > seenMax) this.#seen.delete(id);
    return found;
  }

  get #sinceMs(): number {
    return this.#newestMs - tailOverlapMs;
  }
}
