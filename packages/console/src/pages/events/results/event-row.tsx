import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { formatTime } from '../../../format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { CopyButton, copy } from '../../../ui/copy-button.tsx';
import { Status, type StatusKind } from '../../../ui/status.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { columnText, columnTitle } from './column-text.ts';
import { eventSummary } from './event-summary.ts';
import { type ClickedField, JsonView } from './json-view.tsx';

export type ShownEvent = OutputOf<'search_events'>['events'][number];

interface EventRowProps {
  readonly explorer: Explorer;
  readonly event: ShownEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onField: (field: ClickedField, element: Element) => void;
}

/** An event in one line: when, how serious, of what type, and a sentence. Below it, when opened, all of it. */
export function EventRow({ explorer, event, isOpen, onToggle, onField }: EventRowProps) {
  const { zone, columns } = explorer.state;
  const summary = eventSummary(event as never);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  return (
    <li className="border-b border-line last:border-b-0">
      <button
        type="button"
        data-event-row={event.id}
        aria-expanded={isOpen}
        onClick={onToggle}
        className="grid w-full grid-cols-[1rem_9.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2 sm:grid-cols-[1rem_9.5rem_4.5rem_8.5rem_minmax(0,1fr)]"
      >
        <Chevron aria-hidden="true" className="size-4 text-muted" />
        <time
          dateTime={event.time}
          title={`${formatTime(event.time, 'local', true)} local, ${event.time}`}
          className="font-mono text-xs whitespace-nowrap text-muted"
        >
          {formatTime(event.time, zone, true).slice(5)}
        </time>
        <span className="text-xs">
          <Level event={event} />
        </span>
        <span className="col-start-2 truncate font-mono text-xs text-muted sm:col-start-auto">
          {event.type}
        </span>
        {columns.length > 0 && (
          <span className="col-span-2 col-start-2 flex min-w-0 flex-wrap gap-x-4 text-xs sm:col-span-1 sm:col-start-auto">
            {columns.map((field) => (
              <span key={field} className="max-w-full truncate">
                <span className="text-muted">{columnTitle(field)}</span>{' '}
                <bdi className="font-medium text-ink">{columnText(event, field)}</bdi>
              </span>
            ))}
          </span>
        )}
        <bdi
          title={summary}
          className={classNames(
            'col-span-2 col-start-2 text-ink sm:col-span-1',
            columns.length > 0 ? 'sm:col-start-5' : 'sm:col-start-auto',
            isOpen ? 'break-words' : 'line-clamp-2 break-words sm:line-clamp-1 sm:break-all',
          )}
        >
          {summary}
        </bdi>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 px-3 pb-3 sm:pl-10">
          <JsonView value={event} label={`The event ${event.id}`} onField={onField} />
          <div className="flex flex-wrap items-center gap-1">
            <CopyButton text={JSON.stringify(event, null, 2)} what="the event as JSON" />
            <Button kind="quiet" onClick={() => explorer.show({ event: event.id, near: event.time })}>
              Show surrounding events
            </Button>
            <Button
              kind="quiet"
              onClick={() => copy({ text: linkTo(explorer.clusterId, event), what: 'the link to the event' })}
            >
              Copy link
            </Button>
          </div>
        </div>
      )}
    </li>
  );
}

/** The event by itself, whatever is searched. */
function linkTo(clusterId: string, { id, time }: ShownEvent): string {
  const path = `/clusters/${encodeURIComponent(clusterId)}/events`;
  return `${location.origin}${path}?${new URLSearchParams({ event: id, near: time })}`;
}

const levels: Readonly<Record<string, StatusKind>> = {
  error: 'fail',
  critical: 'fail',
  high: 'fail',
  warn: 'warn',
  medium: 'warn',
  info: 'info',
  low: 'info',
  debug: 'muted',
};

const levelCharsMax = 8;

function Level({ event }: { readonly event: ShownEvent }) {
  const level = [event.data.log_level, event.data.severity].find((one) => typeof one === 'string');
  if (typeof level !== 'string') return null;
  return <Status kind={levels[level] ?? 'muted'}>{level.slice(0, levelCharsMax)}</Status>;
}
