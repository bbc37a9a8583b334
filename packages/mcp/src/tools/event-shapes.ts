import { catalogue, consolePaths } from '@weir/api';
import { caps } from '@weir/core';
import { eventTypeNames, eventTypes, filterFieldsOf, parseFilter, pointAt, printFilter } from '@weir/events';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfRows } from '../answers/rows.ts';
import { clusterArgument, formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import type { Asking } from './asking.ts';
import {
  basisHint,
  linkOf,
  onEvents,
  scopeOf,
  searchArguments,
  searchOutput,
  statsOf,
} from './event-search.ts';
import { onCluster } from './find-cluster.ts';
import { defineTool } from './tool.ts';

const field = catalogue.list_event_fields.output.shape.fields.element.shape;
const problem = catalogue.check_event_filter.output.shape.problems.element;
const fieldColumns = ['name', 'types', 'coverage_percent', 'distinct_values', 'top_values'];

export const eventShapeTools = [
  defineTool({
    name: 'list_event_types',
    operations: ['get_events_state', 'get_events_timeline'],
    title: 'List event types',
    summary:
      'Lists the event types, whether a virtual cluster records them, and how many it had in 24 hours.',
    input: { ...clusterArgument, ...formatArguments },
    output: {
      events_enabled: z.boolean().describe('Whether events are recorded at all.'),
      event_types: z.array(
        z.object({
          type: z.enum(eventTypeNames),
          enabled: z.boolean().describe('Whether the type is recorded.'),
          events_24h: z.int().nullable().describe('Events in 24 hours; null if nobody could count.'),
          last_seen: z.string().nullable().describe('About when the last one came.'),
          description: z.string(),
        }),
      ),
    },
    async run({ virtual_cluster: given, format, max_tokens: tokensMax }, asking) {
      return onCluster(asking, given, async (clusterId) => {
        const state = await asking.call('get_events_state', { virtual_cluster_id: clusterId });
        const counts = state.enabled ? await countsByType(clusterId, asking) : undefined;
        return answerOf(
          {
            events_enabled: state.enabled,
            event_types: eventTypeNames.map((type) => ({
              type,
              enabled: state.enabled && state.event_types[type]?.enabled === true,
              events_24h: counts === undefined ? null : (counts.get(type)?.count ?? 0),
              last_seen: counts?.get(type)?.lastSeen ?? null,
              description: eventTypes[type].description,
            })),
          },
          {
            truncated: false,
            next_cursor: null,
            hint: state.enabled
              ? 'list_event_fields tells the fields of a type, for filters.'
              : 'Events are off here. An administrator can turn them on in the Events tab, or with update_events_state.',
            console_url: asking.consoleUrl(consolePaths.events(clusterId)),
          },
          { format, tokensMax },
        );
      });
    },
  }),
  defineTool({
    name: 'list_event_fields',
    operations: ['list_event_fields'],
    input: { ...clusterArgument, ...searchArguments, ...queryArgument, ...listArguments(50) },
    output: {
      ...searchOutput,
      total: z.int().describe('How many there are.'),
      sampled_events: catalogue.list_event_fields.output.shape.sampled_events,
      fields: z.array(
        z.object({
          name: field.name,
          types: field.types,
          coverage_percent: z.number().describe('Of the events that were looked at, how many have it.'),
          distinct_values: field.distinct_values,
          top_values: z.array(z.string()).describe('Frequent values, each with its count.'),
        }),
      ),
    },
    async run(args, asking) {
      return onEvents(asking, args.virtual_cluster, async (clusterId) => {
        const found = await asking.call('list_event_fields', {
          virtual_cluster_id: clusterId,
          ...scopeOf(args, asking),
        });
        const { sampled_events } = found;
        return answerOfRows({
          tool: 'list_event_fields',
          args,
          name: 'fields',
          concise: fieldColumns,
          fields: { stats: statsOf(found), sampled_events },
          items: found.fields.filter(({ name }) => hasQuery(name, args.query)),
          keyOf: ({ name }) => name,
          rowsOf: (shown) =>
            shown.map((one) => ({
              name: one.name,
              types: one.types,
              coverage_percent: percent(one.events, sampled_events),
              distinct_values: one.distinct_values,
              top_values: one.top_values.map(
                ({ value, events }) => `${String(value).slice(0, 80)} (${events})`,
              ),
            })),
          hint: () => basisHint(found),
          consoleUrl: asking.consoleUrl(consolePaths.events(clusterId, linkOf(args))),
        });
      });
    },
  }),
  defineTool({
    name: 'check_filter',
    operations: ['check_event_filter'],
    note: 'Needs no virtual cluster.',
    input: {
      filter: z.string().max(caps.filterCharsMax).describe('The filter.'),
      event_types: catalogue.search_events.input.shape.event_types,
      ...formatArguments,
    },
    output: {
      is_valid: catalogue.check_event_filter.output.shape.is_valid,
      normalized: z.string().nullable().describe('The filter as it is understood.'),
      problems: z.array(problem).describe('What is wrong.'),
      unknown_fields: z.array(problem).describe('Fields that events of these types are not known to have.'),
      marked: z.string().nullable().describe('The line with marks under the first problem.'),
    },
    async run({ filter: text, event_types, format, max_tokens: tokensMax }, asking) {
      const { filter, problems = [] } = parseFilter(text);
      const types = event_types.length === 0 ? undefined : event_types;
      const checked = filter === undefined ? undefined : parseFilter(text, { fields: filterFieldsOf(types) });
      const unknown = checked?.problems ?? [];
      const first = problems[0] ?? unknown[0];
      return answerOf(
        {
          is_valid: filter !== undefined,
          normalized: filter === undefined ? null : printFilter(filter),
          problems,
          unknown_fields: unknown,
          marked: first === undefined ? null : pointAt(text, first),
        },
        {
          truncated: false,
          next_cursor: null,
          hint: hintOf(problems.length, unknown.length),
          console_url: asking.consoleUrl(consolePaths.clusters()),
        },
        { format, tokensMax },
      );
    },
  }),
];

function hintOf(problemCount: number, unknownCount: number): string | undefined {
  if (problemCount > 0) return 'The resource events://filter-language has the whole language.';
  return unknownCount > 0
    ? 'The filter can be used, but may match nothing; list_event_fields tells the fields that events have.'
    : undefined;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}

/** Nobody could be asked when no agent answers; the types are told all the same. */
async function countsByType(clusterId: string, asking: Asking) {
  const found = await asking
    .call('get_events_timeline', {
      virtual_cluster_id: clusterId,
      time_range: { relative: '24h' },
      group_by: 'type',
      series_limit: eventTypeNames.length,
    })
    .catch(() => undefined);
  if (found === undefined) return undefined;
  return new Map(
    found.timeline.series.map(({ key, count, points }) => {
      const last = points.findLast(([, value]) => Number(value) > 0);
      return [String(key), { count, lastSeen: last === undefined ? null : String(last[0]) }] as const;
    }),
  );
}
