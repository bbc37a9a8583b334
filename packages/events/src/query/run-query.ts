import { type Clock, coreLimits } from '@weir/core';
import type { EventSource } from '../event-source.ts';
import { everyEvent, type Filter } from '../filter/tree.ts';
import { eventLimits } from '../limits.ts';
import type { TimeWindow } from '../time-range.ts';
import { QueryCache } from './cache.ts';
import { estimate } from './estimate.ts';
import { createInlineEvaluator, type Evaluator } from './evaluator.ts';
import { summarizeFields } from './field-summary.ts';
import { defaultBlockEvents } from './parts.ts';
import { type Budget, Receipt } from './receipt.ts';
import type {
  EstimateAnswer,
  EventAnswer,
  EventRequest,
  EventRow,
  FieldsAnswer,
  FieldsRequest,
  QueryAnswer,
  QueryProgress,
  QueryRequest,
} from './request.ts';
import { type Found, type SearchTools, search } from './search.ts';

export interface QueryOptions {
  readonly clock: Clock;
  /** Cancels the query, which then rejects with the reason. */
  readonly signal: AbortSignal;
  readonly budget?: Partial<Budget> | undefined;
  /** Where parts are scanned. Default: the calling thread. */
  readonly evaluator?: Evaluator | undefined;
  /** The cache shared between queries. Default: none. */
  readonly cache?: QueryCache | undefined;
  /** Records per block; fewer in tests. */
  readonly blockEvents?: number | undefined;
  onProgress?(progress: QueryProgress): void;
  /** Reports that a sidecar could not be read, and the records were read instead. */
  onProblem?(error: Error): void;
}

const progressMs = 200;

/**
 * Runs a query. It rejects with the reason of the signal, or if events cannot be read. When the budget is used up it
 * returns a partial answer and marks it.
 */
export async function runQuery(
  request: QueryRequest,
  source: EventSource,
  {
    clock,
    signal,
    budget,
    evaluator = createInlineEvaluator(),
    cache = new QueryCache(),
    blockEvents = defaultBlockEvents,
    onProgress,
    onProblem,
  }: QueryOptions,
): Promise<QueryAnswer> {
  signal.throwIfAborted();
  const receipt = new Receipt(clock, {
    bytes: budget?.bytes ?? eventLimits.eventQueryBytesMax,
    ms: budget?.ms ?? eventLimits.eventQueryMsMax,
  });
  const over = Promise.withResolvers<void>();
  const endNow = () => over.resolve();
  signal.addEventListener('abort', endNow, { once: true });
  void receipt.whenOver.then(endNow);
  let reportedMs = clock.monotonicMs();
  const tools: SearchTools = {
    ...{ source, evaluator, cache, receipt, blockEvents, signal },
    whenOver: over.promise,
    onProblem: (error) => onProblem?.(error),
    onProgress() {
      const nowMs = clock.monotonicMs();
      if (onProgress === undefined || nowMs - reportedMs < progressMs) return;
      reportedMs = nowMs;
      onProgress({ stats: receipt.stats(), fraction: receipt.fraction });
    },
  };
  try {
    const found = await answer(request, tools);
    return { ...found, stats: receipt.stats() };
  } finally {
    signal.removeEventListener('abort', endNow);
    receipt.end();
  }
}

type AnswerWithoutStats =
  | Omit<EventAnswer, 'stats'>
  | Omit<FieldsAnswer, 'stats'>
  | Omit<EstimateAnswer, 'stats'>
  | (Found & { readonly kind: 'search' });

async function answer(request: QueryRequest, tools: SearchTools): Promise<AnswerWithoutStats> {
  switch (request.kind) {
    case 'search':
      return { kind: 'search', ...(await search(request, tools)) };
    case 'fields':
      return fields(request, tools);
    case 'event':
      return event(request, tools);
    case 'estimate':
      return estimate(request, tools);
  }
}

async function fields(request: FieldsRequest, tools: SearchTools): Promise<Omit<FieldsAnswer, 'stats'>> {
  const { rows, hasMore, partial, hasNoData } = await search(
    { ...request, order: 'desc', limit: coreLimits.eventFieldSampleMax },
    tools,
  );
  return {
    kind: 'fields',
    fields: summarizeFields(rows.map((row) => row.event)),
    sampledEvents: rows.length,
    isSample: hasMore,
    // Long events make the sample smaller, which the sample itself reports.
    partial: partial === 'answer_bytes' ? undefined : partial,
    hasNoData,
  };
}

const nearMs = 5 * 60_000;

async function event(request: EventRequest, tools: SearchTools): Promise<Omit<EventAnswer, 'stats'>> {
  const { types, window, id, neighbours } = request;
  const filter: Filter = {
    stages: [{ kind: 'comparison', field: { path: ['id'] }, operator: '==', value: id }],
  };
  const find = (where: TimeWindow) =>
    search({ types, window: where, filter, order: 'desc', limit: 1 }, tools);
  const near = request.nearMs === undefined ? undefined : around(request.nearMs, window);
  let found = near && (await find(near));
  if (found?.rows[0] === undefined) found = await find(window);
  const [row] = found.rows;
  const { partial, hasNoData } = found;
  if (row === undefined || neighbours === 0)
    return { kind: 'event', event: row, before: [], after: [], partial, hasNoData };

  const common = { types, filter: everyEvent, limit: neighbours, after: row };
  const before = await search(
    { ...common, order: 'desc', window: { startMs: window.startMs, endMs: row.timeMs + 1 } },
    tools,
  );
  const after = await rowsAfter(row, request, tools);
  return {
    kind: 'event',
    event: row,
    before: before.rows.toReversed(),
    after: after.rows,
    partial: before.partial ?? after.partial,
    hasNoData,
  };
}

/**
 * The engine does not know when events after the window become too late, so it tries a small window first and then
 * larger ones.
 */
async function rowsAfter(
  row: EventRow,
  { types, window, neighbours }: EventRequest,
  tools: SearchTools,
): Promise<Found> {
  for (let lengthMs = 10_000; ; lengthMs *= 16) {
    const endMs = Math.min(window.endMs, row.timeMs + lengthMs);
    const found = await search(
      {
        types,
        filter: everyEvent,
        limit: neighbours,
        after: row,
        order: 'asc',
        window: { startMs: row.timeMs, endMs },
      },
      tools,
    );
    if (endMs === window.endMs || found.rows.length === neighbours || found.partial !== undefined)
      return found;
  }
}

function around(timeMs: number, { startMs, endMs }: TimeWindow): TimeWindow | undefined {
  const near = { startMs: Math.max(startMs, timeMs - nearMs), endMs: Math.min(endMs, timeMs + nearMs) };
  return near.startMs < near.endMs ? near : undefined;
}
