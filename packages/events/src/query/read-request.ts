import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { eventTypeNames } from '../event-types.ts';
import { casts, comparisonOperators, type Expression } from '../filter/tree.ts';
import { eventLimits } from '../limits.ts';
import { aggregations, type QueryRequest } from './request.ts';

/**
 * Requests as they come from another process. The contents of a filter were checked where its text was parsed; this
 * checks its shape, and its size again.
 */

const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const field = z.object({
  path: z.array(z.string()).min(1).max(coreLimits.filterPathKeysMax),
  cast: z.enum(casts).exactOptional(),
});

const condition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('comparison'), field, operator: z.enum(comparisonOperators), value: literal }),
  z.object({
    kind: z.literal('match'),
    field,
    isNegated: z.boolean(),
    pattern: z.string().max(coreLimits.filterPatternCharsMax),
  }),
  z.object({
    kind: z.literal('membership'),
    field,
    isNegated: z.boolean(),
    values: z.array(literal).min(1).max(coreLimits.filterListValuesMax),
  }),
]);

/** Unrolled level by level, which bounds the depth. */
function expressionOf(depth: number): z.ZodType<Expression> {
  if (depth === 0) return condition;
  const operands = z
    .array(z.lazy(() => expressionOf(depth - 1)))
    .min(2)
    .max(coreLimits.filterConditionsMax);
  return z.union([condition, z.object({ kind: z.enum(['and', 'or']), operands })]);
}

const filter = z.object({
  stages: z.array(expressionOf(coreLimits.filterDepthMax)).max(coreLimits.filterConditionsMax),
});

const moment = z.int().min(0);

const scope = {
  types: z.array(z.enum(eventTypeNames)).max(eventTypeNames.length),
  window: z
    .object({ startMs: moment, endMs: moment })
    .refine(({ startMs, endMs }) => startMs < endMs && endMs - startMs <= eventLimits.eventsWindowMsMax, {
      error: 'the window must end after it starts, and within a day',
    }),
};

const position = z.object({ timeMs: moment, type: z.enum(eventTypeNames), offset: z.int().min(0) });

const timeline = z
  .object({
    groupBy: field.optional(),
    thenBy: field.optional(),
    aggregation: z.enum(aggregations),
    field: field.optional(),
    seriesMax: z.int().min(1).max(coreLimits.eventSeriesMax).optional(),
  })
  .refine(({ aggregation, field: numbers }) => aggregation === 'count' || numbers !== undefined, {
    error: 'only a count needs no field; give the field with the numbers',
  })
  .refine(({ groupBy, thenBy }) => groupBy !== undefined || thenBy === undefined, {
    error: 'thenBy is a second field; groupBy is the first',
  });

const search = z
  .object({
    kind: z.literal('search'),
    ...scope,
    filter,
    order: z.enum(['asc', 'desc']),
    limit: z.int().min(0).max(coreLimits.eventRowsMax),
    after: position.optional(),
    timeline: timeline.optional(),
  })
  .refine((request) => request.after === undefined || request.timeline === undefined, {
    error: 'a timeline is about the whole window; ask for it without `after`',
  });

const request: z.ZodType<QueryRequest> = z.union([
  search,
  z.object({ kind: z.enum(['fields', 'estimate']), ...scope, filter }),
  z.object({
    kind: z.literal('event'),
    ...scope,
    id: z.string().min(1).max(coreLimits.filterCharsMax),
    nearMs: moment.optional(),
    neighbours: z.int().min(0).max(coreLimits.eventNeighboursMax),
  }),
]);

/** Validates a request. Throws an error of one line that says what is wrong with it. */
export function readQueryRequest(value: unknown): QueryRequest {
  const checked = request.safeParse(value);
  if (checked.success) return checked.data;
  const [problem] = checked.error.issues;
  throw new Error(`a query for events: ${problem?.path.join('.') || 'the request'}: ${problem?.message}`);
}
