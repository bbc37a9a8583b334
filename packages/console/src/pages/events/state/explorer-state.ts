import { defaultRange, type EventTypeName, isEventTypeName, type TimeRange } from '@weir/events';
import type { EventsSearch } from './events-search.ts';

/** The whole state of the explorer, which is in the URL: a link reproduces the search. */
export interface ExplorerState {
  /** None are all, those of metrics only if they are wanted. */
  readonly types: readonly EventTypeName[];
  /** Whether a search of all types has the events that are metrics, which outnumber all others. */
  readonly metrics: 'hide' | 'show';
  readonly filter: string;
  readonly range: TimeRange;
  readonly zone: 'local' | 'utc';
  readonly sort: 'asc' | 'desc';
  readonly mode: FilterMode;
  readonly chart: ChartKind;
  readonly groupBy: string;
  /** A second field, with `groupBy`. */
  readonly thenBy: string;
  readonly aggregation: Aggregation;
  /** The field with the numbers; empty for `count`. */
  readonly field: string;
  /** Fields that rows show beside their sentence. */
  readonly columns: readonly string[];
  /** Narrows the rows that are loaded. */
  readonly find: string;
  /** The id of an event that is open by itself, and about when it happened. */
  readonly event: string;
  readonly near: string;
  /** Whether events are added as they arrive. */
  readonly live: LiveMode;
  /** The part of the time that is compared with the rest: two moments with a slash between them, or empty. */
  readonly compare: string;
  /** The id of the saved search that was opened. */
  readonly view: string;
}

type LiveMode = 'off' | 'on' | 'paused';
type FilterMode = 'raw' | 'builder';

export const chartKinds = ['bars', 'lines', 'table', 'off'] as const;
type ChartKind = (typeof chartKinds)[number];

export const aggregations = ['count', 'avg', 'max', 'min', 'sum'] as const;
export type Aggregation = (typeof aggregations)[number];

export const emptyState: ExplorerState = {
  types: [],
  metrics: 'hide',
  filter: '',
  range: defaultRange,
  zone: 'local',
  sort: 'desc',
  mode: 'raw',
  chart: 'bars',
  groupBy: '',
  thenBy: '',
  aggregation: 'count',
  field: '',
  columns: [],
  find: '',
  event: '',
  near: '',
  live: 'off',
  compare: '',
  view: '',
};

/** Parameters that mean nothing here count as left out. */
export function stateOf(search: EventsSearch): ExplorerState {
  const aggregation = oneOf(aggregations, search.aggregation);
  const field = search.field ?? '';
  const hasNumbers = aggregation !== 'count' && field !== '';
  return {
    types: [...new Set((search.types ?? '').split(',').filter(isEventTypeName))],
    metrics: oneOf(['hide', 'show'], search.metrics),
    filter: search.filter ?? '',
    range: rangeOf(search),
    zone: oneOf(['local', 'utc'], search.zone),
    sort: oneOf(['desc', 'asc'], search.sort),
    mode: oneOf(['raw', 'builder'], search.mode),
    chart: oneOf(chartKinds, search.chart),
    groupBy: search.group_by ?? '',
    thenBy: (search.group_by ?? '') === '' ? '' : (search.then_by ?? ''),
    aggregation: hasNumbers ? aggregation : 'count',
    field: hasNumbers ? field : '',
    columns: columnsIn(search.columns ?? ''),
    find: search.find ?? '',
    event: search.event ?? '',
    near: search.near ?? '',
    live: oneOf(['off', 'on', 'paused'], search.live),
    compare: comparedOf(search.compare ?? '') === undefined ? '' : search.compare!,
    view: search.view ?? '',
  };
}

/** The first is the default. */
function oneOf<Name extends string>(names: readonly [Name, ...Name[]], given: string | undefined): Name {
  return names.find((name) => name === given) ?? names[0];
}

function rangeOf({ relative, preset, day, from, to, start, end }: EventsSearch): TimeRange {
  if (start !== undefined && end !== undefined) return { start, end };
  if (day !== undefined)
    return { day, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (preset === 'today' || preset === 'yesterday') return { preset };
  return relative === undefined ? defaultRange : { relative };
}

/** More would leave no room for the sentence. */
export const columnsMax = 4;

/** Whether a field can be a column: one whose name needs no quotes. */
export function canBeColumn(field: string): boolean {
  return /^[a-z_]\w*(?:\.[a-z_]\w*)*$/i.test(field);
}

function columnsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').filter(canBeColumn))].slice(0, columnsMax);
}

/** The part of the time that is compared, of a state or a parameter; `undefined` if it has none. */
export function comparedOf(text: string): { readonly startMs: number; readonly endMs: number } | undefined {
  const [start = '', end = '', ...more] = text.split('/');
  const [startMs, endMs] = [Date.parse(start), Date.parse(end)];
  return more.length === 0 && startMs < endMs ? { startMs, endMs } : undefined;
}

/** What has its default is left out. */
export function searchOf(state: ExplorerState): EventsSearch {
  const all: EventsSearch = {
    types: state.types.join(','),
    metrics: state.metrics,
    filter: state.filter,
    ...rangeSearch(state.range),
    zone: state.zone,
    sort: state.sort,
    mode: state.mode,
    chart: state.chart,
    group_by: state.groupBy,
    then_by: state.thenBy,
    aggregation: state.aggregation,
    field: state.field,
    columns: state.columns.join(','),
    find: state.find,
    event: state.event,
    near: state.near,
    live: state.live,
    compare: state.compare,
    view: state.view,
  };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => value !== undefined && value !== '' && value !== defaults[name],
    ),
  );
}

const defaults: Readonly<Record<string, string>> = {
  metrics: emptyState.metrics,
  zone: emptyState.zone,
  sort: emptyState.sort,
  mode: emptyState.mode,
  chart: emptyState.chart,
  aggregation: emptyState.aggregation,
  live: emptyState.live,
};

function rangeSearch(range: TimeRange): EventsSearch {
  if ('relative' in range) return isDefaultRange(range) ? {} : range;
  return range;
}

function isDefaultRange(range: { readonly relative: string }): boolean {
  return 'relative' in defaultRange && range.relative === defaultRange.relative;
}
