import { useClusterOperation } from '../../api/use-cluster.ts';
import { formatTime } from '../../format/format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Answer } from '../../ui/states.tsx';
import type { ShownEvent } from './results/event-row.tsx';
import { eventSummary } from './results/event-summary.ts';
import { JsonView } from './results/json-view.tsx';
import type { Explorer } from './state/use-explorer.ts';

const neighbours = 10;

/** An event by itself, with those before and after it. The URL names it, so that a link opens it. */
export function EventSheet({ explorer }: { readonly explorer: Explorer }) {
  const { state } = explorer;
  return (
    <Dialog
      isOpen={state.event !== ''}
      onClose={() => explorer.show({ event: '', near: '' })}
      title="Event"
      description={state.event}
      isSheet
    >
      {state.event !== '' && <EventContent explorer={explorer} />}
    </Dialog>
  );
}

function EventContent({ explorer }: { readonly explorer: Explorer }) {
  const { event, near, zone } = explorer.state;
  const found = useClusterOperation('get_event', {
    event_id: event,
    ...(near === '' ? {} : { near }),
    neighbors: neighbours,
  });
  const open = (one: ShownEvent) => explorer.show({ event: one.id, near: one.time });
  return (
    <Answer of={found} what="find the event">
      {(answer) => (
        <div className="flex flex-col gap-3">
          <Neighbours title="Events before" events={answer.before} zone={zone} onOpen={open} />
          <section aria-label="The event" className="flex flex-col gap-2 rounded-md border border-accent p-3">
            <div className="flex items-start gap-2">
              <p className="min-w-0 flex-1 text-base font-medium break-words text-ink">
                <bdi>{eventSummary(answer.event as never)}</bdi>
              </p>
              <CopyButton text={JSON.stringify(answer.event, null, 2)} what="the event as JSON" />
            </div>
            <p className="font-mono text-xs text-muted">
              {formatTime(answer.event.time, zone, true)} · {answer.event.type}
            </p>
            <JsonView value={answer.event} label="The event as JSON" />
          </section>
          <Neighbours title="Events after" events={answer.after} zone={zone} onOpen={open} />
        </div>
      )}
    </Answer>
  );
}

interface NeighboursProps {
  readonly title: string;
  readonly events: readonly ShownEvent[];
  readonly zone: 'local' | 'utc';
  readonly onOpen: (event: ShownEvent) => void;
}

function Neighbours({ title, events, zone, onOpen }: NeighboursProps) {
  return (
    <section aria-label={title}>
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {events.length === 0 && <p className="text-sm text-muted">None</p>}
      <ul>
        {events.map((event) => (
          <li key={event.id}>
            <button
              type="button"
              onClick={() => onOpen(event)}
              className="flex w-full min-w-0 items-baseline gap-2 rounded px-1 py-1 text-left hover:bg-hover"
            >
              <span className="shrink-0 font-mono text-xs text-muted">
                {formatTime(event.time, zone, true).slice(11)}
              </span>
              <span className="shrink-0 font-mono text-xs text-muted">{event.type}</span>
              <bdi className="min-w-0 flex-1 truncate text-sm text-ink">{eventSummary(event as never)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
