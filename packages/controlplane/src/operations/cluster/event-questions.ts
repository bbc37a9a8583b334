import type { InputOf, OutputOf } from '@weir/api';
import {
  type BuilderGroup,
  builderToFilter,
  conditionsOf,
  defaultRange,
  type EventTypeName,
  eventTypeNames,
  type Field,
  type Filter,
  filterFieldsOf,
  filterToBuilder,
  parseFilter,
  pointAt,
  printFilter,
  resolveTimeRange,
  type TimelineRequest,
  type TimeRange,
  type TimeWindow,
} from '@weir/events';
import { eventLimits } from '@weir/events/limits';
import { OperationFailed } from '../operation-failed.ts';

type RangeGiven = InputOf<'search_events'>['time_range'];
type TimelineGiven = NonNullable<InputOf<'search_events'>['timeline']>;

/** Returns the requested window, as of now. */
export function windowOf(given: RangeGiven, nowMs: number): TimeWindow {
  const range = rangeOf(given);
  const { window, problem } = resolveTimeRange(range, { nowMs, timeZone: given?.time_zone ?? 'UTC' });
  if (window !== undefined) return window;
  const { code, message, suggestion } = problem;
  if (code !== 'window_too_large') throw new OperationFailed('invalid_request', `time_range: ${message}`);
  const hint = suggestion === undefined ? '' : `; the newest part of it is ${JSON.stringify(suggestion)}`;
  throw new OperationFailed('window_too_large', `time_range: ${message}${hint}`);
}

function rangeOf(given: RangeGiven): TimeRange {
  const { relative, preset, day, from, to, start, end } = given ?? {};
  const kinds = [relative, preset, day, start ?? end].filter((kind) => kind !== undefined);
  if (kinds.length === 0) return defaultRange;
  if (kinds.length > 1)
    throw new OperationFailed(
      'invalid_request',
      'time_range: is one of relative, preset, day, or start and end',
    );
  if (day === undefined && (from ?? to) !== undefined)
    throw new OperationFailed('invalid_request', 'time_range: from and to are parts of a day');
  if (relative !== undefined) return { relative };
  if (preset !== undefined) return { preset };
  if (day !== undefined) return { day, from, to };
  if (start === undefined || end === undefined)
    throw new OperationFailed('invalid_request', 'time_range: start and end go together');
  return { start, end };
}

/** Clocks of agents may be ahead of this one. */
const clockSkewMsMax = 60_000;

/** Returns the window of a search for an event: around a time, or the last day. */
export function windowAround(nearMs: number | undefined, nowMs: number): TimeWindow {
  const endMs = nearMs === undefined ? nowMs + clockSkewMsMax : nearMs + eventLimits.eventsWindowMsMax / 2;
  return { startMs: Math.max(0, endMs - eventLimits.eventsWindowMsMax), endMs };
}

type FilterGiven = Pick<InputOf<'search_events'>, 'filter' | 'filter_builder'>;

/** By text or by rows, never by both. */
export function filterOf({ filter: text, filter_builder: builder }: FilterGiven): Filter {
  if (builder === undefined) return filterOfText(text);
  if (text !== '')
    throw new OperationFailed(
      'invalid_request',
      'filter_builder: goes without filter; a search has one filter, as text or as rows',
    );
  const { filter, problems } = builderToFilter(builder);
  if (filter !== undefined) return filter;
  const [{ row, message }] = problems as [(typeof problems)[number]];
  throw new OperationFailed(
    'filter_syntax',
    `filter_builder${row.map((place) => `.rows[${place}]`).join('')}: ${message}`,
  );
}

function filterOfText(text: string): Filter {
  const { filter, problems } = parseFilter(text);
  if (filter !== undefined) return filter;
  const [first] = problems;
  const { line, column, message, suggestion } = first!;
  const hint = suggestion === undefined ? '' : ` (write ${suggestion})`;
  const more = problems.length === 1 ? '' : `\nand ${problems.length - 1} more`;
  throw new OperationFailed(
    'filter_syntax',
    `line ${line}, column ${column}: ${message}${hint}\n${pointAt(text, first!)}${more}`,
  );
}

export function timelineOf(given: TimelineGiven, where: string): TimelineRequest {
  const { group_by, then_by, aggregation, field, series_limit } = given;
  if (then_by !== undefined && group_by === undefined)
    throw new OperationFailed('invalid_request', `${where}then_by: is a second field; group_by is the first`);
  if (aggregation !== 'count' && field === undefined)
    throw new OperationFailed('invalid_request', `${where}field: ${aggregation} needs a field with numbers`);
  return {
    aggregation,
    seriesMax: series_limit,
    ...(group_by === undefined ? {} : { groupBy: fieldOf(group_by, `${where}group_by`) }),
    ...(then_by === undefined ? {} : { thenBy: fieldOf(then_by, `${where}then_by`) }),
    ...(field === undefined ? {} : { field: fieldOf(field, `${where}field`) }),
  };
}

type BuilderResponse = NonNullable<OutputOf<'check_event_filter'>['filter_builder']>;

/** Returns equivalent rows, unless there are none or they exceed the depth of the API. */
function builderOf(filter: Filter): BuilderResponse | null {
  const { builder, isExact } = filterToBuilder(filter);
  if (!isExact || depthOf(builder) > builderDepthMax) return null;
  return builder as BuilderResponse;
}

/** The nesting depth of `filterBuilder` in the API. */
const builderDepthMax = 3;

function depthOf({ rows }: BuilderGroup): number {
  return 1 + Math.max(0, ...rows.map((row) => ('rows' in row ? depthOf(row) : 0)));
}

/** A field in the syntax of filters: the left side of a comparison. */
function fieldOf(text: string, where: string): Field {
  const { filter, problems } = parseFilter(`${text} == null`);
  const [condition, ...others] = filter === undefined ? [] : conditionsOf(filter);
  if (condition === undefined || others.length > 0 || condition.kind !== 'comparison') {
    const problem = problems?.[0]?.message ?? 'is not a field such as data.operation';
    throw new OperationFailed('invalid_request', `${where}: ${problem}`);
  }
  return condition.field;
}

export function checkFilter(
  given: FilterGiven,
  types: readonly EventTypeName[],
): OutputOf<'check_event_filter'> {
  // Invalid rows are refused as a search would refuse them: they have no columns to point at.
  const text = given.filter_builder === undefined ? given.filter : printFilter(filterOf(given));
  const { filter, problems = [] } = parseFilter(text);
  const fields = filterFieldsOf(types.length === 0 ? eventTypeNames : types);
  const warnings = problems.length > 0 ? [] : (parseFilter(text, { fields }).problems ?? []);
  return {
    is_valid: filter !== undefined,
    filter: filter === undefined ? null : printFilter(filter),
    filter_builder: filter === undefined ? null : builderOf(filter),
    problems: [...problems],
    warnings: [...warnings],
  };
}
