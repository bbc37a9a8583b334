/** Events in memory of a page that follows them; the oldest are dropped first. */
export const tailRowsMax = 500;

interface TimedEvent {
  readonly time: string;
}

/** The events that arrived since the search. While a person reads, new ones are held back and only counted. */
export interface TailBuffer<Event extends TimedEvent> {
  /** The newest first. */
  readonly shown: readonly Event[];
  readonly held: readonly Event[];
  /** All that were held back, also those that were dropped. */
  readonly heldCount: number;
  /** All that arrived. */
  readonly arrivedCount: number;
  /** Whether so many came at once that some were left out. */
  readonly hasGap: boolean;
}

export const emptyBuffer: TailBuffer<never> = {
  shown: [],
  held: [],
  heldCount: 0,
  arrivedCount: 0,
  hasGap: false,
};

interface Arrival {
  readonly isHeld: boolean;
  /** Whether more events came than were read. */
  readonly hasMore: boolean;
}

export function withArrived<Event extends TimedEvent>(
  buffer: TailBuffer<Event>,
  events: readonly Event[],
  { isHeld, hasMore }: Arrival,
): TailBuffer<Event> {
  if (events.length === 0 && !(hasMore && !buffer.hasGap)) return buffer;
  const counted = {
    ...buffer,
    arrivedCount: buffer.arrivedCount + events.length,
    hasGap: buffer.hasGap || hasMore,
  };
  return isHeld
    ? {
        ...counted,
        held: newestFirst([...events, ...buffer.held]),
        heldCount: buffer.heldCount + events.length,
      }
    : { ...counted, shown: newestFirst([...events, ...buffer.shown]) };
}

/** Shows what was held back. */
export function released<Event extends TimedEvent>(buffer: TailBuffer<Event>): TailBuffer<Event> {
  if (buffer.heldCount === 0) return buffer;
  return { ...buffer, shown: newestFirst([...buffer.held, ...buffer.shown]), held: [], heldCount: 0 };
}

/** The rows of the page: what arrived, and below it what the search found. */
export function rowsWith<Event extends TimedEvent>(
  { shown }: TailBuffer<Event>,
  found: readonly Event[],
): readonly Event[] {
  return shown.length === 0 ? found : newestFirst([...shown, ...found]);
}

function newestFirst<Event extends TimedEvent>(events: readonly Event[]): readonly Event[] {
  return events.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time)).slice(0, tailRowsMax);
}
