import { coreLimits, eventTypeNames } from '@weir/core';
import * as z from 'zod';
import { count, cursor, examples, flag, integer, list, prose, text, time, word } from '../fields.ts';
import { jsonSchemaOf } from '../json-schema.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { filterBuilder } from './filter-builder.ts';

/** An event as it was recorded. Types differ in their fields, and envelopes may have further attributes. */
export interface EventResponse {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly datacontenttype: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

const bucketsMax = 250;
const presetsMax = 100;

const eventTypesWanted = () =>
  list(z.enum(eventTypeNames), eventTypeNames.length)
    .default([])
    .describe('Only these types; empty for all.');

const timeRange = () =>
  z
    .strictObject({
      relative: text(32).optional().describe('A relative range such as `15m`, `4h` or `1d`.'),
      preset: z.enum(['today', 'yesterday']).optional().describe('A named day, in `time_zone`.'),
      day: text(32).optional().describe('A day such as `2026-01-31`, in `time_zone`.'),
      from: text(16).optional().describe('With `day`: the start of the part, such as `09:30`.'),
      to: text(16).optional().describe('With `day`: the end of the part, such as `17:00`.'),
      start: text(40).optional().describe('The start, such as `2026-01-31T12:00:00Z`; with `end`.'),
      end: text(40).optional().describe('The end, exclusive; with `start`.'),
      time_zone: text(64)
        .default('UTC')
        .describe('The time zone of days: `UTC`, or a name such as `Europe/Vienna`.'),
    })
    .optional()
    .describe(
      'The time range: one of `relative`, `preset`, `day`, or `start` and `end`. At most 24 hours; by default, the last hour.',
    );

const filter = () =>
  prose(coreLimits.filterCharsMax)
    .default('')
    .describe('A condition such as `data.operation == "WRITE"`; empty for all.');

const builder = () => filterBuilder().optional().describe('The filter as rows. Use either this or the text.');

const timelineWanted = () =>
  z.strictObject({
    group_by: text(1024)
      .optional()
      .describe('A field such as `type` or `data.operation`: one series per value.'),
    then_by: text(1024)
      .optional()
      .describe('A second field, with `group_by`: one series per pair of values that events have.'),
    aggregation: z
      .enum(['count', 'avg', 'max', 'min', 'sum'])
      .default('count')
      .describe(
        'The value of each bucket: the number of events, including denials that `data.suppressed` and `data.suppressed_others` of `acl_logs` count, or an aggregate of `field`.',
      ),
    field: text(1024).optional().describe('The numeric field. Not needed for `count`.'),
    series_limit: integer(1, coreLimits.eventSeriesMax)
      .default(10)
      .describe('The maximum number of series; all other values are one more series.'),
  });

const anyObject = () =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    )
    .meta({ type: 'object' });

const eventFields = z.object({
  specversion: text(16).describe('The CloudEvents version.'),
  id: text(256).describe('The event.'),
  source: text(1024).describe(
    'The source: `ws:agent:` with cluster and agent, or a part of the control plane.',
  ),
  type: text(64).describe('The type of event, such as `acl_logs`.'),
  time: time().describe('When it happened.'),
  datacontenttype: text(64).describe('The content type of `data`: `application/json`.'),
  data: anyObject().describe(
    'What happened. Its fields depend on the type; `list_event_fields` lists those that events have.',
  ),
});

/** Validates the known attributes and passes on the others, which an object schema would drop. */
const event = z
  .custom<EventResponse>((value) => eventFields.safeParse(value).success)
  .meta({
    ...jsonSchemaOf(eventFields, 'output'),
    id: 'Event',
    description: 'An event as recorded. It may have more attributes.',
  });

const events = (itemsMax: number) => list(event, itemsMax);

