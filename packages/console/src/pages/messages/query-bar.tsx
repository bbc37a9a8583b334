import { type FormEvent, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/editor/code-editor.tsx';
import { filterLanguage } from '../../ui/editor/filter-language.ts';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { decoders, readDecoder } from './state/decoders.ts';
import { limitDefault, type MessagesSearch, type Start, startOf } from './state/messages-search.ts';
import { filterFields, openNames } from './state/record-fields.ts';
import type { TopicRecord } from './state/records.ts';

interface QueryBarProps {
  readonly search: MessagesSearch;
  readonly partitionCount: number;
  readonly isRunning: boolean;
  readonly onRun: (search: MessagesSearch) => void;
  readonly onStop: () => void;
  /** Whether another button of the page is what to press next. */
  readonly isSecondary: boolean;
  /** The records of the page, whose fields completion offers. */
  readonly records: readonly TopicRecord[];
  /** What is wrong with the filter. */
  readonly filterProblem: string | undefined;
}

/** More partitions than this are typed, not chosen. */
const listedPartitionsMax = 200;

/** Records whose fields are looked for when a person types. */
const completedRecordsMax = 50;

/** Where to read, how many, and which records. Nothing runs before it is asked for. */
export function QueryBar(props: QueryBarProps) {
  const { search, partitionCount, isRunning, onRun, onStop, isSecondary, filterProblem } = props;
  const form = useRef<HTMLFormElement>(null);
  const [filter, setFilter] = useState(search.filter ?? '');
  const records = useRef(props.records);
  records.current = props.records;
  // A new array would make a new editor, and the cursor would be lost.
  const extensions = useMemo(
    () => filterLanguage(() => filterFields(records.current.slice(0, completedRecordsMax)), openNames),
    [],
  );
  const [start, setStart] = useState<Start>(startOf(search));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
    const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
    const time = text('time');
    onRun({
      partition: number('partition'),
      start,
      offset: start === 'offset' ? (number('offset') ?? 0) : undefined,
      time: start === 'time' && time !== undefined ? new Date(time).toISOString() : undefined,
      limit: number('limit'),
      contains: String(fields.get('text') ?? '') || undefined,
      case: fields.get('case') === null ? undefined : true,
      filter: filter.trim() || undefined,
      keyAs: readDecoder(fields.get('key_as')),
      valueAs: readDecoder(fields.get('value_as')),
      live: start === 'newest' ? search.live : undefined,
    });
  };
  return (
    <form ref={form} aria-label="Read records" onSubmit={submit} className="flex flex-col gap-3 p-4">
      <div className="grid grid-cols-2 items-start gap-3 sm:flex sm:*:w-40">
        {partitionCount <= listedPartitionsMax ? (
          <SelectField
            label="Partition"
            name="partition"
            defaultValue={search.partition ?? ''}
            options={[
              ['', 'All'],
              ...Array.from({ length: partitionCount }, (_, nth) => [String(nth), String(nth)] as const),
            ]}
          />
        ) : (
          <TextField
            label="Partition"
            name="partition"
            type="number"
            min={0}
            max={partitionCount - 1}
            placeholder="All"
            defaultValue={search.partition ?? ''}
          />
        )}
        <SelectField
          label="Start"
          name="start"
          value={start}
          onChange={(event) => setStart(event.target.value as Start)}
          options={[
            ['newest', 'Newest'],
            ['oldest', 'Oldest'],
            ['offset', 'Offset'],
            ['time', 'Time'],
          ]}
        />
        {start === 'offset' ? (
          <TextField
            label="Offset"
            name="offset"
            type="number"
            min={0}
            defaultValue={search.offset ?? 0}
            required
          />
        ) : start === 'time' ? (
          <TextField
            label="Time (local)"
            name="time"
            type="datetime-local"
            step={1}
            defaultValue={localInput(search.time)}
            required
          />
        ) : null}
        <TextField
          label="Limit"
          name="limit"
          type="number"
          min={1}
          max={500}
          defaultValue={search.limit ?? limitDefault}
        />
        <SelectField
          label="Decode keys"
          name="key_as"
          defaultValue={search.keyAs ?? 'auto'}
          options={decoders}
        />
        <SelectField
          label="Decode values"
          name="value_as"
          defaultValue={search.valueAs ?? 'auto'}
          options={decoders}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto]">
        <div className="flex flex-col gap-1.5">
          <TextField label="Contains" name="text" maxLength={256} defaultValue={search.contains ?? ''}>
            Text in key, value or headers.
          </TextField>
          <Checkbox name="case" label="Match case" defaultChecked={search.case === true} />
        </div>
        <div className="flex min-w-0 flex-col gap-1">
          <span aria-hidden="true" className="text-sm font-medium text-ink">
            Filter
          </span>
          <CodeEditor
            label="Filter"
            value={filter}
            placeholder={'value.total > 100 and headers.source == "web"'}
            isOneLine
            extensions={extensions}
            onChange={setFilter}
            onSubmit={() => form.current?.requestSubmit()}
          />
          <p className="text-xs text-muted">
            Fields: key, value, headers, partition, offset, timestamp. Ctrl+Space completes.
          </p>
          {filterProblem !== undefined && (
            <p role="alert" className="text-xs text-fail">
              {filterProblem}
            </p>
          )}
        </div>
        <div className="flex items-start gap-2 sm:pt-6">
          {isRunning ? (
            <Button onClick={onStop}>Stop</Button>
          ) : (
            <Button kind={isSecondary ? 'plain' : 'primary'} type="submit">
              Read
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

/** A time of the URL as an input for local times takes it. */
function localInput(time: string | undefined): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
