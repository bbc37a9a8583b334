import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { controlClass } from '../../../ui/fields.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { knownFields } from '../filter/known-fields.ts';
import { type Aggregation, aggregations } from '../state/explorer-state.ts';
import type { Explorer } from '../state/use-explorer.ts';

const titles: Readonly<Record<Aggregation, string>> = {
  count: 'Count',
  avg: 'Avg',
  max: 'Max',
  min: 'Min',
  sum: 'Sum',
};

/** How the timeline is drawn, by what it is grouped, and what its values are. */
export function TimelineControls({ explorer }: { readonly explorer: Explorer }) {
  const { state } = explorer;
  // A field is chosen after the aggregation; until then the chart counts.
  const [aggregation, setAggregation] = useState(state.aggregation);
  useEffect(() => setAggregation(state.aggregation), [state.aggregation]);
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 py-0.5">
      <FieldInput
        explorer={explorer}
        label="Group by"
        value={state.groupBy}
        onChange={(groupBy) => explorer.search({ groupBy, thenBy: groupBy === '' ? '' : state.thenBy })}
      />
      {state.groupBy !== '' && (
        <FieldInput
          explorer={explorer}
          label="then by"
          value={state.thenBy}
          onChange={(thenBy) => explorer.search({ thenBy })}
        />
      )}
      <select
        aria-label="Aggregation"
        value={aggregation}
        onChange={(event) => {
          const chosen = event.target.value as Aggregation;
          setAggregation(chosen);
          if (chosen === 'count') explorer.search({ aggregation: 'count', field: '' });
          else if (state.field !== '') explorer.search({ aggregation: chosen });
        }}
        className={`${controlClass} w-auto!`}
      >
        {aggregations.map((name) => (
          <option key={name} value={name}>
            {titles[name]}
          </option>
        ))}
      </select>
      {aggregation !== 'count' && (
        <FieldInput
          explorer={explorer}
          label="of the field"
          value={state.field}
          onChange={(field) => explorer.search({ aggregation: field === '' ? 'count' : aggregation, field })}
        />
      )}
      <Segmented
        label="How the timeline is drawn"
        choices={[
          { name: 'lines', title: 'Lines' },
          { name: 'bars', title: 'Bars' },
          { name: 'table', title: 'Table' },
        ]}
        value={state.chart === 'off' ? 'bars' : state.chart}
        onChange={(chart) => explorer.show({ chart })}
      />
    </div>
  );
}

interface FieldInputProps {
  readonly explorer: Explorer;
  readonly label: string;
  readonly value: string;
  readonly onChange: (field: string) => void;
}

/** A field by its name. It applies on Enter, when it is left, and when one of the offered names is chosen. */
function FieldInput({ explorer, label, value, onChange }: FieldInputProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const list = useId();
  const fields = knownFields(explorer.effective.types, explorer.searches.fields.answer?.fields);
  const apply = (next: string) => {
    if (next.trim() !== value) onChange(next.trim());
  };
  return (
    <>
      <datalist id={list}>
        {fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        list={list}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          const isChosen = fields.some(({ name }) => name === event.target.value);
          if (isChosen || event.target.value === '') apply(event.target.value);
        }}
        onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && apply(text)}
        onBlur={() => apply(text)}
        className={`${controlClass} w-44! font-mono text-xs!`}
      />
    </>
  );
}