const stats = () =>
  z
    .object({
      events_matched: count().describe('Scanned events that match the filter.'),
      is_exact: z.boolean().describe('Whether the whole time range was scanned.'),
      events_scanned: count().describe('The number of scanned events.'),
      events_pruned: count().describe('The number of events that were skipped without a scan.'),
      events_cached: count().describe('The number of events whose result was cached.'),
      bytes_scanned: count().describe('Scanned bytes, uncompressed.'),
      bytes_read: count().describe('Bytes read from storage.'),
      ms: count().describe('How long it took, in milliseconds.'),
    })
    .describe('What the search cost.');

const partial = () =>
  z
    .enum(['time', 'bytes', 'answer_bytes'])
    .optional()
    .describe('The limit that cut the result short. What was returned is correct.');

const message = () =>
  text().optional().describe('A note for people, such as that no events have been recorded yet.');

/** What every search says of itself. */
const searchOutcome = { stats: stats(), partial: partial(), message: message() };

const value = () => z.union([prose(coreLimits.eventBytesMax), z.number(), z.boolean()]);

const timeline = () =>
  z.object({
    bucket_seconds: z
      .number()
      .describe('The length of a bucket. The time of a point is the start of its bucket.'),
    is_approximate: z
      .boolean()
      .describe('Whether the series are approximate because there were too many values.'),
    series: list(
      z.object({
        key: value()
          .nullable()
          .describe('The value of the `group_by` field; `null` if events lack it or nothing is grouped.'),
        then_key: value()
          .nullable()
          .optional()
          .describe('The value of the `then_by` field; only with `then_by`.'),
        is_other: z.boolean().describe('Whether it combines all values without a series of their own.'),
        count: count().describe('The number of events, or of values if a field is aggregated.'),
        total: z
          .number()
          .describe('The value over the whole range; an average covers all values.')
          .nullable()
          .describe('The value over the whole range; `null` if there is nothing to aggregate.'),
        points: list(list(z.union([time(), z.number()]).nullable(), 2, 2), bucketsMax).describe(
          'Pairs of time and value; `null` if there is nothing to aggregate.',
        ),
      }),
      coreLimits.eventSeriesMax + 1,
    ).describe('The series, most events first.'),
  });

const scope = {
  event_types: eventTypesWanted(),
  time_range: timeRange(),
  filter: filter(),
  filter_builder: builder(),
};

const searchErrors = [
  'events_disabled',
  'window_too_large',
  'filter_syntax',
  'no_query_engine',
  'too_many_queries',
] as const;

const exampleEvent: EventResponse = {
  specversion: '1.0',
  id: '0f1e2d3c-4b5a-4968-8776-000000000010',
  source: `ws:agent:${examples.cluster}:${examples.agent}`,
  type: 'acl_logs',
  time: '2026-01-31T12:00:00.000Z',
  datacontenttype: 'application/json',
  data: { operation: 'WRITE', resource_type: 'TOPIC', resource_name: 'orders', principal: 'User:shop' },
};

const exampleStats = {
  events_matched: 1,
  is_exact: true,
  events_scanned: 12_000,
  events_pruned: 900_000,
  events_cached: 0,
  bytes_scanned: 840_000,
  bytes_read: 120_000,
  ms: 31,
};

const exampleTimeline = {
  bucket_seconds: 30,
  is_approximate: false,
  series: [{ key: 'WRITE', is_other: false, count: 1, total: 1, points: [['2026-01-31T12:00:00.000Z', 1]] }],
};

const problem = () =>
  z.object({
    from: count().describe('The start, in UTF-16 code units.'),
    to: count().describe('The end; equal to the start if something is missing.'),
    line: count().describe('The line, from 1.'),
    column: count().describe('The column, from 1.'),
    message: prose().describe('What is wrong.'),
    suggestion: prose(coreLimits.filterCharsMax).optional().describe('A suggested replacement.'),
  });

