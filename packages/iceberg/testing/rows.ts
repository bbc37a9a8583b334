import { type Filter, isNested } from '../src/pruning/filter.ts';
import type { PrimitiveType } from '../src/schema/types.ts';
import { compareValues, type Value } from '../src/values/value.ts';

/** What a filter means: whether a row with this value in the column matches. Pruning is held to it. */
export function matchesRow(filter: Filter, type: PrimitiveType, value: Value | null): boolean {
  if (isNested(filter)) {
    const oneMatches = (one: Filter) => matchesRow(one, type, value);
    return filter.op === 'and' ? filter.filters.every(oneMatches) : filter.filters.some(oneMatches);
  }
  if (filter.op === 'is-null') return value === null;
  if (value === null) return false;
  const isNan = (one: Value) => typeof one === 'number' && Number.isNaN(one);
  const isLess = (one: Value, other: Value) =>
    !isNan(one) && !isNan(other) && one !== other && compareValues(type, one, other) < 0;
  const isEqual = (one: Value, other: Value) =>
    !isNan(one) && (one === other || compareValues(type, one, other) === 0);
  switch (filter.op) {
    case 'not-null':
      return true;
    case 'is-nan':
      return isNan(value);
    case 'not-nan':
      return !isNan(value);
    case '=':
      return isEqual(value, filter.value);
    case '!=':
      return !isEqual(value, filter.value);
    case 'in':
      return filter.values.some((one) => isEqual(value, one));
    case 'not-in':
      return !filter.values.some((one) => isEqual(value, one));
    case '<':
      return isLess(value, filter.value);
    case '<=':
      return isLess(value, filter.value) || isEqual(value, filter.value);
    case '>':
      return isLess(filter.value, value);
    case '>=':
      return isLess(filter.value, value) || isEqual(value, filter.value);
    case 'starts-with':
      return (value as string).startsWith(filter.value);
  }
}
