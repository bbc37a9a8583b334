import * as fc from 'fast-check';
import { isObject } from '../src/event-object.ts';
import { type EventTypeName, eventTypeNames } from '../src/event-types.ts';
import type { Field, Filter } from '../src/filter/tree.ts';
import type { SearchRequest } from '../src/query/request.ts';
import { anyEventAndFilter, anyFilter } from './any-filter.ts';
import { batchesOf, type MemoryTopic } from './memory-events.ts';

/** Times within one minute, some of them equal. */
const startMs = 1_700_000_000_000;
const anyTime = fc.oneof(
  fc.integer({ min: startMs, max: startMs + 60_000 }),
  fc.integer({ min: startMs + 10_000, max: startMs + 10_005 }),
);

export interface QueryCase {
  readonly topics: readonly MemoryTopic[];
  readonly filter: Filter;
  readonly request: Omit<SearchRequest, 'kind' | 'filter'>;
  readonly latenessMsMax: number;
  readonly stripeEvents: number;
  readonly blockEvents: number;
  /** Whether to request the fields instead. */
  readonly queriesFields: boolean;
  /** How much later the window of the second request is. */
  readonly shiftMs: number;
}

/** Records that are not events, as a broken writer would leave them. */
const anyJunk = fc.constantFrom('', 'null', '[]', '"a"', '{"a":', '5');

const anyCuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });

const aggregatedFields: readonly Field[] = [
  { path: ['size'] },
  { path: ['size'], cast: 'int' },
  { path: ['data', 'a'], cast: 'float' },
];
const groupFields: readonly Field[] = [
  { path: ['a'] },
  { path: ['data', 'b'] },
  { path: ['size'] },
  { path: ['id'] },
  { path: ['a'], cast: 'str' },
  { path: ['data'] },
];

/**
 * Events that share some fields, cut into batches, stripes and sidecars; a filter that matches some of them; and a
 * request.
 */
export const anyQueryCase: fc.Arbitrary<QueryCase> = fc
  .record({
    pool: fc.array(anyEventAndFilter, { minLength: 1, maxLength: 4, size: 'max' }),
    otherFilter: fc.option(anyFilter, { freq: 3 }),
    types: fc.uniqueArray(fc.constantFrom(...eventTypeNames), { minLength: 1, maxLength: 2 }),
    rows: fc.array(
      fc.record({
        pick: fc.nat({ max: 3 }),
        type: fc.nat({ max: 1 }),
        timeMs: anyTime,
        size: fc.integer({ min: -5, max: 5 }),
        suppressed: fc.constantFrom(undefined, undefined, 0, 1, 7, -1, 0.5, '3', [2], [2, 3]),
        others: fc.constantFrom(undefined, undefined, undefined, 3, '4', [1, 2]),
        junk: fc.option(anyJunk, { freq: 20 }),
      }),
      { maxLength: 60, size: 'max' },
    ),
    isSorted: fc.boolean(),
    batchSizes: anyCuts,
    sidecarSizes: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3, size: 'max' }),
    startOffset: fc.constantFrom(0, 7, 8190),
    stripeEvents: fc.integer({ min: 1, max: 20 }),
    blockEvents: fc.constantFrom(2, 5, 16, 8192),
    queriesFields: fc.constantFrom(true, false, false, false),
    shiftMs: fc.constantFrom(0, 4000),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.constantFrom(0, 1, 3, 100),
    from: anyTime,
    lengthMs: fc.constantFrom(1, 500, 20_000, 86_000_000),
    timeline: fc.option(
      fc.record({
        groupBy: fc.option(fc.constantFrom(...groupFields), { nil: undefined }),
        thenBy: fc.option(fc.constantFrom(...groupFields), { nil: undefined }),
        field: fc.option(fc.constantFrom(...aggregatedFields), { nil: undefined }),
        aggregation: fc.constantFrom(
          'count' as const,
          'avg' as const,
          'max' as const,
          'min' as const,
          'sum' as const,
        ),
        seriesMax: fc.constantFrom(1, 2, 10),
      }),
    ),
    after: fc.option(fc.record({ timeMs: anyTime, offset: fc.nat({ max: 60 }) }), { freq: 3 }),
    isLatenessKnown: fc.boolean(),
  })
  .map((made) => {
    const topics = made.types.map((type, index): MemoryTopic => {
      const rows = made.rows.filter((row) => row.type % made.types.length === index);
      if (made.isSorted) rows.sort((one, other) => one.timeMs - other.timeMs);
      const records = rows.map(({ pick, timeMs, size, suppressed, others, junk }, place) => {
        const event = made.pool[pick % made.pool.length]!.event as { readonly data?: unknown };
        const leftOut = {
          ...(suppressed === undefined ? {} : { suppressed }),
          ...(others === undefined ? {} : { suppressed_others: others }),
        };
        const data = isObject(event.data) ? { ...event.data, ...leftOut } : event.data;
        const text = junk ?? JSON.stringify({ ...event, data, ...idOf(type, place), size });
        return { timeMs, text };
      });
      let from = made.startOffset;
      const sidecars = made.sidecarSizes.map((size, turn) => {
        // Every other one leaves a gap before it.
        const start = from + (turn % 2) * 5;
        from = start + size;
        return { from: start, to: from };
      });
      return { type, records, startOffset: made.startOffset, batchSizes: made.batchSizes, sidecars };
    });
    const { timeline, after, order, limit } = made;
    const isNumeric = timeline !== null && timeline.aggregation !== 'count';
    const request: QueryCase['request'] = {
      types: [],
      window: { startMs: made.from, endMs: made.from + made.lengthMs },
      order,
      limit,
      after: after === null || timeline !== null ? undefined : { ...after, type: made.types[0]! },
      timeline:
        timeline === null
          ? undefined
          : {
              ...timeline,
              thenBy: timeline.groupBy && timeline.thenBy,
              field: isNumeric ? (timeline.field ?? aggregatedFields[0]!) : timeline.field,
            },
    };
    return {
      topics,
      filter: made.otherFilter ?? made.pool[0]!.filter,
      request,
      latenessMsMax: made.isLatenessKnown ? latenessOf(topics) : Number.POSITIVE_INFINITY,
      stripeEvents: made.stripeEvents,
      blockEvents: made.blockEvents,
      queriesFields: made.queriesFields,
      shiftMs: made.shiftMs,
    };
  });

/** Some events have an id of their own. */
function idOf(type: EventTypeName, place: number): object {
  return place % 3 === 0 ? {} : { id: `${type}-${place}` };
}

/** The maximum lateness of an event relative to its batch or an earlier one. */
function latenessOf(topics: readonly MemoryTopic[]): number {
  let lateness = 0;
  for (const topic of topics) {
    let latest = Number.NEGATIVE_INFINITY;
    for (const { records } of batchesOf(topic)) {
      const timesMs = records.map(({ timeMs }) => timeMs);
      latest = Math.max(latest, ...timesMs);
      lateness = Math.max(lateness, latest - Math.min(...timesMs));
    }
  }
  return lateness;
}
