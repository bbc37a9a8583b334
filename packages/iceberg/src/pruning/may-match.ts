/**
 * Pruning. What is known of the values of a column in a set of rows, from the bounds of a file, from its partition, or
 * from the partitions of all files of a manifest, is one and the same thing: a `ValueRange`. A filter is compared with
 * the ranges; where one is unknown, rows may match.
 */
import type { PrimitiveType } from '../schema/types.ts';
import { prefix } from '../values/bounds.ts';
import { compareValues, type Value } from '../values/value.ts';
import { type ColumnFilter, type Filter, isNested } from './filter.ts';

export interface ValueRange {
  readonly mayHaveNulls: boolean;
  readonly mayHaveNans: boolean;
  /** Whether there may be values that are neither null nor NaN. */
  readonly mayHaveValues: boolean;
  readonly least?: Value | undefined;
  readonly greatest?: Value | undefined;
  /** Whether a value can be among them although it is between the bounds; for hashes. */
  readonly mayHold?: ((value: Value) => boolean) | undefined;
}

/** What is known of a column; several ranges if several sources know something, none if nothing is known. */
export type RangesOf = (id: number) => {
  readonly type: PrimitiveType;
  readonly ranges: readonly ValueRange[];
};

/** Whether a row of the set may match. `false` is certain. */
export function mayMatch(filter: Filter, rangesOf: RangesOf): boolean {
  if (isNested(filter)) {
    const oneMay = (one: Filter) => mayMatch(one, rangesOf);
    return filter.op === 'and' ? filter.filters.every(oneMay) : filter.filters.some(oneMay);
  }
  const { type, ranges } = rangesOf(filter.id);
  return ranges.every((range) => mayMatchRange(filter, type, range));
}

function mayMatchRange(filter: ColumnFilter, type: PrimitiveType, range: ValueRange): boolean {
  const { mayHaveNulls, mayHaveNans, mayHaveValues, least, greatest, mayHold } = range;
  const compare = (one: Value, other: Value) => compareValues(type, positive(one), positive(other));
  /** Whether values at or above, or at or below, can be there. */
  const reachesUp = (value: Value) => greatest === undefined || compare(greatest, value) >= 0;
  const reachesDown = (value: Value) => least === undefined || compare(least, value) <= 0;
  const mayEqual = (value: Value) =>
    mayHaveValues && !isNan(value) && reachesUp(value) && reachesDown(value) && (mayHold?.(value) ?? true);
  switch (filter.op) {
    case 'is-null':
      return mayHaveNulls;
    case 'not-null':
      return mayHaveValues || mayHaveNans;
    case 'is-nan':
      return mayHaveNans;
    case 'not-nan':
      return mayHaveValues;
    case '=':
      return mayEqual(filter.value);
    case 'in':
      return filter.values.some(mayEqual);
    case '!=':
    case 'not-in': {
      if (mayHaveNans) return true;
      // Only a single value that is excluded rules all rows out. Bounds of texts may be cut, but then they differ.
      if (!mayHaveValues) return false;
      if (least === undefined || greatest === undefined || compare(least, greatest) !== 0) return true;
      const excluded = 'values' in filter ? filter.values : [filter.value];
      return !excluded.some((value) => !isNan(value) && compare(value, least) === 0);
    }
    case '<':
      return (
        mayHaveValues && !isNan(filter.value) && (least === undefined || compare(least, filter.value) < 0)
      );
    case '<=':
      return mayHaveValues && !isNan(filter.value) && reachesDown(filter.value);
    case '>':
      return (
        mayHaveValues &&
        !isNan(filter.value) &&
        (greatest === undefined || compare(greatest, filter.value) > 0)
      );
    case '>=':
      return mayHaveValues && !isNan(filter.value) && reachesUp(filter.value);
    case 'starts-with': {
      if (!mayHaveValues) return false;
      const length = Array.from(filter.value).length;
      return (
        (greatest === undefined || compare(prefix(greatest as string, length), filter.value) >= 0) &&
        (least === undefined || compare(prefix(least as string, length), filter.value) <= 0)
      );
    }
  }
}

function isNan(value: Value): boolean {
  return typeof value === 'number' && Number.isNaN(value);
}

/** For comparisons in filters -0 equals 0, as in SQL. */
function positive(value: Value): Value {
  return value === 0 ? 0 : value;
}
