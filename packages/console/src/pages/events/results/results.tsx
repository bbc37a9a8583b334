import { XIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { controlClass } from '../../../ui/fields.tsx';
import { FilterBox } from '../../../ui/list-page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { HeldEvents, LiveLine } from '../query/live-controls.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { EventRow, type ShownEvent } from './event-row.tsx';
import { FieldMenu, type OpenField } from './field-menu.tsx';
import { receiptOf } from './receipt.ts';

interface ResultsProps {
  readonly explorer: Explorer;
  readonly answer: OutputOf<'search_events'>;
}

const revealedStep = 20;

/** The events that were found, twenty more whenever the end comes into view. */
export function Results({ explorer, answer }: ResultsProps) {
  const { state, searches } = explorer;
  const { rows } = searches;
  const events = explorer.tail.rows;
  const [revealed, setRevealed] = useState(revealedStep);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const [openField, setOpenField] = useState<OpenField>();
  // Another answer begins at its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer is what changed.
  useEffect(() => setRevealed(revealedStep), [answer]);
  const found = useMemo(() => containing(events, state.find), [events, state.find]);
  const top = useRef<HTMLElement>(null);
  const isScrolled = useIsAbove(top);
  const isReading = isScrolled || openIds.size > 0;
  const { hold, release } = explorer.tail;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only reading begins and ends.
  useEffect(() => hold(isReading), [isReading]);
  const shown = found.slice(0, revealed);
  const isDim = rows.isOld || explorer.problem !== undefined;
  return (
    <>
      <header ref={top} className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        <p className="min-w-0 flex-1 basis-60 text-sm text-muted" aria-live="polite">
          {rows.isRunning ? 'Searching…' : receiptOf(answer)}
          {rows.isStopped && ' · '}
          {rows.isStopped && <Status kind="warn">stopped; showing earlier results</Status>}
        </p>
        <select
          aria-label="Order"
          value={state.sort}
          onChange={(event) =>
            explorer.search(event.target.value === 'asc' ? { sort: 'asc', live: 'off' } : { sort: 'desc' })
          }
          className={`${controlClass} w-auto!`}
        >
          <option value="desc">Newest first</option>
          <option value="asc">Oldest first</option>
        </select>
        <Button onClick={() => setOpenIds(new Set(shown.map(({ id }) => id)))}>Expand all</Button>
        <Button onClick={() => setOpenIds(new Set())} disabled={openIds.size === 0}>
          Collapse
        </Button>
        <div className="w-full sm:w-56">
          <FilterBox
            label="Filter these results"
            value={state.find}
            onChange={(find) => explorer.show({ find })}
          />
        </div>
      </header>
      {state.columns.length > 0 && (
        <ul aria-label="Columns" className="flex flex-wrap gap-1 border-b border-line px-3 py-1">
          {state.columns.map((field) => (
            <li
              key={field}
              className="flex items-center gap-0.5 rounded-md border border-line pl-2 text-xs text-body"
            >
              <span className="font-mono">{field}</span>
              <IconButton
                icon={XIcon}
                label={`Remove column ${field}`}
                className="size-6!"
                onClick={() => explorer.show({ columns: state.columns.filter((one) => one !== field) })}
              />
            </li>
          ))}
        </ul>
      )}
      <LiveLine explorer={explorer} />
      <HeldEvents
        explorer={explorer}
        onShow={() => {
          release();
          top.current?.scrollIntoView();
        }}
      />
      {rows.isRunning && <div className="h-0.5 animate-pulse bg-accent" />}
      {events.length === 0 ? (
        <NoEvents message={answer.message} />
      ) : found.length === 0 ? (
        <Empty title="No loaded event contains the text">
          Only the {events.length} loaded events are searched. Use the filter above to search all events.
        </Empty>
      ) : (
        <ol aria-label="Events" className={classNames(isDim && 'opacity-60')}>
          {shown.map((event) => (
            <EventRow
              key={event.id}
              explorer={explorer}
              event={event}
              isOpen={openIds.has(event.id)}
              onToggle={() => setOpenIds(toggled(openIds, event.id))}
              onField={(field, element) => setOpenField({ field, element })}
            />
          ))}
        </ol>
      )}
      {shown.length < found.length && (
        <More
          left={found.length - shown.length}
          onMore={() => setRevealed((before) => before + revealedStep)}
        />
      )}
      {state.find !== '' && found.length > 0 && (
        <p className="px-3 py-2 text-xs text-muted">
          {found.length} of the {events.length} loaded events contain the text.
        </p>
      )}
      <FieldMenu explorer={explorer} open={openField} onClose={() => setOpenField(undefined)} />
    </>
  );
}

function NoEvents({ message }: { readonly message: string | undefined }) {
  return (
    <Empty title={message === undefined ? 'No event matches' : 'No events yet'}>
      {message ?? 'Choose a longer time range or more types, or remove conditions from the filter.'}
    </Empty>
  );
}

/** Whether the page is scrolled past an element. */
function useIsAbove(element: RefObject<HTMLElement | null>): boolean {
  const [isAbove, setAbove] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry !== undefined) setAbove(!entry.isIntersecting && entry.boundingClientRect.top < 0);
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return isAbove;
}

/** Reveals more when it comes into view, and by a click. */
function More({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    observer.observe(button.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="flex justify-center p-2">
      <Button ref={button} kind="quiet" onClick={onMore}>
        Show more ({left} left)
      </Button>
    </div>
  );
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Events whose JSON contains the text, in any case. */
function containing(events: readonly ShownEvent[], text: string): readonly ShownEvent[] {
  if (text === '') return events;
  const wanted = text.toLowerCase();
  return events.filter((event) => JSON.stringify(event).toLowerCase().includes(wanted));
}
