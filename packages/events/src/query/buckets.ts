import type { TimeWindow } from '../time-range.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Widths that are easy to read on an axis. */
const widthsMs = [
  ...[1, 10, 100],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * hourMs),
];

const bucketsMax = 120;

export interface Buckets {
  readonly bucketMs: number;
  /** As a count of buckets since 1970. */
  readonly firstBucket: number;
  readonly bucketCount: number;
}

/**
 * Returns the finest buckets within the limit. They start at multiples of their width, so overlapping windows share
 * buckets.
 */
export function bucketsOf({ startMs, endMs }: TimeWindow): Buckets {
  const bucketMs = widthsMs.find((width) => (endMs - startMs) / width <= bucketsMax) ?? widthsMs.at(-1)!;
  const firstBucket = Math.floor(startMs / bucketMs);
  return { bucketMs, firstBucket, bucketCount: Math.ceil(endMs / bucketMs) - firstBucket };
}
