import type { EventResponse, OutputOf } from '@weir/api';
import { timeText } from '@weir/core';
import type { EventRow, FieldSummary, QueryStats, Timeline } from '@weir/events';

type SearchAnswer = OutputOf<'search_events'>;
type TimelineResponse = NonNullable<SearchAnswer['timeline']>;
type FieldResponse = OutputOf<'list_event_fields'>['fields'][number];

/** Converts answers of the engine to responses. */

export function toEventResponse({ event }: EventRow): EventResponse {
  return event as EventResponse;
}

export function toStatsResponse(stats: QueryStats): SearchAnswer['stats'] {
  return {
    events_matched: stats.eventsMatched,
    is_exact: stats.isExact,
    events_scanned: stats.eventsScanned,
    events_pruned: stats.eventsPruned,
    events_cached: stats.eventsCached,
    bytes_scanned: stats.bytesScanned,
    bytes_read: stats.bytesRead,
    ms: Math.round(stats.elapsedMs),
  };
}

export function toTimelineResponse({ bucketMs, startMs, isApproximate, series }: Timeline): TimelineResponse {
  return {
    bucket_seconds: bucketMs / 1000,
    is_approximate: isApproximate,
    series: series.map(({ key, thenKey, count, total, values }) => ({
      key: key ?? null,
      ...(thenKey === undefined ? {} : { then_key: thenKey }),
      is_other: key === undefined,
      count,
      // Agents of earlier releases do not send it.
      total: total ?? null,
      points: values.map((value, bucket) => [timeText(startMs + bucket * bucketMs), value]),
    })),
  };
}

export function toFieldResponse({
  name,
  types,
  presentEvents,
  distinctValues,
  topValues,
}: FieldSummary): FieldResponse {
  return {
    name,
    types: [...types],
    events: presentEvents,
    distinct_values: distinctValues,
    // A null field counts as missing, so null is not a value.
    top_values: topValues.flatMap(({ value, events }) => (value === null ? [] : [{ value, events }])),
  };
}
