import type { EventTypeName } from '../event-types.ts';
import type { Field, Filter, Literal } from '../filter/tree.ts';
import type { TimeWindow } from '../time-range.ts';

/** What can be asked of the events of a cluster. Plain data, so that it travels as JSON. */
export type QueryRequest = SearchRequest | FieldsRequest | EventRequest | EstimateRequest;

interface QueryScope {
  /** None are all. */
  readonly types: readonly EventTypeName[];
  readonly window: TimeWindow;
}

export type SortOrder = 'asc' | 'desc';

/** Events that pass a filter, by time, and how many there were over time. */
export interface SearchRequest extends QueryScope {
  readonly kind: 'search';
  readonly filter: Filter;
  readonly order: SortOrder;
  /** Up to `eventRowsMax`. None for who wants the timeline only. */
  readonly limit: number;
  /** Only events that come after this one in the order that is asked for. Not together with a timeline. */
  readonly after?: EventPosition | undefined;
  readonly timeline?: TimelineRequest | undefined;
}

export interface TimelineRequest {
  /** The field whose values are the series. An event with several values counts for each of them. */
  readonly groupBy?: Field | undefined;
  /** A second field, only with the first: then the series are the pairs of values that events have. */
  readonly thenBy?: Field | undefined;
  /** What is drawn. Without a field, the number of events; with one, that of its numbers. */
  readonly aggregation: Aggregation;
  /** The field whose numbers are aggregated. `count` needs none. */
  readonly field?: Field | undefined;
  /** Series up to `eventSeriesMax`, the one of the others not counted. 10 unless told. */
  readonly seriesMax?: number | undefined;
}

export const aggregations = ['count', 'avg', 'max', 'min', 'sum'] as const;
export type Aggregation = (typeof aggregations)[number];

/** The fields that events have, with how many have them and what their values are. */
export interface FieldsRequest extends QueryScope {
  readonly kind: 'fields';
  readonly filter: Filter;
}

/** One event by its id, with those around it. */
export interface EventRequest extends QueryScope {
  readonly kind: 'event';
  readonly id: string;
  /** About when it happened, which is where it is looked for first. */
  readonly nearMs?: number | undefined;
  /** How many events before it and after it are wanted, up to `eventNeighboursMax`. */
  readonly neighbours: number;
}

/** What a search through the whole window would have to look at, without looking. */
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
  /** How many events were looked at: the newest that pass the filter, up to `eventFieldSampleMax`. */
  readonly sampledEvents: number;
  /** Whether there were more. */
  readonly isSample: boolean;
}

export interface EventAnswer extends AnswerBasis {
  readonly kind: 'event';
  readonly event?: EventRow | undefined;
  /** In the order of time, the nearest last. */
  readonly before: readonly EventRow[];
  /** In the order of time, the nearest first. */
  readonly after: readonly EventRow[];
}

export interface EstimateAnswer extends AnswerBasis {
  readonly kind: 'estimate';
  /** Events that types, time and footers do not rule out. */
  readonly events: number;
  /** What would be read for them. A search that has its rows before the end reads less. */
  readonly bytes: number;
}

interface AnswerBasis {
  readonly stats: QueryStats;
  /** Why it is not the whole answer: the time or the bytes that a query may take ran out. What is there is right as far as it goes. */
  readonly partial?: PartialReason | undefined;
  /** Whether no topic of the wanted types has any event yet. */
  readonly hasNoData: boolean;
}

export type PartialReason = 'time' | 'bytes' | 'answer_bytes';

/** Where an event stands among all others: by time, then type, then offset. */
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
  /** Buckets begin at whole multiples of this since 1970; the first and the last may reach out of the window and count only what is inside. */
  readonly bucketMs: number;
  /** When the first bucket begins. */
  readonly startMs: number;
  readonly bucketCount: number;
  /** The most frequent first. Without a group-by there is one, with the key `null`. */
  readonly series: readonly TimelineSeries[];
  /** Whether there were so many values that the series are only about right. */
  readonly isApproximate: boolean;
}

export interface TimelineSeries {
  /** The value of the field; `null` for events that do not have it. Objects are `{}`. Absent for all other values together. */
  readonly key?: Literal | undefined;
  /** The value of the second field, likewise. Absent where there is no second field. */
  readonly thenKey?: Literal | undefined;
  /** Events, or numbers where a field is aggregated. */
  readonly count: number;
  /** What is aggregated, over the whole window; `null` where there is nothing to aggregate. */
  readonly total: number | null;
  /** One value per bucket; `null` where there is nothing to aggregate. */
  readonly values: readonly (number | null)[];
}

export interface FieldSummary {
  readonly path: readonly string[];
  /** As filters write it. */
  readonly name: string;
  /** Events of the sample that have a value. */
  readonly presentEvents: number;
  readonly types: readonly ('string' | 'number' | 'boolean' | 'object')[];
  /** The most frequent ones, up to `eventFieldValuesMax`. */
  readonly topValues: readonly { readonly value: Literal; readonly events: number }[];
  /** Exact up to `eventFieldDistinctMax`, and that number beyond. */
  readonly distinctValues: number;
}

/** The receipt. */
export interface QueryStats {
  /** Events that passed the filter among those that were looked at; with a timeline and without `partial`, all there are. */
  readonly eventsMatched: number;
  /** Whether `eventsMatched` is all there are, since the whole window was looked at. */
  readonly isExact: boolean;
  /** Events whose bytes or columns were looked at. */
  readonly eventsScanned: number;
  /** Events that the metadata, the footers of sidecars or enough rows made needless to look at. */
  readonly eventsPruned: number;
  /** Events whose result was known from an earlier query. */
  readonly eventsCached: number;
  /** Events that were parsed as JSON. */
  readonly eventsParsed: number;
  /** Records that are no JSON object, and that nobody but a broken writer makes. */
  readonly eventsUnreadable: number;
  /** Bytes that were looked at: decompressed records, and parts of sidecars as they are stored. */
  readonly bytesScanned: number;
  /** Bytes that had to be read from the store for it. */
  readonly bytesRead: number;
  readonly elapsedMs: number;
}

/** How far a query is, some times a second. */
export interface QueryProgress {
  readonly stats: QueryStats;
  /** From 0 to 1, by events. */
  readonly fraction: number;
}
