import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { formatDuration, formatTime } from '../../../format/format.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Card } from '../../../ui/page.tsx';
import { useShortcut } from '../../../ui/shortcuts.ts';
import { Failure } from '../../../ui/states.tsx';
import { say } from '../../../ui/toasts.tsx';
import { comparedOf } from '../state/explorer-state.ts';
import type { Explorer } from '../state/use-explorer.ts';
import { rangeBetween } from '../time/range-label.ts';
import { selectionAfter } from './keyboard-selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { TimelineControls } from './timeline-controls.tsx';
import { coveredPart, timelineSeries } from './timeline-series.ts';
import { TimelineTable } from './timeline-table.tsx';

const Chart = lazy(async () => ({ default: (await import('../../../ui/chart.tsx')).Chart }));

const msPerSecond = 1_000;
const noRest = 'The whole time range is selected';

/** The events over time. Dragging over the chart, or arrow keys, select a part, to zoom in or to compare it. */
export function TimelineCard({ explorer }: { readonly explorer: Explorer }) {
  const { state, searches } = explorer;
  const { answer, isOld, error } = searches.timeline;
  const isCount = state.aggregation === 'count';
  const { timesMs, series } =
    answer === undefined
      ? { timesMs: [], series: [] }
      : timelineSeries(answer.timeline, { isCount, isGrouped: state.groupBy !== '' });
  const bucketMs = (answer?.timeline.bucket_seconds ?? 0) * msPerSecond;
  const covered = coveredPart(timesMs, series, bucketMs);
  const [selected, setSelected] = useState<Part>();
  // Another search has another time.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the range is what changed.
  useEffect(() => setSelected(undefined), [JSON.stringify(state.range), state.filter]);
  const marked = selected ?? comparedOf(state.compare);
  const [firstMs = 0, lastMs = 0] = [timesMs[0], timesMs.at(-1)];
  const chart = useRef<HTMLElement>(null);
  const zoom = () => selected !== undefined && explorer.search({ range: rangeOf(selected) });
  const compare = () => {
    if (selected === undefined) {
      say('Select a part of the timeline first: press T, then arrow keys', 'warn');
      return;
    }
    if (!hasRest) {
      say(noRest, 'warn');
      return;
    }
    setSelected(undefined);
    // The button that was pressed goes with the selection.
    chart.current?.focus({ preventScroll: true });
    // The time of a comparison stands still, so that a link shows the same.
    explorer.search({ range: rangeBetween(firstMs, lastMs, bucketMs), compare: textOf(selected) });
  };
  const clear = () => {
    setSelected(undefined);
    chart.current?.focus({ preventScroll: true });
  };
  useShortcut({ keys: 't', label: 'Select a part of the timeline', group: 'On this page' }, () =>
    chart.current?.focus(),
  );
  useShortcut({ keys: 'c', label: 'Compare the selected part', group: 'On this page' }, compare);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = selectionAfter(event, selected, { timesMs, bucketMs });
    if (next !== undefined) setSelected(next);
    else if (event.key === 'Escape' && selected !== undefined) clear();
    else if (event.key === 'Enter' && selected !== undefined) zoom();
    else return;
    event.preventDefault();
  };
  const hasRest =
    selected !== undefined && (selected.startMs > firstMs || selected.endMs < lastMs + bucketMs);
  return (
    <Card title="Timeline" actions={<TimelineControls explorer={explorer} />}>
      {error !== undefined && <Failure what="chart the events" error={error} />}
      <div className={classNames('min-h-48 px-2 pt-2', isOld && 'opacity-60')}>
        {state.chart === 'table' ? (
          <TimelineTable timesMs={timesMs} series={series} zone={state.zone} />
        ) : (
          timesMs.length > 0 && (
            <section
              ref={chart}
              aria-label="Timeline: arrow keys select a part, Shift extends it, Enter zooms in, C compares"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: keys select a part of the time as the pointer does.
              tabIndex={0}
              onKeyDown={onKeyDown}
              className="rounded-md"
            >
              <Suspense fallback={<div className="h-48" />}>
                <Chart
                  label={`Events over time${state.groupBy === '' ? '' : ` by ${state.groupBy}`}, ${series.length} series`}
                  kind={state.chart === 'lines' ? 'lines' : 'bars'}
                  timesMs={timesMs}
                  series={series}
                  zone={state.zone}
                  {...(marked === undefined ? {} : { selected: [marked.startMs, marked.endMs] as const })}
                  onSelect={(fromMs, toMs) => setSelected(partOf(rangeBetween(fromMs, toMs, bucketMs)))}
                />
              </Suspense>
            </section>
          )
        )}
      </div>
      {answer !== undefined && (
        <p className="px-4 pb-2 text-xs text-muted">
          {timesMs.length === 0 ? 'No data' : `One point per ${formatDuration(bucketMs)}`}
          {timesMs.length > 0 &&
            state.chart !== 'table' &&
            ' · drag, or press T and arrow keys, to zoom or to compare'}
          {covered !== undefined && (
            <>
              {' · '}events only from {formatTime(covered.startMs, state.zone).slice(11)} to{' '}
              {formatTime(covered.endMs, state.zone).slice(11)}{' '}
              <button
                type="button"
                className="rounded text-accent underline"
                onClick={() => explorer.search({ range: rangeOf(covered) })}
              >
                Zoom to events
              </button>
            </>
          )}
          {answer.timeline.is_approximate && '  · approximate: too many values for exact series'}
        </p>
      )}
      {selected !== undefined && state.chart !== 'table' && (
        <SelectionBar
          {...selected}
          zone={state.zone}
          onZoom={zoom}
          onCompare={compare}
          onClear={clear}
          noRest={hasRest ? undefined : noRest}
        />
      )}
    </Card>
  );
}

interface Part {
  readonly startMs: number;
  readonly endMs: number;
}

function partOf({ start, end }: { readonly start: string; readonly end: string }): Part {
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}

function rangeOf({ startMs, endMs }: Part) {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

function textOf(part: Part): string {
  const { start, end } = rangeOf(part);
  return `${start}/${end}`;
}
