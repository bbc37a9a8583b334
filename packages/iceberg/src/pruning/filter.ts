/**
 * Filters over rows, by ids of columns. They only serve to leave out files: what a filter means for a row is what SQL
 * says, so that null matches nothing but `is-null`, and NaN nothing but `is-nan` and `!=`.
 */
import type { Schema } from '../schema/schema.ts';
import { isPrimitive, type PrimitiveType } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { isValueOf, type Value } from '../values/value.ts';

export type Filter = NestedFilter | ColumnFilter;

interface NestedFilter {
  readonly op: 'and' | 'or';
  readonly filters: readonly Filter[];
}

export function isNested(filter: Filter): filter is NestedFilter {
  return filter.op === 'and' || filter.op === 'or';
}

export type ColumnFilter =
  | { readonly op: 'is-null' | 'not-null' | 'is-nan' | 'not-nan'; readonly id: number }
  | { readonly op: '=' | '!=' | '<' | '<=' | '>' | '>='; readonly id: number; readonly value: Value }
  | { readonly op: 'in' | 'not-in'; readonly id: number; readonly values: readonly Value[] }
  | { readonly op: 'starts-with'; readonly id: number; readonly value: string };

/** The filter that every row matches. */
export const everything: Filter = { op: 'and', filters: [] };

/** Refuses a filter about columns that do not exist or values of other types. */
export function checkFilter(filter: Filter, schema: Schema): void {
  if (isNested(filter)) {
    for (const one of filter.filters) checkFilter(one, schema);
    return;
  }
  const type = filteredType(filter.id, schema);
  const values = 'values' in filter ? filter.values : 'value' in filter ? [filter.value] : [];
  if (
    !values.every((value) => isValueOf(type, value)) ||
    (filter.op === 'starts-with' && type.kind !== 'string')
  )
    throw new InvalidTable(
      `filter: ${schema.column(filter.id)!.path.join('.')} is ${type.kind} and cannot be compared so`,
    );
}

export function filteredType(id: number, schema: Schema): PrimitiveType {
  const column = schema.column(id);
  if (column === undefined) throw new InvalidTable(`filter: there is no column with the id ${id}`);
  if (!isPrimitive(column.type) || column.isRepeated)
    throw new InvalidTable(`filter: ${column.path.join('.')} is nested; filter by primitive columns`);
  return column.type;
}
