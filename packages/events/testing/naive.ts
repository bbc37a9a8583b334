import { coreLimits } from '@weir/core';
import { isObject } from '../src/event-object.ts';
import type { EventSource } from '../src/event-source.ts';
import { type EventTypeName, eventTypeNames } from '../src/event-types.ts';
import { bucketsOf } from '../src/query/buckets.ts';
import { groupKeys, numbersOf, valuesOf } from '../src/query/cells.ts';
import { summarizeFields } from '../src/query/field-summary.ts';
import { occurrencesOf, suppressedFields } from '../src/query/occurrences.ts';
import { compareKeys, comparePositions, positionOrder } from '../src/query/order.ts';
import type {
  Aggregation,
  EventAnswer,
  EventRequest,
  EventRow,
  FieldsAnswer,
  FieldsRequest,
  SearchAnswer,
  SearchRequest,
  Timeline,
  TimelineRequest,
  TimelineSeries,
} from '../src/query/request.ts';
import type { TimeWindow } from '../src/time-range.ts';
import { matches } from './evaluate.ts';

/** The answer of a query without its stats. */
type BareAnswer<Answer> = Omit<Answer, 'stats' | 'partial' | 'hasNoData'>;

/**
 * The reference semantics of queries, as simple as possible: read everything, parse it, filter it. Tests compare the
 * engine with it.
 */
export async function naiveSearch(
  request: SearchRequest,
  source: EventSource,
): Promise<BareAnswer<SearchAnswer>> {
  const found = await matching(request, source);
  const { after } = request;
  const inOrder = positionOrder(request.order);
  const rows = found.filter((row) => after === undefined || inOrder(row, after) > 0).sort(inOrder);
  return {
    kind: 'search',
    rows: rows.slice(0, request.limit),
    hasMore: rows.length > request.limit,
    timeline: request.timeline && naiveTimeline(found, request.timeline, request.window),
  };
}

export async function naiveFields(
  request: FieldsRequest,
  source: EventSource,
): Promise<BareAnswer<FieldsAnswer>> {
  const found = (await matching(request, source)).sort(positionOrder('desc'));
  const sample = found.slice(0, coreLimits.eventFieldSampleMax);
  return {
    kind: 'fields',
    fields: summarizeFields(sample.map(({ event }) => event)),
    sampledEvents: sample.length,
    isSample: found.length > sample.length,
  };
}

export async function naiveEvent(
  request: EventRequest,
  source: EventSource,
): Promise<BareAnswer<EventAnswer>> {
  const rows = (await everyRow(request, source)).sort(comparePositions);
  const place = rows.findLastIndex(({ event }) => isObject(event) && event.id === request.id);
  if (place === -1) return { kind: 'event', event: undefined, before: [], after: [] };
  return {
    kind: 'event',
    event: rows[place],
    before: rows.slice(Math.max(0, place - request.neighbours), place),
    after: rows.slice(place + 1, place + 1 + request.neighbours),
  };
}

async function matching(request: SearchRequest | FieldsRequest, source: EventSource): Promise<EventRow[]> {
  return (await everyRow(request, source)).filter(({ event }) => matches(request.filter, event));
}

async function everyRow(
  { types, window }: { readonly types: readonly EventTypeName[]; readonly window: TimeWindow },
  source: EventSource,
): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  const { signal } = new AbortController();
  for (const topic of await source.topics(types.length === 0 ? eventTypeNames : types)) {
    const { startOffset, endOffset, type } = topic;
    for await (const page of source.read(topic, startOffset, endOffset, signal)) {
      for (const [index, timeMs] of page.timesMs.entries()) {
        const offset = page.firstOffset + index;
        const text = Buffer.from(page.bytes.subarray(page.valueStarts[index], page.valueEnds[index]));
        const event = parsed(text.toString());
        const isInside = timeMs >= window.startMs && timeMs < window.endMs;
        if (isInside && isObject(event) && offset >= startOffset && offset < endOffset)
          rows.push({ type, offset, timeMs, event });
      }
    }
  }
  return rows;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function naiveTimeline(
  rows: readonly EventRow[],
  { groupBy, thenBy, field, aggregation, seriesMax = 10 }: TimelineRequest,
  window: TimeWindow,
): Timeline {
  const { bucketMs, firstBucket, bucketCount } = bucketsOf(window);
  const groups = new Map<string, Group>();
  for (const { type, timeMs, event } of rows) {
    const times = occurrencesOf(suppressedFields(type).map((one) => numbersOf(valuesOf(one, event))));
    const bucket = Math.floor(timeMs / bucketMs) - firstBucket;
    const numbers = field === undefined ? Array<number>(times).fill(0) : numbersOf(valuesOf(field, event));
    for (const key of groupBy === undefined ? [null] : groupKeys(valuesOf(groupBy, event))) {
      for (const thenKey of thenBy === undefined ? [undefined] : groupKeys(valuesOf(thenBy, event))) {
        const id = [key, thenKey].map((one) => `${typeof one} ${JSON.stringify(String(one))}`).join();
        if (!groups.has(id))
          groups.set(id, { names: thenKey === undefined ? { key } : { key, thenKey }, entries: [] });
        for (const number of numbers) groups.get(id)!.entries.push({ bucket, number });
      }
    }
  }
  const ranked = [...groups.values()]
    .filter(({ entries }) => entries.length > 0)
    .sort((one, other) => other.entries.length - one.entries.length || compareNames(one.names, other.names));
  const series = ranked.slice(0, seriesMax).map(({ names, entries }) => ({ ...names, ...seriesOf(entries) }));
  const others = ranked.slice(seriesMax).flatMap(({ entries }) => entries);
  return {
    bucketMs,
    startMs: firstBucket * bucketMs,
    bucketCount,
    series: others.length === 0 ? series : [...series, seriesOf(others)],
    isApproximate: false,
  };

  function seriesOf(entries: readonly Entry[]) {
    const byBucket = Map.groupBy(entries, ({ bucket }) => bucket);
    const values = Array.from({ length: bucketCount }, (_, bucket) =>
      aggregated(
        aggregation,
        (byBucket.get(bucket) ?? []).map(({ number }) => number),
      ),
    );
    const total = aggregated(
      aggregation,
      entries.map(({ number }) => number),
    );
    return { count: entries.length, total, values };
  }
}

interface Group {
  readonly names: Pick<TimelineSeries, 'key' | 'thenKey'>;
  readonly entries: Entry[];
}

function compareNames(one: Group['names'], other: Group['names']): number {
  return compareKeys(one.key!, other.key!) || compareKeys(one.thenKey ?? null, other.thenKey ?? null);
}

interface Entry {
  readonly bucket: number;
  readonly number: number;
}

function aggregated(aggregation: Aggregation, numbers: readonly number[]): number | null {
  if (aggregation === 'count') return numbers.length;
  if (numbers.length === 0) return null;
  switch (aggregation) {
    case 'sum':
      return numbers.reduce((sum, number) => sum + number);
    case 'avg':
      return numbers.reduce((sum, number) => sum + number) / numbers.length;
    case 'min':
      return numbers.reduce((least, number) => Math.min(least, number));
    case 'max':
      return numbers.reduce((most, number) => Math.max(most, number));
  }
}
