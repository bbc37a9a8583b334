import { Popover } from '@base-ui/react/popover';
import { ClockIcon, TriangleDownIcon } from '@primer/octicons-react';
import { systemClock } from '@weir/core';
import { offeredRanges, resolveTimeRange, type TimeRange } from '@weir/events';
import { type FormEvent, useState } from 'react';
import { formatTime } from '../../../format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { rangeLabel } from './range-label.ts';
import { zoneName } from './zone-name.ts';

type Zone = 'local' | 'utc';

interface TimePickerProps {
  readonly range: TimeRange;
  readonly zone: Zone;
  readonly onRange: (range: TimeRange) => void;
  readonly onZone: (zone: Zone) => void;
}

/** When the events happened: a part of the time up to now, a day, or a part of a day. */
export function TimePicker({ range, zone, onRange, onZone }: TimePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const choose = (chosen: TimeRange) => {
    setOpen(false);
    onRange(chosen);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger render={<Button />}>
        <ClockIcon aria-hidden="true" />
        <span className="max-w-[min(18rem,60vw)] truncate" title={rangeLabel(range, zone)}>
          {rangeLabel(range, zone)}
        </span>
        <span className="text-xs text-muted">{zone === 'utc' ? 'UTC' : 'local'}</span>
        <TriangleDownIcon aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50">
          <Popover.Popup
            aria-label="Time range"
            className="flex w-[min(33rem,calc(100vw-2rem))] flex-col gap-3 rounded-md border border-line bg-raised p-3 shadow-popover sm:flex-row"
          >
            <div className="flex flex-col sm:w-40">
              {offeredRanges.map((one) => (
                <Button
                  key={one.title}
                  kind="quiet"
                  className="justify-start"
                  aria-pressed={JSON.stringify(one.range) === JSON.stringify(range)}
                  onClick={() => choose(one.range)}
                >
                  {one.title}
                </Button>
              ))}
            </div>
            <div className="flex min-w-0 flex-1 flex-col gap-4">
              <RelativeForm zone={zone} range={range} onRange={choose} />
              <DayForm zone={zone} range={range} onRange={choose} />
              <div className="flex items-center gap-2">
                <Segmented
                  label="Time zone"
                  choices={[
                    { name: 'local', title: 'Local' },
                    { name: 'utc', title: 'UTC' },
                  ]}
                  value={zone}
                  onChange={onZone}
                />
                <span className="min-w-0 truncate text-xs text-muted">{zoneName(zone)}</span>
              </div>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface FormProps {
  readonly zone: Zone;
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
}

function problemWith(range: TimeRange, zone: Zone): string | undefined {
  return resolveTimeRange(range, { nowMs: systemClock.nowMs(), timeZone: zoneName(zone) }).problem?.message;
}

function RelativeForm({ zone, range, onRange }: FormProps) {
  const [text, setText] = useState('relative' in range ? range.relative : '');
  const [problem, setProblem] = useState<string>();
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const chosen = { relative: text.trim() };
    const wrong = problemWith(chosen, zone);
    setProblem(wrong);
    if (wrong === undefined) onRange(chosen);
  };
  return (
    <form onSubmit={apply} className="flex items-end gap-2">
      <div className="flex-1">
        <TextField
          label="Last"
          name="relative"
          problem={problem}
          value={text}
          placeholder="45m, 2h30m, up to 24h"
          onText={setText}
        />
      </div>
      <Button type="submit">Apply</Button>
    </form>
  );
}

function DayForm({ zone, range, onRange }: FormProps) {
  const today = formatTime(systemClock.nowMs(), zone).slice(0, 10);
  const given = 'day' in range ? range : undefined;
  const [day, setDay] = useState(given?.day ?? today);
  const [from, setFrom] = useState(given?.from ?? '');
  const [to, setTo] = useState(given?.to ?? '');
  const [problem, setProblem] = useState<string>();
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const chosen: TimeRange = {
      day,
      ...(from === '' ? {} : { from }),
      ...(to === '' ? {} : { to }),
    };
    const wrong = problemWith(chosen, zone);
    setProblem(wrong);
    if (wrong === undefined) onRange(chosen);
  };
  return (
    <form onSubmit={apply} className="flex flex-col gap-2">
      <TextField label="Day" name="day" problem={problem} type="date" value={day} onText={setDay} />
      <div className="flex items-end gap-2">
        <TextField
          label="From"
          name="from"
          className="min-w-0 px-1.5!"
          type="time"
          value={from}
          onText={setFrom}
        />
        <TextField label="To" name="to" className="min-w-0 px-1.5!" type="time" value={to} onText={setTo} />
        <Button type="submit" className="ml-auto">
          Apply
        </Button>
      </div>
    </form>
  );
}
