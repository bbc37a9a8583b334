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
const { group_by, aggregation, field } = timeline.input.shape;
type Series = OutputOf<'get_events_timeline'>['timeline']['series'][number];

const side = () =>
  z.strictObject({
    filter: z.string().max(caps.filterCharsMax).default('').describe('As in search_events.'),
    ...timeArguments,
  });

export const eventFigureTools = [
  defineTool({
    name: 'aggregate_events',
    operations: ['get_events_timeline'],
    title: 'Count events',
    summary:
      'Counts events by the values of a field and over time, or tells the avg, max, min or sum of a number in them.',
    input: {
      ...clusterArgument,
      ...searchArguments,
      group_by,
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
      bucket_seconds: timeline.output.shape.timeline.shape.bucket_seconds,
      first_bucket: z.string().nullable().describe('Where the first part begins.'),
      groups: z
        .array(
          z.object({
            key: z.string().nullable().describe('The value; null where events lack it, Other for the rest.'),
            count: z.int().describe('Events.'),
            value: z.number().nullable().describe('The measure; null for avg over several parts.'),
            points: z
              .array(z.number().nullable())
              .optional()
              .describe('The measure in each part of the time.'),
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
        const found = await asking.call('get_events_timeline', {
          virtual_cluster_id: clusterId,
          ...scopeOf(args, asking),
          group_by: args.group_by,
          aggregation: args.measure,
          field: args.field,
          series_limit: args.top,
        });
        const { bucket_seconds, series, is_approximate } = found.timeline;
        return answerOf(
          {
            stats: statsOf(found),
            bucket_seconds,
            first_bucket: series[0]?.points[0]?.[0] ?? null,
            groups: series.map((one) => ({
              key: one.is_other ? 'Other' : one.key === null ? null : String(one.key),
              count: one.count,
              value: totalOf(one, args.measure),
              ...(args.over_time ? { points: one.points.map(([, value]) => value as number | null) } : {}),
            })),
          },
          {
            truncated: series.some(({ is_other }) => is_other),
            next_cursor: null,
            hint:
              [
                basisHint(found),
                is_approximate ? 'There are so many values that the counts are about right only.' : undefined,
              ]
                .filter((words) => words !== undefined)
                .join(' ') || undefined,
            console_url: asking.consoleUrl(
              consolePaths.events(clusterId, { ...linkOf(args), group_by: args.group_by ?? '' }),
            ),
          },
          { format: args.format, tokensMax: args.max_tokens },
        );
      });
    },
  }),
  defineTool({
    name: 'compare_events',
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
  return differenceCount === 0 ? 'The two do not differ in any field.' : undefined;
}

/** What a series comes to over the whole time. An average of averages would be wrong. */
function totalOf({ count, points }: Series, measure: string): number | null {
  const values = points.flatMap(([, value]) => (typeof value === 'number' ? [value] : []));
  switch (measure) {
    case 'count':
      return count;
    case 'sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'max':
      return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
    case 'min':
      return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
    default:
      return values.length === 1 ? values[0]! : null;
  }
}
