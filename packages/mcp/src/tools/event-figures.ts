import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import { caps } from '@weir/core';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { ToolProblem } from '../answers/problem.ts';
import { clusterArgument, formatArguments } from './arguments.ts';
import { compareFields } from './compare-fields.ts';
import {
  basisHint,
  checkedFilter,
  linkOf,
  onEvents,
  rangeOf,
  scopeOf,
  searchArguments,
  searchOutput,
  statsOf,
  timeArguments,
  timeBefore,
} from './event-search.ts';
import { defineTool } from './tool.ts';

const timeline = catalogue.get_events_timeline;
const { aggregation, field } = timeline.input.shape;
type Series = OutputOf<'get_events_timeline'>['timeline']['series'][number];

const groupFieldsMax = 2;
const groupField = z.string().min(1).max(1024);

const side = () =>
  z.strictObject({
    filter: z.string().max(caps.filterCharsMax).default('').describe('As in search_events.'),
    ...timeArguments,
  });

export const eventFigureTools = [
  defineTool({
    name: 'aggregate_events',
    icon: 'events',
    operations: ['get_events_timeline'],
    title: 'Count events',
    summary:
      'Counts events by the values of one field or two, and over time, or tells the avg, max, min or sum of a number in them.',
    input: {
      ...clusterArgument,
      ...searchArguments,
      group_by: z
        .union([groupField, z.array(groupField).max(groupFieldsMax)])
        .default([])
        .describe('A field such as type or data.operation, or two: one group per value or pair.'),
      measure: aggregation,
      field,
      top: z
        .int()
        .min(1)
        .max(caps.eventSeriesMax)
        .default(10)
        .describe('Groups at most; the rest is one more.'),
      over_time: z.boolean().default(false).describe('Whether to give a value for each part of the time.'),
      ...formatArguments,
    },
    output: {
      ...searchOutput,
      bucket_seconds: z
        .number()
        .nullable()
        .describe('How long a part of the time is; null without over_time.'),
      first_bucket: z.string().nullable().describe('Where the first part begins; likewise.'),
      groups: z
        .array(
          z.object({
            key: z.string().nullable().describe('The value; null where events lack it, Other for the rest.'),
            second_key: z.string().nullable().optional().describe('The value of the second field.'),
            count: z.int().describe('Events, or numbers where there is a field.'),
            value: z.number().nullable().describe('The measure over the whole time.'),
            points: z
              .array(z.number().nullable())
              .optional()
              .describe('The measure in each part of the time, from the first to the last that has any.'),
          }),
        )
        .describe('The most events first.'),
    },
    async run(args, asking) {
      return onEvents(asking, args.virtual_cluster, async (clusterId) => {
        if (args.measure !== 'count' && args.field === undefined)
          throw new ToolProblem(
            'invalid_arguments',
            `${args.measure} needs field, the field with the numbers.`,
          );
        const [group_by, then_by] = [args.group_by].flat();
        const found = await asking.call('get_events_timeline', {
          virtual_cluster_id: clusterId,
          ...scopeOf(args, asking),
          group_by,
          then_by,
          aggregation: args.measure,
          field: args.field,
          series_limit: args.top,
        });
        const { bucket_seconds, series, is_approximate } = found.timeline;
        const [from, to] = args.over_time ? filledPart(series, args.measure) : [0, 0];
        return answerOf(
          {
            stats: statsOf(found),
            bucket_seconds: args.over_time ? bucket_seconds : null,
            first_bucket: from < to ? String(series[0]!.points[from]![0]) : null,
            groups: series.map((one) => ({
              key: one.is_other ? 'Other' : keyOf(one.key),
              ...(one.then_key === undefined ? {} : { second_key: keyOf(one.then_key) }),
              count: one.count,
              value: args.measure === 'count' ? one.count : one.total,
              ...(args.over_time
                ? { points: one.points.slice(from, to).map(([, value]) => value as number | null) }
                : {}),
            })),
          },
          {
            truncated: series.some(({ is_other }) => is_other),
            next_cursor: null,
            hint:
              [
                basisHint(found) ?? nextCallOf(series, group_by),
                is_approximate ? 'There are so many values that the counts are about right only.' : undefined,
              ]
                .filter((words) => words !== undefined)
                .join(' ') || undefined,
            console_url: asking.consoleUrl(
              consolePaths.events(clusterId, {
                ...linkOf(args),
                group_by: group_by ?? '',
                then_by: then_by ?? '',
              }),
            ),
          },
          { format: args.format, tokensMax: args.max_tokens },
        );
      });
    },
  }),
  defineTool({
    name: 'compare_events',
    icon: 'events',
    operations: ['list_event_fields'],
    title: 'Compare events',
    summary:
      'Ranks fields and values by how much they differ between some events and others: what is special about a burst of errors.',
    note: 'Without a baseline, the selection is held against the time of the same length before it.',
    input: {
      ...clusterArgument,
      event_types: searchArguments.event_types,
      selection: side().describe('The events in question.'),
      baseline: side().optional().describe('What to hold them against.'),
      top: z.int().min(1).max(100).default(20).describe('Differences at most.'),
      ...formatArguments,
    },
    output: {
      selection_events: z.int().describe('Events of the selection that were looked at.'),
      baseline_events: z.int().describe('Events of the baseline that were looked at.'),
      differences: z
        .array(
          z.object({
            field: z.string(),
            value: z.string(),
            selection_percent: z.number().describe('Of the selection, how many have the value.'),
            baseline_percent: z.number().describe('Of the baseline.'),
            difference: z.number().describe('In points of percent.'),
          }),
        )
        .describe('The largest difference first.'),
    },
    async run({ virtual_cluster: given, event_types, selection, baseline, top, format, max_tokens }, asking) {
      return onEvents(asking, given, async (clusterId) => {
        const ask = (one: z.output<ReturnType<typeof side>>) =>
          asking.call('list_event_fields', {
            virtual_cluster_id: clusterId,
            event_types,
            filter: checkedFilter(one.filter),
            time_range: rangeOf(one, asking),
          });
        const against = baseline ?? { filter: selection.filter, ...timeBefore(selection, asking) };
        const chosen = await ask(selection);
        const usual = await ask(against);
        const differences = compareFields(chosen, usual);
        return answerOf(
          {
            selection_events: chosen.sampled_events,
            baseline_events: usual.sampled_events,
            differences: differences.slice(0, top),
          },
          {
            truncated: differences.length > top,
            next_cursor: null,
            hint: hintOf(chosen, usual, differences.length),
            console_url: asking.consoleUrl(
              consolePaths.events(clusterId, linkOf({ event_types, ...selection })),
            ),
          },
          { format, tokensMax: max_tokens },
        );
      });
    },
  }),
];

