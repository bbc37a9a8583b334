import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { limitDefault, type MessagesSearch, type Start, startOf } from './state/messages-search.ts';

interface QueryBarProps {
  readonly search: MessagesSearch;
  readonly partitionCount: number;
  readonly isRunning: boolean;
  readonly onRun: (search: MessagesSearch) => void;
  readonly onStop: () => void;
  /** Whether another button of the page is what to press next. */
  readonly isSecondary: boolean;
  /** What is wrong with the filter. */
  readonly filterProblem: string | undefined;
}

/** More partitions than this are typed, not chosen. */
const listedPartitionsMax = 200;

/** Where to read, how many, and which records. Nothing runs before it is asked for. */
export function QueryBar(props: QueryBarProps) {
  const { search, partitionCount, isRunning, onRun, onStop, isSecondary, filterProblem } = props;
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
      filter: text('filter'),
      live: start === 'newest' ? search.live : undefined,
    });
  };
  return (
    <form aria-label="Read records" onSubmit={submit} className="flex flex-col gap-3 p-4">
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
      </div>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto]">
        <TextField label="Contains" name="text" maxLength={256} defaultValue={search.contains ?? ''}>
          Text in key, value or headers; case-sensitive.
        </TextField>
        <TextField
          label="Filter"
          name="filter"
          problem={filterProblem}
          className="font-mono"
          spellCheck={false}
          defaultValue={search.filter ?? ''}
        >
          {"For example: value.total > 100 and headers.source == 'web'"}
        </TextField>
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
