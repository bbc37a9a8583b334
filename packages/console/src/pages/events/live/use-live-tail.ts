import type { CallOf, OutputOf } from '@weir/api/client';
import { pauseUnlessStopped, systemClock } from '@weir/core';
import { EventTail, tailOverlapMs, tailPollMs } from '@weir/events/event-tail';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { call } from '../../../api/client.ts';
import { inTurn } from '../search-queue.ts';
import { emptyBuffer, released, rowsWith, type TailBuffer, withArrived } from './tail-buffer.ts';

type Answer = OutputOf<'search_events'>;
type Event = Answer['events'][number];
type Input = Omit<CallOf<'search_events'>, 'time_range' | 'sort' | 'cursor'>;

/** Calls of one poll. What more events came is left out, and the page says so. */
const pagesMax = 5;
/** After failures the next polls wait longer: 2, 4, 8, 16, 32 s. */
const slowdownsMax = 4;

export interface LiveTail {
  /** What arrived and what the search found, the newest first. */
  readonly rows: readonly Event[];
  readonly buffer: TailBuffer<Event>;
  /** Why the last poll failed. It is tried again. */
  readonly error: unknown;
  /** Holds new events back, while a person reads; or shows them. */
  hold(isHeld: boolean): void;
  /** Shows those that were held back. */
  release(): void;
}

interface LiveTailOptions {
  /** What is searched, without its time. */
  readonly input: Input;
  /** What the search found, or the one before it. */
  readonly answer: Answer | undefined;
  /** Whether that is the answer to this search. */
  readonly isCurrent: boolean;
  readonly isOn: boolean;
  /** Called after every few polls, for what shows the same events in another way. */
  readonly onPolled: () => void;
}

/** Adds events as they arrive to those that a search found. It polls while the page is seen. */
export function useLiveTail({ input, answer, isCurrent, isOn, onPolled }: LiveTailOptions): LiveTail {
  const found = isCurrent ? answer : undefined;
  const [tailed, setTailed] = useState<Tailed>({ found, buffer: emptyBuffer });
  // Events that arrived after another search are none of this one.
  const buffer = tailed.found === found ? tailed.buffer : emptyBuffer;
  const setBuffer = (change: (before: TailBuffer<Event>) => TailBuffer<Event>) =>
    setTailed((before) => ({
      found,
      buffer: change(before.found === found ? before.buffer : emptyBuffer),
    }));
  const [error, setError] = useState<unknown>();
  const isHeld = useRef(false);
  const isSeen = usePageSeen();
  const latest = useRef({ input, onPolled });
  latest.current = { input, onPolled };
  const tail = useRef<EventTail>(undefined);
  // Another search begins anew. A pause does not.
  useEffect(() => {
    setError(undefined);
    tail.current = new EventTail(systemClock.nowMs() - tailOverlapMs);
    tail.current.fresh(found?.events ?? []);
  }, [found]);
  const isPolling = isOn && isSeen && found !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search is another tail.
  useEffect(() => {
    if (!isPolling) return;
    const stop = new AbortController();
    void poll({
      signal: stop.signal,
      search: () => newEvents(tail.current!, latest.current.input, stop.signal),
      onEvents: ({ events, hasMore }) => {
        setError(undefined);
        setBuffer((before) => withArrived(before, events, { isHeld: isHeld.current, hasMore }));
        latest.current.onPolled();
      },
      onFailure: setError,
    });
    return () => stop.abort();
  }, [isPolling, found]);
  const rows = useMemo(() => rowsWith(buffer, answer?.events ?? []), [buffer, answer]);
  return {
    rows,
    buffer,
    error,
    hold(held) {
      isHeld.current = held;
      if (!held) setBuffer(released);
    },
    release: () => setBuffer(released),
  };
}

interface Tailed {
  readonly found: Answer | undefined;
  readonly buffer: TailBuffer<Event>;
}

interface NewEvents {
  readonly events: readonly Event[];
  readonly hasMore: boolean;
}

interface Polling {
  readonly signal: AbortSignal;
  readonly search: () => Promise<NewEvents>;
  readonly onEvents: (found: NewEvents) => void;
  readonly onFailure: (error: unknown) => void;
}

async function poll({ signal, search, onEvents, onFailure }: Polling): Promise<void> {
  let slowdowns = 0;
  for (;;) {
    await pauseUnlessStopped(systemClock, tailPollMs * 2 ** slowdowns, signal);
    if (signal.aborted) return;
    try {
      const found = await search();
      if (signal.aborted) return;
      slowdowns = 0;
      onEvents(found);
    } catch (error) {
      if (signal.aborted) return;
      slowdowns = Math.min(slowdowns + 1, slowdownsMax);
      onFailure(error);
    }
  }
}

/** The newest first, so that what is left out of many events is the oldest of them. */
async function newEvents(tail: EventTail, input: Input, signal: AbortSignal): Promise<NewEvents> {
  const time_range = tail.windowAt(systemClock.nowMs());
  const events: Event[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < pagesMax && cursor !== null; pages++) {
    const next = cursor === undefined ? {} : { cursor };
    const page = await inTurn(signal, () =>
      call('search_events', { ...input, time_range, sort: 'desc', ...next }, signal),
    );
    events.push(...tail.fresh(page.events));
    cursor = page.next_cursor;
  }
  return { events, hasMore: cursor !== null };
}

const onVisibility = (onChange: () => void) => {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
};

/** Whether the page is on a screen rather than in another tab. */
function usePageSeen(): boolean {
  return useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
}