type Fields = OutputOf<'list_event_fields'>;

function hintOf(chosen: Fields, usual: Fields, differenceCount: number): string | undefined {
  if (chosen.sampled_events === 0) return `The selection has no events. ${basisHint(chosen) ?? ''}`.trim();
  if (usual.sampled_events === 0) return 'The baseline has no events: all of the selection is new.';
  return differenceCount === 0
    ? 'The two do not differ in any field.'
    : 'search_events with such a value in the filter shows the events.';
}

/** Where the points begin and end, without those before and behind at which no group has anything. */
function filledPart(series: readonly Series[], measure: string): readonly [from: number, to: number] {
  const nothing = measure === 'count' ? 0 : null;
  const isFilled = (_: unknown, place: number) => series.some(({ points }) => points[place]![1] !== nothing);
  const places = series[0]?.points ?? [];
  return [Math.max(0, places.findIndex(isFilled)), places.findLastIndex(isFilled) + 1];
}

function nextCallOf(series: readonly Series[], groupBy: string | undefined): string {
  if (series.some(({ is_other }) => is_other))
    return 'Other is all further values: raise top, or leave out what is known with a filter.';
  if (groupBy !== undefined && series.every(({ key }) => key === null))
    return `No event has ${groupBy}; list_event_fields tells the fields that they have.`;
  return groupBy === undefined
    ? 'group_by tells what they are; search_events shows them.'
    : 'search_events with a value of a group in the filter shows its events.';
}

function keyOf(key: Series['key']): string | null {
  return key === null ? null : String(key);
}
