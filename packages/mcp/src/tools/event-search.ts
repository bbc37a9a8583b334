import { ApiError, catalogue, type EventSearchLink, type OutputOf } from '@weir/api';
import { parseFilter, pointAt, resolveTimeRange, type TimeRange } from '@weir/events';
import * as z from 'zod';
import { ToolProblem } from '../answers/problem.ts';
import { onCluster } from './find-cluster.ts';
import type { ToolContext } from './tool-context.ts';

/** The common parts of all event searches. */

/** The forms of the API that need no time zone. */
const timeRange = z.strictObject({
  relative: z.string().max(32).optional(),
  start: z.string().max(40).optional(),
  end: z.string().max(40).optional(),
});

export const timeArguments = {
  time_range: timeRange
    .optional()
    .describe(
      'relative such as 15m, or start and end such as 2026-01-31T12:00:00Z; at most 24h, and 1h without it.',
    ),
};

const { event_types } = catalogue.search_events.input.shape;

export const searchArguments = {
  event_types,
  filter: catalogue.search_events.input.shape.filter,
  ...timeArguments,
};

/** The same without descriptions, which search_events has. */
const asInSearch = 'As in search_events.';
export const shortTimeArguments = { time_range: timeArguments.time_range.describe(asInSearch) };
export const shortTypesArguments = { event_types: event_types.describe(asInSearch) };
export const shortSearchArguments = {
  ...shortTypesArguments,
  filter: searchArguments.filter.describe(asInSearch),
  ...shortTimeArguments,
};

export interface SearchArguments extends TimeArguments {
  readonly event_types: z.output<typeof event_types>;
  readonly filter: string;
}

export interface TimeArguments {
  readonly time_range?: z.output<typeof timeRange> | undefined;
}

const stats = catalogue.search_events.output.shape.stats.shape;

/** The cost of a search, and why it is partial, if it is. */
export const searchOutput = {
  stats: z.object({
    events_matched: stats.events_matched,
    bytes_scanned: stats.bytes_scanned,
    ms: stats.ms,
  }),
};

/** Returns the requested time range, if it can be searched. */
export function rangeOf({ time_range }: TimeArguments, { clock }: ToolContext): TimeRange {
  const range = givenRange(time_range);
  const { problem } = resolveTimeRange(range, { nowMs: clock.nowMs(), timeZone: 'UTC' });
  if (problem === undefined) return range;
  const better =
    problem.suggestion === undefined ? '' : ` Use time_range ${JSON.stringify(problem.suggestion)}.`;
  throw new ToolProblem(problem.code, `${problem.message}.${better}`);
}

function givenRange({ relative = '', start = '', end = '' }: TimeArguments['time_range'] = {}): TimeRange {
  if (relative !== '' && (start !== '' || end !== ''))
    throw new ToolProblem('invalid_time_range', 'Set either relative, or start and end.');
  if (relative !== '') return { relative };
  if (start === '' && end === '') return { relative: '1h' };
  if (start === '' || end === '')
    throw new ToolProblem('invalid_time_range', 'start and end go together; or give relative, such as 1h.');
  return { start, end };
}

/** Checks a filter. The error shows the position and the correction. */
export function checkedFilter(text: string): string {
  const { problems } = text.trim() === '' ? { problems: undefined } : parseFilter(text);
  if (problems === undefined) return text;
  const [first] = problems;
  const { line, column, message, suggestion } = first!;
  const better = suggestion === undefined ? '' : `\nWrite ${suggestion} there.`;
  throw new ToolProblem(
    'filter_syntax',
    `The filter cannot be understood at line ${line}, column ${column}: ${message}\n${pointAt(text, first!)}${better}\nThe resource events://filter-language has the whole language.`,
  );
}

/** Returns the search in the form of the operations. */
export function scopeOf(args: SearchArguments, context: ToolContext) {
  return {
    event_types: args.event_types,
    filter: checkedFilter(args.filter),
    time_range: rangeOf(args, context),
  };
}

/** Returns the link to the search in the console. */
export function linkOf({
  event_types: types,
  filter,
  time_range: { relative = '', start = '', end = '' } = {},
}: SearchArguments): EventSearchLink {
  return {
    types: types.join(','),
    ...(types.length === 0 ? { metrics: 'show' } : {}),
    filter,
    ...(start === '' ? { relative: relative === '' ? '1h' : relative } : { start, end }),
  };
}

/** Searches a cluster. If it has no events, the error says how to enable them. */
export async function onEvents<T>(
  context: ToolContext,
  given: string,
  work: (clusterId: string) => Promise<T>,
): Promise<T> {
  try {
    return await onCluster(context, given, work);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'events_disabled') throw error;
    throw new ToolProblem(
      'events_disabled',
      `The virtual cluster ${given} records no events, so that there is nothing to search. An administrator of its workspace can turn them on with weir cli events enable, or with update_events_state {"enabled": true}; events come within seconds.`,
    );
  }
}

type Basis = Pick<OutputOf<'search_events'>, 'stats' | 'partial' | 'message'>;

export function statsOf({ stats: all }: Basis) {
  const { events_matched, bytes_scanned, ms } = all;
  return { events_matched, bytes_scanned, ms };
}

/** Says why an answer is partial, and what to do. */
export function basisHint({ partial, message, stats: { events_matched } }: Basis): string | undefined {
  if (partial !== undefined)
    return `The search ran out of ${partial} and gives what it had found; narrow the time or the filter.`;
  if (message !== undefined)
    return `${message} This is not a failure: the events of a new cluster arrive within a minute.`;
  return events_matched === 0
    ? 'No event matches. Widen the time, check the types with list_event_types and the names of fields with list_event_fields.'
    : undefined;
}

/** Returns the range of the same length right before another. */
export function timeBefore(args: TimeArguments, context: ToolContext): TimeArguments {
  const { window } = resolveTimeRange(rangeOf(args, context), {
    nowMs: context.clock.nowMs(),
    timeZone: 'UTC',
  });
  const { startMs, endMs } = window!;
  return {
    time_range: {
      start: new Date(startMs - (endMs - startMs)).toISOString(),
      end: new Date(startMs).toISOString(),
    },
  };
}
