import type { EventTypeName } from '../event-types.ts';
import type { Field, Filter, Literal } from '../filter/tree.ts';
import type { TimeWindow } from '../time-range.ts';

/** Queries over the events of a cluster. Plain data, sent as JSON. */
export type QueryRequest = SearchRequest | FieldsRequest | EventRequest | EstimateRequest;

interface QueryScope {
  /** Empty means all. */
  readonly types: readonly EventTypeName[];
  readonly window: TimeWindow;
}

export type SortOrder = 'asc' | 'desc';

/** Events that pass a filter, ordered by time, and a timeline of their counts. */
export interface SearchRequest extends QueryScope {
  readonly kind: 'search';
  readonly filter: Filter;
  readonly order: SortOrder;
  /** Up to `eventRowsMax`. 0 for only the timeline. */
  readonly limit: number;
  /** Only events after this one in the requested order. Not together with a timeline. */
  readonly after?: EventPosition | undefined;
  readonly timeline?: TimelineRequest | undefined;
}

export interface TimelineRequest {
  /** The field whose values are the series. An event with several values counts for each of them. */
  readonly groupBy?: Field | undefined;
  /** A second field, only with the first: then the series are the pairs of values that events have. */
  readonly thenBy?: Field | undefined;
  /** The aggregate per bucket. Without a field, the number of events; with one, an aggregate of its numbers. */
  readonly aggregation: Aggregation;
  /** The field whose numbers are aggregated. `count` needs none. */
  readonly field?: Field | undefined;
  /** Up to `eventSeriesMax` series, without the series of all others. Default 10. */
  readonly seriesMax?: number | undefined;
}

export const aggregations = ['count', 'avg', 'max', 'min', 'sum'] as const;
export type Aggregation = (typeof aggregations)[number];

/** The fields of events, with how many events have them and their values. */
export interface FieldsRequest extends QueryScope {
  readonly kind: 'fields';
  readonly filter: Filter;
}

/** One event by its id, with its neighbours. */
export interface EventRequest extends QueryScope {
  readonly kind: 'event';
  readonly id: string;
  /** The approximate time of the event; the search starts there. */
  readonly nearMs?: number | undefined;
  /** How many events before it and after it to return, up to `eventNeighboursMax`. */
  readonly neighbours: number;
}

/** What a search of the whole window would have to scan, without scanning it. */
export interface EstimateRequest extends QueryScope {
  readonly kind: 'estimate';
  readonly filter: Filter;
}

export type QueryAnswer = SearchAnswer | FieldsAnswer | EventAnswer | EstimateAnswer;

export interface SearchAnswer extends AnswerBasis {
  readonly kind: 'search';
  readonly rows: readonly EventRow[];
  /** Whether more events pass the filter than there are rows. */
  readonly hasMore: boolean;
  readonly timeline?: Timeline | undefined;
}

export interface FieldsAnswer extends AnswerBasis {
  readonly kind: 'fields';
  readonly fields: readonly FieldSummary[];
  /** How many events were sampled: the newest that pass the filter, up to `eventFieldSampleMax`. */
  readonly sampledEvents: number;
  /** Whether more events pass the filter. */
  readonly isSample: boolean;
}

export interface EventAnswer extends AnswerBasis {
  readonly kind: 'event';
  readonly event?: EventRow | undefined;
  /** In order of time, the nearest last. */
  readonly before: readonly EventRow[];
  /** In order of time, the nearest first. */
  readonly after: readonly EventRow[];
}

export interface EstimateAnswer extends AnswerBasis {
  readonly kind: 'estimate';
  /** Events that types, time and footers do not rule out. */
  readonly events: number;
  /** Bytes to read for them. A search that finds its rows early reads less. */
  readonly bytes: number;
}

interface AnswerBasis {
  readonly stats: QueryStats;
  /** Why the answer is incomplete: the time or byte budget of the query ran out. The returned part is correct. */
  readonly partial?: PartialReason | undefined;
  /** Whether no topic of the requested types has any event yet. */
  readonly hasNoData: boolean;
}

export type PartialReason = 'time' | 'bytes' | 'answer_bytes';

/** The position of an event in the total order: by time, then type, then offset. */
export interface EventPosition {
  readonly timeMs: number;
  readonly type: EventTypeName;
  readonly offset: number;
}

export interface EventRow extends EventPosition {
  /** The event as it was written. */
  readonly event: unknown;
}

export interface Timeline {
  /**
   * Buckets begin at multiples of this since 1970; the first and the last may extend beyond the window and count only
   * what is inside.
   */
  readonly bucketMs: number;
  /** When the first bucket begins. */
  readonly startMs: number;
  readonly bucketCount: number;
  /** The most frequent first. Without a group-by there is one, with the key `null`. */
  readonly series: readonly TimelineSeries[];
  /** Whether there were too many distinct values for exact series. */
  readonly isApproximate: boolean;
}

export interface TimelineSeries {
  /**
   * The value of the field; `null` for events without it. Objects are `{}`. Absent for the series of all other values.
   */
  readonly key?: Literal | undefined;
  /** The value of the second field, in the same form. Absent without a second field. */
  readonly thenKey?: Literal | undefined;
  /** Events, or numbers where a field is aggregated. */
  readonly count: number;
  /** The aggregate over the whole window; `null` if there is nothing to aggregate. */
  readonly total: number | null;
  /** One value per bucket; `null` where there is nothing to aggregate. */
  readonly values: readonly (number | null)[];
}

export interface FieldSummary {
  readonly path: readonly string[];
  /** In the syntax of filters. */
  readonly name: string;
  /** Events of the sample that have a value. */
  readonly presentEvents: number;
  readonly types: readonly ('string' | 'number' | 'boolean' | 'object')[];
  /** The most frequent ones, up to `eventFieldValuesMax`. */
  readonly topValues: readonly { readonly value: Literal; readonly events: number }[];
  /** Exact up to `eventFieldDistinctMax`, capped there. */
  readonly distinctValues: number;
}

/** What a query cost. */
export interface QueryStats {
  /**
   * Events that passed the filter among those that were scanned; with a timeline and without `partial`, all of them.
   */
  readonly eventsMatched: number;
  /** Whether the whole window was scanned, so that `eventsMatched` is the total. */
  readonly isExact: boolean;
  /** Events whose bytes or columns were scanned. */
  readonly eventsScanned: number;
  /** Events that were skipped because of metadata, footers of sidecars or enough rows. */
  readonly eventsPruned: number;
  /** Events whose result came from the cache. */
  readonly eventsCached: number;
  /** Events that were parsed as JSON. */
  readonly eventsParsed: number;
  /** Records that are not a JSON object; only a broken writer makes them. */
  readonly eventsUnreadable: number;
  /** Bytes that were scanned: decompressed records, and parts of sidecars as they are stored. */
  readonly bytesScanned: number;
  /** Bytes that were read from the store. */
  readonly bytesRead: number;
  readonly elapsedMs: number;
}

/** The progress of a query, reported a few times per second. */
export interface QueryProgress {
  readonly stats: QueryStats;
  /** From 0 to 1, by events. */
  readonly fraction: number;
}
