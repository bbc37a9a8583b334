/** What bounds and partitions say about the values of columns. */
import type { PartitionColumn } from '../partitions/partition-spec.ts';
import { sourceRange, transformValue } from '../partitions/transform.ts';
import type { PrimitiveType } from '../schema/types.ts';
import { readBytes, valueBytes } from '../values/binary-value.ts';
import { compareValues, type Value } from '../values/value.ts';
import type { ValueRange } from './may-match.ts';

/** Metrics of a column in a data file, as the manifest has them. */
interface ColumnCounts {
  readonly valueCount?: bigint | undefined;
  readonly nullCount?: bigint | undefined;
  readonly nanCount?: bigint | undefined;
  readonly lower?: Uint8Array | undefined;
  readonly upper?: Uint8Array | undefined;
}

export function rangeOfMetrics(type: PrimitiveType, counts: ColumnCounts): ValueRange {
  const { valueCount, nullCount, nanCount, lower, upper } = counts;
  const isFloating = type.kind === 'float' || type.kind === 'double';
  const others = (nullCount ?? 0n) + (nanCount ?? 0n);
  return {
    mayHaveNulls: nullCount !== 0n,
    // NaN is not counted by all writers, and never in bounds.
    mayHaveNans: isFloating && nanCount !== 0n && (valueCount === undefined || nullCount !== valueCount),
    mayHaveValues: valueCount === undefined || others < valueCount,
    least: lower === undefined ? undefined : boundOf(type, lower),
    greatest: upper === undefined ? undefined : boundOf(type, upper),
  };
}

/** Some writers have put NaN into bounds, which says nothing. */
function boundOf(type: PrimitiveType, bytes: Uint8Array): Value | undefined {
  const value = readBytes(type, bytes);
  return typeof value === 'number' && Number.isNaN(value) ? undefined : value;
}

/** The rows of a file in a partition. */
export function rangeOfPartition(column: PartitionColumn, value: Value | null): ValueRange | undefined {
  const { transform } = column;
  if (transform.kind === 'void' || transform.kind === 'unknown') return undefined;
  const isNan = typeof value === 'number' && Number.isNaN(value);
  return {
    mayHaveNulls: value === null,
    // Only identity takes floating-point numbers.
    mayHaveNans: isNan,
    mayHaveValues: value !== null && !isNan,
    ...(value !== null && !isNan && sourceRange(transform, column.source, { least: value, greatest: value })),
    ...(transform.kind === 'bucket' && {
      mayHold: (one: Value) => transformValue(transform, column.source, one) === value,
    }),
  };
}

/** What a manifest list says of the partitions in a manifest. */
export interface PartitionSummary {
  readonly containsNull: boolean;
  readonly containsNan?: boolean | undefined;
  readonly lower?: Uint8Array | undefined;
  readonly upper?: Uint8Array | undefined;
}

/** The rows of all files in a manifest. */
export function rangeOfSummary(column: PartitionColumn, summary: PartitionSummary): ValueRange | undefined {
  const { transform, source, type } = column;
  if (transform.kind === 'void' || transform.kind === 'unknown') return undefined;
  const isFloating = type.kind === 'float' || type.kind === 'double';
  const least = summary.lower === undefined ? undefined : boundOf(type, summary.lower);
  const greatest = summary.upper === undefined ? undefined : boundOf(type, summary.upper);
  return {
    mayHaveNulls: summary.containsNull,
    mayHaveNans: isFloating && summary.containsNan !== false,
    mayHaveValues: true,
    ...sourceRange(transform, source, { least, greatest }),
    ...(transform.kind === 'bucket' && {
      mayHold: (one: Value) => {
        const bucket = transformValue(transform, source, one)!;
        return (
          (least === undefined || compareValues(type, least, bucket) <= 0) &&
          (greatest === undefined || compareValues(type, greatest, bucket) >= 0)
        );
      },
    }),
  };
}

/** The summary of partition values: one column of them, over all files of a manifest. */
export function summaryOf(type: PrimitiveType, values: Iterable<Value | null>): PartitionSummary {
  let [containsNull, containsNan] = [false, false];
  let least: Value | undefined;
  let greatest: Value | undefined;
  for (const value of values) {
    if (value === null) containsNull = true;
    else if (typeof value === 'number' && Number.isNaN(value)) containsNan = true;
    else {
      if (least === undefined || compareValues(type, value, least) < 0) least = value;
      if (greatest === undefined || compareValues(type, value, greatest) > 0) greatest = value;
    }
  }
  return {
    containsNull,
    containsNan,
    ...(least !== undefined && { lower: valueBytes(type, least) }),
    ...(greatest !== undefined && { upper: valueBytes(type, greatest) }),
  };
}
