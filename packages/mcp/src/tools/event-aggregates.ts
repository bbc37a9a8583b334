import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import { coreLimits } from '@weir/core';
import { type Condition, conditionsOf, everyEvent, parseFilter, printField, printFilter } from '@weir/events';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { ToolProblem } from '../answers/problem.ts';
import { formatArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { compareFields, differenceKinds, type ValueDifference } from './compare-fields.ts';
import {
  basisHint,
  checkedFilter,
  linkOf,
  rangeOf,
  scopeOf,
  searchOutput,
  shortSearchArguments,
  shortTimeArguments,
  shortTypesArguments,
  statsOf,
  timeBefore,
} from './event-search.ts';

const timeline = catalogue.get_events_timeline;
const { shape } = timeline.input;
type Series = OutputOf<'get_events_timeline'>['timeline']['series'][number];

const side = () =>
  z.strictObject({
    filter: z.string().max(coreLimits.filterCharsMax).default('').describe('As in search_events.'),
    ...shortTimeArguments,
  });

export const eventAggregateTools = [
  defineClusterTool({
    name: 'aggregate_events',
    icon: 'events',
    operations: ['get_events_timeline'],
    title: 'Count events',
    summary:
      'Count events by the values of one field or two, and over time, or compute the avg, max, min or sum of a number in them.',
    needsEvents: true,
    input: {
      ...shortSearchArguments,
      group_by: shape.group_by.describe('A field such as type or data.operation: one group per value.'),
      then_by: shape.then_by.describe('A second field: one group per pair.'),
      aggregation: shape.aggregation.describe('What to compute for each group.'),
      field: shape.field,
      series_limit: shape.series_limit.describe('Maximum number of groups; the rest is one more.'),
      over_time: z.boolean().default(false).describe('Whether to give a value for each part of the time.'),
      ...formatArguments,
    },
    output: {
      ...searchOutput,
      bucket_seconds: z.number().nullable().describe('The length of a bucket; null without over_time.'),
      first_bucket: z.string().nullable().describe('Where the first part begins; likewise.'),
      groups: z
        .array(
          z.object({
            key: z.string().nullable().describe('The value; null where events lack it, Other for the rest.'),
            then_key: z.string().nullable().optional().describe('The value of the second field.'),
            count: z
              .int()
              .describe('Events, including denials that data.suppressed counts, or values of the field.'),
            value: z.number().nullable().describe('The measure over the whole time.'),
            points: z
              .array(z.number().nullable())
              .optional()
              .describe('The measure in each part of the time, from the first to the last that has any.'),
          }),
        )
        .describe('The most events first.'),
    },
    async run(args, context, clusterId) {
      const { group_by, then_by, aggregation, field, series_limit } = args;
      if (aggregation !== 'count' && field === undefined)
        throw new ToolProblem('invalid_arguments', `${aggregation} needs field, the field with the numbers.`);
      if (then_by !== undefined && group_by === undefined)
        throw new ToolProblem('invalid_arguments', 'then_by needs group_by, the field to group by first.');
      const found = await context.call('get_events_timeline', {
        virtual_cluster_id: clusterId,
        ...scopeOf(args, context),
        group_by,
        then_by,
        aggregation,
        field,
        series_limit,
      });
      const { bucket_seconds, series, is_approximate } = found.timeline;
      const [from, to] = args.over_time ? filledPart(series, aggregation) : [0, 0];
      return answerOf(
        {
          stats: statsOf(found),
          bucket_seconds: args.over_time ? bucket_seconds : null,
          first_bucket: from < to ? String(series[0]!.points[from]![0]) : null,
          groups: series.map((one) => ({
            key: one.is_other ? 'Other' : keyOf(one.key),
            ...(one.then_key === undefined ? {} : { then_key: keyOf(one.then_key) }),
            count: one.count,
            value: aggregation === 'count' ? one.count : one.total,
            ...(args.over_time
              ? { points: one.points.slice(from, to).map(([, value]) => value as number | null) }
              : {}),
          })),
        },
        {
          truncated: series.some(({ is_other }) => is_other),
          hint:
            [
              basisHint(found) ?? nextCallOf(series, group_by),
              is_approximate ? 'There are so many values that the counts are approximate.' : undefined,
            ]
              .filter((words) => words !== undefined)
              .join(' ') || undefined,
          console_url: context.consoleUrl(
            consolePaths.events(clusterId, {
              ...linkOf(args),
              group_by: group_by ?? '',
              then_by: then_by ?? '',
            }),
          ),
        },
        args,
      );
    },
  }),
  defineClusterTool({
    name: 'compare_events',
    icon: 'events',
    operations: ['list_event_fields'],
    title: 'Compare events',
    summary:
      'Ranks fields and values by how much they differ between some events and others, as in a burst of errors.',
    note: 'Without a baseline, with the same length of time before.',
    needsEvents: true,
    input: {
      ...shortTypesArguments,
      selection: side().describe('The events in question.'),
      baseline: side().optional().describe('The events to compare them with.'),
      limit: z.int().min(1).max(100).default(20).describe('Differences at most.'),
      ...formatArguments,
    },
    output: {
      selection_events: z.int().describe('Scanned events of the selection.'),
      baseline_events: z.int().describe('Scanned events of the baseline.'),
      differences: z
        .array(
          z.object({
            field: z.string(),
            value: z.string(),
            selection_percent: z.number().describe('Events of the selection that have the value.'),
            baseline_percent: z.number().describe('Of the baseline.'),
            difference: z.number().describe('In percentage points.'),
            kind: z.enum(differenceKinds),
          }),
        )
        .describe('The most informative first, each kind by the size of the difference.'),
    },
    async run({ event_types, selection, baseline, limit, ...options }, context, clusterId) {
      const fieldsOf = (one: z.output<ReturnType<typeof side>>) =>
        context.call('list_event_fields', {
          virtual_cluster_id: clusterId,
          event_types,
          filter: checkedFilter(one.filter),
          time_range: rangeOf(one, context),
        });
      const against = baseline ?? { filter: selection.filter, ...timeBefore(selection, context) };
      const chosen = await fieldsOf(selection);
      const usual = await fieldsOf(against);
      const differences = compareFields(chosen, usual, filteredFields(selection.filter, against.filter));
      return answerOf(
        {
          selection_events: chosen.sampled_events,
          baseline_events: usual.sampled_events,
          differences: differences.slice(0, limit),
        },
        {
          truncated: differences.length > limit,
          hint: hintOf(chosen, usual, differences),
          console_url: context.consoleUrl(
            consolePaths.events(clusterId, linkOf({ event_types, ...selection })),
          ),
        },
        options,
      );
    },
  }),
];

type Fields = OutputOf<'list_event_fields'>;

/** Returns the fields that the two filters treat differently, in which the events necessarily differ. */
function filteredFields(...filters: readonly [string, string]): Set<string> {
  const [one, other] = filters.map((text) => {
    const conditions = conditionsOf(parseFilter(text).filter ?? everyEvent);
    return new Map(Array.from(conditions, (condition) => [printFilter({ stages: [condition] }), condition]));
  }) as [Map<string, Condition>, Map<string, Condition>];
  const differing = [...one, ...other].filter(([text]) => !(one.has(text) && other.has(text)));
  return new Set(
    differing.map(
      ([
        ,
        {
          field: { path },
        },
      ]) => printField({ path }),
    ),
  );
}

function hintOf(chosen: Fields, usual: Fields, differences: readonly ValueDifference[]): string | undefined {
  if (chosen.sampled_events === 0) return `The selection has no events. ${basisHint(chosen) ?? ''}`.trim();
  if (usual.sampled_events === 0) return 'The baseline has no events: all of the selection is new.';
  if (differences.length === 0) return 'The two do not differ in any field.';
  return differences[0]!.kind === 'telling'
    ? 'search_events with such a value in the filter shows the events.'
    : 'What differs are only fields that a filter names, that have one value wherever they are, or ids.';
}

/** Returns the range of points without the leading and trailing ones at which no group has a value. */
function filledPart(series: readonly Series[], aggregation: string): readonly [from: number, to: number] {
  const nothing = aggregation === 'count' ? 0 : null;
  const isFilled = (_: unknown, place: number) => series.some(({ points }) => points[place]![1] !== nothing);
  const places = series[0]?.points ?? [];
  return [Math.max(0, places.findIndex(isFilled)), places.findLastIndex(isFilled) + 1];
}

function nextCallOf(series: readonly Series[], groupBy: string | undefined): string {
  if (series.some(({ is_other }) => is_other))
    return 'Other combines all further values: raise series_limit, or exclude known values with a filter.';
  if (groupBy !== undefined && series.every(({ key }) => key === null))
    return `No event has ${groupBy}; list_event_fields lists the fields that they have.`;
  return groupBy === undefined
    ? 'group_by counts them by value; search_events shows them.'
    : 'search_events with a value of a group in the filter shows its events.';
}

function keyOf(key: Series['key']): string | null {
  return key === null ? null : String(key);
}
