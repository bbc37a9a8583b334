import * as s from '../shapes/shape.ts';

/**
 * A query that agents answer beside those about events: where batches begin within stored ranges, which only the files
 * say. It has the kind that no query about events has.
 */
export const boundaryQueryKind = 'batchBoundaries';

/** A stored range, and what the batches before the boundary must fulfil. */
const boundaryRange = s.struct({
  fileId: s.text,
  byteStart: s.whole,
  byteLength: s.whole,
  baseOffset: s.whole,
  nextOffset: s.whole,
  /** They end at or before this offset. */
  offset: s.whole,
  /** None of them has a record of this time or a later one. */
  timestampMs: s.optional(s.number),
});
export type BoundaryRange = s.TypeOf<typeof boundaryRange>;

const boundaryQuery = s.struct({
  kind: s.oneOf(boundaryQueryKind),
  ranges: s.list(boundaryRange),
});
export type BoundaryQuery = s.TypeOf<typeof boundaryQuery>;

/** By range, in order; `null` for a range whose file is gone. */
export type BoundaryAnswer = readonly (FoundBoundary | null)[];

/** The batches at the beginning of a range that fulfil it, before the first that does not. */
export interface FoundBoundary {
  /** The offset after them; that of the range if there are none. */
  readonly offset: number;
  readonly byteLength: number;
  /** Of their records; -1 if they have none. */
  readonly maxTimestampMs: number;
}

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readBoundaryQuery(value: unknown): BoundaryQuery | undefined {
  if ((value as Partial<BoundaryQuery> | null)?.kind !== boundaryQueryKind) return undefined;
  const problem = boundaryQuery(value, 'query');
  if (problem !== undefined) throw new TypeError(problem);
  return value as BoundaryQuery;
}