export const eventOperations = [
  defineClusterOperation({
    name: 'search_events',
    title: 'Search events',
    summary: 'Search events of a virtual cluster by time, type and filter, and count them over time.',
    description:
      'Gives up to 100 events, the newest first unless `sort` says otherwise. A search that takes too long gives what it has found and says so in `partial`.',
    input: clusterInput({
      ...scope,
      sort: z.enum(['asc', 'desc']).default('desc').describe('Whether the oldest come first or the newest.'),
      limit: integer(1, coreLimits.eventRowsMax).default(coreLimits.eventRowsMax).describe('Events at most.'),
      cursor: cursor()
        .optional()
        .describe('`next_cursor` of the previous response; omit it for the first page.'),
      timeline: timelineWanted()
        .optional()
        .describe('The timeline to return besides. Without it, none; not together with `cursor`.'),
    }),
    output: z.object({
      events: events(coreLimits.eventRowsMax).describe('The events as they were recorded.'),
      truncated: z.boolean().describe('Whether more events pass the filter.'),
      next_cursor: cursor().nullable().describe('The cursor of the next events, or `null` after the last.'),
      timeline: timeline().optional().describe('The events over time, when that was asked for.'),
      ...searchOutcome,
    }),
    errors: searchErrors,
    example: {
      input: {
        event_types: ['acl_logs'],
        time_range: { relative: '15m' },
        filter: 'data.operation == "WRITE" and data.resource_name like "ord%"',
        timeline: { group_by: 'data.operation' },
      },
      output: {
        events: [exampleEvent],
        truncated: false,
        next_cursor: null,
        timeline: exampleTimeline,
        stats: exampleStats,
      },
    },
  }),
  defineClusterOperation({
    name: 'get_events_timeline',
    title: 'Chart events',
    summary: 'Chart the number of events, or a numeric field of them, over time.',
    input: clusterInput({ ...scope, ...timelineWanted().shape }),
    output: z.object({
      timeline: timeline().describe('The events over time.'),
      ...searchOutcome,
    }),
    errors: searchErrors,
    example: {
      input: {
        event_types: ['acl_logs'],
        time_range: { relative: '1h' },
        group_by: 'data.operation',
      },
      output: { timeline: exampleTimeline, stats: exampleStats },
    },
  }),
  defineClusterOperation({
    name: 'list_event_fields',
    title: 'List fields of events',
    summary: 'List the fields of events, how many events have them, and their most frequent values.',
    description: 'Looks at the newest events that pass the filter, up to 2000 of them.',
    input: clusterInput(scope),
    output: z.object({
      fields: list(
        z.object({
          name: prose(coreLimits.eventBytesMax).describe('The field, as in a filter.'),
          types: list(z.enum(['string', 'number', 'boolean', 'object']), 4).describe('What its values are.'),
          events: count().describe('Events that have it.'),
          distinct_values: count().describe('Its values; at most as many are distinguished as are counted.'),
          top_values: list(
            z.object({
              value: value().describe('The value.'),
              events: count().describe('Events that have it.'),
            }),
            coreLimits.eventFieldValuesMax,
          ).describe('Most frequent first.'),
        }),
        coreLimits.eventFieldsMax,
      ).describe('The fields.'),
      sampled_events: count().describe('The number of scanned events.'),
      is_sample: z.boolean().describe('Whether there were more events.'),
      ...searchOutcome,
    }),
    errors: searchErrors,
    example: {
      input: { event_types: ['acl_logs'] },
      output: {
        fields: [
          {
            name: 'data.operation',
            types: ['string'],
            events: 1,
            distinct_values: 1,
            top_values: [{ value: 'WRITE', events: 1 }],
          },
        ],
        sampled_events: 1,
        is_sample: false,
        stats: exampleStats,
      },
    },
  }),
  defineClusterOperation({
    name: 'get_event',
    title: 'Describe an event',
    summary: 'Describe an event by its id, with the events before and after it.',
    description: 'Searches twelve hours before and after `near`, or else the last 24 hours.',
    input: clusterInput({
      event_id: text(256, 1).describe('The `id` of the event.'),
      event_types: eventTypesWanted(),
      near: word(
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/,
        40,
        'is not a time such as 2026-01-31T12:00:00Z',
      )
        .optional()
        .describe('Roughly when it happened, such as its `time`.'),
      neighbors: integer(0, coreLimits.eventNeighboursMax)
        .default(0)
        .describe('How many events before it and after it to return.'),
    }),
    output: z.object({
      event: event.describe('The event.'),
      before: events(coreLimits.eventNeighboursMax).describe('Events before it, by time.'),
      after: events(coreLimits.eventNeighboursMax).describe('Events after it, by time.'),
      stats: stats(),
    }),
    errors: ['events_disabled', 'no_query_engine', 'too_many_queries'],
    example: {
      input: {
        event_id: exampleEvent.id,
        near: '2026-01-31T12:00:00Z',
        neighbors: 5,
      },
      output: { event: exampleEvent, before: [], after: [], stats: exampleStats },
    },
  }),
  defineClusterOperation({
    name: 'list_event_presets',
    title: 'List predefined searches',
    summary: 'List predefined event searches.',
    output: z.object({
      presets: list(
        z.object({
          title: text(128).describe('Its name.'),
          event_types: list(z.enum(eventTypeNames), eventTypeNames.length).describe(
            'Event types; empty for all.',
          ),
          filter: prose(coreLimits.filterCharsMax).describe('The filter, or empty.'),
          time_range: z
            .object({
              relative: text(32).optional().describe('A relative range.'),
              preset: z.enum(['today', 'yesterday']).optional().describe('A named day.'),
              day: text(32).optional().describe('A day.'),
              from: text(16).optional().describe('The start of a part of the day.'),
              to: text(16).optional().describe('The end of the part.'),
              start: time().optional().describe('A moment.'),
              end: time().optional().describe('The end.'),
            })
            .describe('The time range.'),
          group_by: text(1024).describe('The field whose values are the series of its timeline.'),
          columns: list(text(1024), 8)
            .optional()
            .describe('Fields that say most about each event, to show beside its message.'),
          emitted: z.boolean().optional().describe('Whether this release emits events that it can find.'),
        }),
        presetsMax,
      ).describe('The searches.'),
    }),
    example: {
      output: {
        presets: [
          {
            title: 'ACL by Operation',
            event_types: ['acl_logs'],
            filter: '',
            time_range: { relative: '1h' },
            group_by: 'data.operation',
            emitted: true,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'check_event_filter',
    title: 'Check a filter',
    summary: 'Check a filter and locate its errors.',
    description: 'With `with_estimate`, an agent also estimates from metadata what a search would read.',
    input: clusterInput({
      filter: filter(),
      filter_builder: builder(),
      event_types: eventTypesWanted(),
      time_range: timeRange(),
      with_estimate: flag(
        'Whether to estimate what a search over the time range would read. Events must be on.',
      ),
    }),
    output: z.object({
      is_valid: z.boolean().describe('Whether the filter is valid.'),
      filter: prose(coreLimits.filterCharsMax)
        .nullable()
        .describe('The filter as text, or `null` if it is not valid.'),
      filter_builder: filterBuilder()
        .nullable()
        .describe('The filter as rows, or `null` if rows cannot express it.'),
      problems: list(problem(), coreLimits.filterProblemsMax).describe('What is wrong with it.'),
      warnings: list(problem(), coreLimits.filterProblemsMax).describe(
        'Fields that events of these types are not known to have. They may exist anyway.',
      ),
      estimate: z
        .object({
          events: count().describe('The number of events that types, time and filter do not exclude.'),
          bytes: count().describe('Bytes to read for them.'),
          is_partial: z
            .boolean()
            .describe('Whether the estimate is a lower bound because it ran out of time.'),
        })
        .optional()
        .describe(
          'An upper bound of what a search scans; it stops early once it has enough events. Only if requested, for a valid filter.',
        ),
      message: message(),
    }),
    errors: ['events_disabled', 'window_too_large', 'no_query_engine', 'too_many_queries'],
    example: {
      input: { filter: 'data.operation = "WRITE"' },
      output: {
        is_valid: false,
        filter: null,
        filter_builder: null,
        problems: [
          { from: 15, to: 16, line: 1, column: 16, message: 'to compare, write `==`', suggestion: '==' },
        ],
        warnings: [],
      },
    },
  }),
] as const;
