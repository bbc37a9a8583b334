import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { formatCount } from '../../format/format.ts';
import { cutText, visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { controlClass } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import { usefulFirst } from './facet-order.ts';
import { groupBy } from './results/field-menu.tsx';
import type { Explorer } from './state/use-explorer.ts';

type ListedField = OutputOf<'list_event_fields'>['fields'][number];

const valueCharsMax = 120;

/** The fields that the events have: how many events, and the most frequent values. */
export function FieldsPanel({ explorer }: { readonly explorer: Explorer }) {
  const { answer } = explorer.searches.fields;
  const [text, setText] = useState('');
  const [openName, setOpenName] = useState<string>();
  const [isShownOnPhone, setShownOnPhone] = useState(false);
  if (answer === undefined) return <div className="hidden md:block" />;
  const wanted = text.toLowerCase();
  const fields = usefulFirst(answer.fields).filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Card
      title={`Fields (${formatCount(answer.fields.length)})`}
      actions={
        <Button kind="quiet" className="md:hidden" onClick={() => setShownOnPhone(!isShownOnPhone)}>
          {isShownOnPhone ? 'Hide' : 'Show'}
        </Button>
      }
    >
      <div className={isShownOnPhone ? '' : 'hidden md:block'}>
        <div className="border-b border-line p-2">
          <input
            type="search"
            aria-label="Find a field"
            placeholder="Find a field"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className={controlClass}
          />
        </div>
        <ul className="max-h-[40rem] overflow-y-auto py-1">
          {fields.map((field) => (
            <FacetField
              key={field.name}
              explorer={explorer}
              field={field}
              sampled={answer.sampled_events}
              isOpen={openName === field.name}
              onToggle={() => setOpenName(openName === field.name ? undefined : field.name)}
            />
          ))}
        </ul>
        <p className="border-t border-line px-3 py-2 text-xs text-muted">
          {answer.is_sample
            ? `Counted in the newest ${formatCount(answer.sampled_events)} events only.`
            : `Counted in all ${formatCount(answer.sampled_events)} events.`}
        </p>
      </div>
    </Card>
  );
}

interface FacetFieldProps {
  readonly explorer: Explorer;
  readonly field: ListedField;
  readonly sampled: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function FacetField({ explorer, field, sampled, isOpen, onToggle }: FacetFieldProps) {
  const coverage = sampled === 0 ? 0 : Math.round((field.events / sampled) * 100);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  const most = Math.max(1, ...field.top_values.map(({ events }) => events));
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        title={`${formatCount(field.distinct_values)} values, in ${coverage} % of the events`}
        className="flex w-full items-center gap-1.5 px-2 py-1 text-left hover:bg-hover focus-visible:-outline-offset-2"
      >
        <Chevron aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        <bdi className="min-w-0 flex-1 truncate font-mono text-xs text-ink">{visibleText(field.name)}</bdi>
        <span className="text-xs text-muted tabular-nums">{formatCount(field.distinct_values)}</span>
        <span className="w-9 text-right text-xs text-muted tabular-nums">{coverage}%</span>
      </button>
      {isOpen && (
        <div className="pb-1">
          {field.top_values.map(({ value, events }) => (
            <FacetValue
              key={`${typeof value} ${value}`}
              explorer={explorer}
              name={field.name}
              value={value}
              events={events}
              share={events / most}
            />
          ))}
          <Button
            kind="quiet"
            className="ml-5 h-7! px-2! text-xs!"
            onClick={() => groupBy(explorer, field.name)}
          >
            Group timeline by this field
          </Button>
        </div>
      )}
    </li>
  );
}

interface FacetValueProps {
  readonly explorer: Explorer;
  readonly name: string;
  readonly value: string | number | boolean;
  readonly events: number;
  readonly share: number;
}

function FacetValue({ explorer, name, value, events, share }: FacetValueProps) {
  const shown = visibleText(cutText(String(value), valueCharsMax));
  return (
    <div className="group relative mx-2 ml-7 flex items-center gap-1 rounded hover:bg-hover">
      <div
        aria-hidden="true"
        className="absolute inset-y-0.5 left-0 rounded bg-accent-soft"
        style={{ width: `${Math.max(2, share * 100)}%` }}
      />
      <button
        type="button"
        title={`Only events with ${shown}`}
        onClick={() => explorer.addCondition(name, '==', value)}
        className="relative flex min-w-0 flex-1 items-center gap-2 rounded px-1 py-0.5 text-left text-xs"
      >
        <bdi className="min-w-0 flex-1 truncate text-ink">{shown === '' ? '(empty)' : shown}</bdi>
        <span className="text-body tabular-nums">{formatCount(events)}</span>
      </button>
      <button
        type="button"
        aria-label={`Without ${shown}`}
        title={`Without ${shown}`}
        onClick={() => explorer.addCondition(name, '!=', value)}
        className="relative size-6 rounded font-mono text-xs text-muted hover:text-ink"
      >
        ≠
      </button>
    </div>
  );
}
