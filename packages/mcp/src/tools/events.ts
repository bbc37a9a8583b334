import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import { coreLimits } from '@weir/core';
import { type EventRecord, eventMessage } from '@weir/events';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfPages } from '../answers/rows.ts';
import { formatArguments, listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import {
  basisHint,
  linkOf,
  scopeOf,
  searchArguments,
  searchOutput,
  shortTypesArguments,
  statsOf,
} from './event-search.ts';

type Event = OutputOf<'search_events'>['events'][number];

const concise = ['time', 'type', 'level', 'message', 'id'];
const fieldsMax = 10;
const neighboursMax = 10;
const nextCall = 'get_event gives one of them whole, with what happened around it.';

export const eventTools = [
  defineClusterTool({
    name: 'search_events',
    icon: 'events',
    operations: ['search_events'],
    summary: 'Find events of a virtual cluster by time, type and filter, newest first.',
    note: 'aggregate_events counts them and is cheaper; use it first.',
    needsEvents: true,
    input: {
      ...searchArguments,
      sort: catalogue.search_events.input.shape.sort.describe('The order.'),
      fields: z
        .array(z.string().max(256))
        .max(fieldsMax)
        .default([])
        .describe('More fields to show, such as data.principal.'),
      ...listArguments(20),
      limit: z.int().min(1).max(coreLimits.eventRowsMax).default(20).describe('Events at most.'),
    },
    output: {
      ...searchOutput,
      events: z
        .array(z.record(z.string(), z.unknown()))
        .describe(
          'concise: time, type, level, message, id and the fields asked for; detailed: whole events.',
        ),
    },
    async run(args, context, clusterId) {
      const scope = scopeOf(args, context);
      let last: OutputOf<'search_events'> | undefined;
      return answerOfPages({
        tool: 'search_events',
        args,
        name: 'events',
        concise: [...concise, ...args.fields],
        async page(limit, cursor) {
          last = await context.call('search_events', {
            virtual_cluster_id: clusterId,
            ...scope,
            sort: args.sort,
            limit,
            cursor,
          });
          const rows =
            args.format === 'detailed' ? last.events : last.events.map((one) => rowOf(one, args.fields));
          return { rows, nextCursor: last.next_cursor };
        },
        lateFields: () => ({ stats: statsOf(last!) }),
        hint: (_shown, hasMore) => basisHint(last!) ?? (hasMore ? undefined : nextCall),
        consoleUrl: context.consoleUrl(consolePaths.events(clusterId, { ...linkOf(args), sort: args.sort })),
      });
    },
  }),
  defineClusterTool({
    name: 'get_event',
    icon: 'events',
    operations: ['get_event'],
    needsEvents: true,
    input: {
      event_id: catalogue.get_event.input.shape.event_id,
      near: z.string().max(40).optional().describe('Its time, for a faster search.'),
      ...shortTypesArguments,
      neighbors: z
        .int()
        .min(0)
        .max(neighboursMax)
        .default(0)
        .describe('Events to show before it, and as many after it.'),
      ...formatArguments,
    },
    output: {
      event: z.record(z.string(), z.unknown()).describe('The event as it was recorded.'),
      before: z.array(z.record(z.string(), z.unknown())).describe('Events before it.'),
      after: z.array(z.record(z.string(), z.unknown())).describe('Events after it.'),
    },
    async run({ event_id, near, event_types, neighbors, format, max_tokens }, context, clusterId) {
      const found = await context.call('get_event', {
        virtual_cluster_id: clusterId,
        event_id,
        event_types,
        near,
        neighbors,
      });
      const shown = (all: readonly Event[]) =>
        format === 'detailed' ? all : all.map((one) => rowOf(one, []));
      return answerOf(
        { event: found.event, before: shown(found.before), after: shown(found.after) },
        {
          hint:
            neighbors === 0
              ? 'With neighbors it shows what happened before and after; search_events with a filter shows others like it.'
              : undefined,
          console_url: context.consoleUrl(consolePaths.events(clusterId, { event: event_id })),
        },
        { format, max_tokens },
      );
    },
  }),
];

/** The row of an event in an explorer. */
function rowOf(event: Event, fields: readonly string[]) {
  const { time, type, data, id } = event;
  const row: Record<string, unknown> = {
    time,
    type,
    level: data.log_level ?? data.severity ?? null,
    message: eventMessage({ data: data as EventRecord['data'] }),
    id,
  };
  for (const field of fields) row[field] = valueAt(event, field) ?? null;
  return row;
}

/** Returns the value of a field in the syntax of filters. A key in backticks may contain dots. */
function valueAt(event: Event, field: string): unknown {
  const keys = [...field.matchAll(/`([^`]*)`|([^.`]+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  let value: unknown = event;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
