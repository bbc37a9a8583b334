import { list, number, object, optional, text, whole } from '../shapes/shape.ts';

/**
 * A query that agents answer beside those about events: where batches begin within stored ranges, which only the files
 * say. It has the kind that no query about events has.
 */
export const boundaryQueryKind = 'batchBoundaries';

export interface BoundaryQuery {
  readonly kind: typeof boundaryQueryKind;
  readonly ranges: readonly BoundaryRange[];
}

/** A stored range, and what the batches before the boundary must fulfil. */
export interface BoundaryRange {
  readonly fileId: string;
  readonly byteStart: number;
  readonly byteLength: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** They end at or before this offset. */
  readonly offset: number;
  /** None of them has a record of this time or a later one. */
  readonly timestampMs?: number | undefined;
}

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

const boundaryQuery = object<BoundaryQuery>({
  kind: text as never,
  ranges: list(
    object<BoundaryRange>({
      fileId: text,
      byteStart: whole,
      byteLength: whole,
      baseOffset: whole,
      nextOffset: whole,
      offset: whole,
      timestampMs: optional(number),
    }),
  ),
});

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readBoundaryQuery(value: unknown): BoundaryQuery | undefined {
  if ((value as Partial<BoundaryQuery> | null)?.kind !== boundaryQueryKind) return undefined;
  const problem = boundaryQuery(value, 'query');
  if (problem !== undefined) throw new TypeError(problem);
  return value as BoundaryQuery;
}
