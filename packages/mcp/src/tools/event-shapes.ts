import { ApiError, catalogue, consolePaths } from '@weir/api';
import { coreLimits, GiB } from '@weir/core';
import { eventTypeNames, eventTypes, filterFieldsOf, parseFilter, printFilter } from '@weir/events';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfRows } from '../answers/rows.ts';
import { clusterArgument, formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import {
  basisHint,
  linkOf,
  type SearchArguments,
  scopeOf,
  searchOutput,
  shortSearchArguments,
  shortTimeArguments,
  shortTypesArguments,
  statsOf,
} from './event-search.ts';
import { onCluster } from './find-cluster.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

const field = catalogue.list_event_fields.output.shape.fields.element.shape;
const problem = catalogue.check_event_filter.output.shape.problems.element;
const fieldColumns = ['name', 'types', 'coverage_percent', 'distinct_values', 'top_values'];

export const eventShapeTools = [
  defineClusterTool({
    name: 'list_event_types',
    icon: 'events',
    operations: ['get_events_state', 'get_events_timeline'],
    title: 'List event types',
    summary: 'List the event types, whether a virtual cluster records them, and their counts of 24 hours.',
    input: { ...formatArguments },
    output: {
      events_enabled: z.boolean().describe('Whether events are recorded at all.'),
      event_types: z.array(
        z.object({
          type: z.enum(eventTypeNames),
          enabled: z
            .boolean()
            .describe('Whether the type is recorded: turned on, and emitted by this release.'),
          events_24h: z.int().nullable().describe('Events in 24 hours; null if unknown.'),
          last_seen: z.string().nullable().describe('About when the last one came.'),
          description: z.string(),
        }),
      ),
    },
    async run(args, context, clusterId) {
      const state = await context.call('get_events_state', { virtual_cluster_id: clusterId });
      const counts = state.enabled ? await countsByType(clusterId, context) : undefined;
      return answerOf(
        {
          events_enabled: state.enabled,
          // Clusters of other kinds record other types.
          event_types: eventTypeNames
            .filter((type) => type in state.event_types)
            .map((type) => ({
              type,
              enabled:
                state.enabled &&
                state.event_types[type]?.enabled === true &&
                state.event_types[type].emitted !== false,
              events_24h: counts === undefined ? null : (counts.get(type)?.count ?? 0),
              last_seen: counts?.get(type)?.lastSeen ?? null,
              description: withoutLinks(eventTypes[type].description),
            })),
        },
        {
          hint: state.enabled
            ? 'list_event_fields lists the fields of a type, for filters.'
            : 'Events are off here. An administrator can turn them on with weir cli events enable, or with update_events_state.',
          console_url: context.consoleUrl(consolePaths.events(clusterId)),
        },
        args,
      );
    },
  }),
  defineClusterTool({
    name: 'list_event_fields',
    icon: 'events',
    operations: ['list_event_fields'],
    needsEvents: true,
    input: {
      ...shortSearchArguments,
      ...queryArgument,
      ...listArguments(50),
    },
    output: {
      ...searchOutput,
      total: z.int().describe('How many there are.'),
      sampled_events: catalogue.list_event_fields.output.shape.sampled_events,
      fields: z.array(
        z.object({
          name: field.name,
          types: field.types,
          coverage_percent: z.number().describe('The number of scanned events that have it.'),
          distinct_values: field.distinct_values,
          top_values: z.array(z.string()).describe('Frequent values, each with its count.'),
        }),
      ),
    },
    async run(args, context, clusterId) {
      const found = await context.call('list_event_fields', {
        virtual_cluster_id: clusterId,
        ...scopeOf(args, context),
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
        hint: (_shown, hasMore) =>
          basisHint(found) ??
          (hasMore ? undefined : 'Filters, and group_by of aggregate_events, take these names.'),
        consoleUrl: context.consoleUrl(consolePaths.events(clusterId, linkOf(args))),
      });
    },
  }),
  defineTool({
    name: 'check_filter',
    icon: 'events',
    operations: ['check_event_filter'],
    note: 'With a virtual cluster it estimates what a search would read.',
    input: {
      filter: z.string().max(coreLimits.filterCharsMax).describe('The filter.'),
      virtual_cluster_id: clusterArgument.virtual_cluster_id.optional(),
      ...shortTypesArguments,
      ...shortTimeArguments,
      ...formatArguments,
    },
    output: {
      is_valid: catalogue.check_event_filter.output.shape.is_valid,
      normalized: z.string().nullable().describe('The filter as it is understood.'),
      problems: z.array(problem).describe('What is wrong.'),
      unknown_fields: z.array(problem).describe('Fields that events of these types are not known to have.'),
      marked: z.string().nullable().describe('The filter with marks around the first problem.'),
      estimate: z
        .object({
          events: z.int().describe('Events that types, time and filter do not exclude.'),
          bytes: z.int().describe('Bytes to read for them.'),
        })
        .nullable()
        .describe('What a search would take at most; null without a virtual cluster.'),
    },
    async run(args, context) {
      const { filter: text, virtual_cluster_id: given, event_types } = args;
      const { filter, problems = [] } = parseFilter(text);
      const types = event_types.length === 0 ? undefined : event_types;
      const checked = filter === undefined ? undefined : parseFilter(text, { fields: filterFieldsOf(types) });
      const unknown = checked?.problems ?? [];
      const first = problems[0] ?? unknown[0];
      const { estimate, url, advice } =
        filter === undefined || given === undefined ? unestimated : await estimateOf(given, args, context);
      return answerOf(
        {
          is_valid: filter !== undefined,
          normalized: filter === undefined ? null : printFilter(filter),
          problems,
          unknown_fields: unknown,
          marked: first === undefined ? null : marked(text, first),
          estimate,
        },
        {
          hint: [hintOf(problems.length, unknown.length), advice ?? nextCallOf(problems.length, given)]
            .filter(Boolean)
            .join(' '),
          console_url: context.consoleUrl(url),
        },
        args,
      );
    },
  }),
];

function hintOf(problemCount: number, unknownCount: number): string | undefined {
  if (problemCount > 0) return 'The resource events://filter-language has the whole language.';
  return unknownCount > 0
    ? 'The filter can be used, but may match nothing; list_event_fields lists the fields that events have.'
    : undefined;
}

interface Estimated {
  readonly estimate: { readonly events: number; readonly bytes: number } | null;
  /** The same search in the console. */
  readonly url: string;
  readonly advice?: string;
}

const unestimated: Estimated = { estimate: null, url: consolePaths.clusters() };

/** A larger search may exceed its time, on an agent that reads some hundred megabytes per second. */
const manyBytes = 2 * GiB;

/** The filter is already checked, so any other failure is reported beside the result of the check. */
async function estimateOf(given: string, args: SearchArguments, context: ToolContext): Promise<Estimated> {
  const scope = scopeOf(args, context);
  return onCluster(context, given, async (clusterId): Promise<Estimated> => {
    const url = consolePaths.events(clusterId, linkOf(args));
    try {
      const question = { virtual_cluster_id: clusterId, ...scope, with_estimate: true };
      const { estimate, message } = await context.call('check_event_filter', question);
      if (estimate === undefined) return { estimate: null, url };
      const { events, bytes, is_partial: isMore } = estimate;
      const advice = message ?? adviceOn(bytes, isMore);
      return { estimate: { events, bytes }, url, ...(advice === undefined ? {} : { advice }) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'not_found') throw error;
      return { estimate: null, url, advice: `There is no estimate: ${error.message}` };
    }
  });
}

function adviceOn(bytes: number, isMore: boolean): string | undefined {
  if (isMore || bytes > manyBytes)
    return 'That is much for one search: narrow the time or the event types first.';
  return undefined;
}

function nextCallOf(problemCount: number, given: string | undefined): string | undefined {
  if (problemCount > 0) return undefined;
  return given === undefined
    ? 'aggregate_events and search_events take it; with virtual_cluster_id this estimates what they would read.'
    : 'aggregate_events and search_events take it.';
}

/** In one line, since answers are read line by line: markers under a line would be separated from it. */
function marked(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  return `${text.slice(0, from)}>>>${text.slice(from, to)}<<<${text.slice(to)}`;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}

/** The links lead to pages that are not available here. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** Without an agent that answers there are no counts; the types are listed anyway. */
async function countsByType(clusterId: string, context: ToolContext) {
  const found = await context
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
