/** Divides rows by the partitions of the table: all rows of a file have the same values there. */
import { type PartitionColumn, transformValue, type Value } from '@weir/iceberg';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';

interface PartitionRows {
  /** The same for the same partition. */
  readonly key: string;
  readonly partition: readonly (Value | null)[];
  readonly batch: readonly (readonly RowValue[])[];
}

export interface RefusedRow {
  readonly row: number;
  readonly message: string;
}

interface Field {
  readonly column: PartitionColumn;
  /** Places from the top: of a column, and of columns within structs. */
  readonly places: readonly number[];
}

export class RowPartitions {
  readonly #fields: readonly Field[];

  constructor(partitionColumns: readonly PartitionColumn[], columns: readonly Column[]) {
    this.#fields = partitionColumns.map((column) => ({
      column,
      places: placesOf(column.sourceId, columns) ?? [],
    }));
  }

  split(batch: readonly (readonly RowValue[])[]): PartitionRows[] {
    const rowCount = batch[0]?.length ?? 0;
    if (rowCount === 0) return [];
    if (this.#fields.length === 0) return [{ key: '', partition: [], batch }];
    const groups = new Map<string, { readonly partition: (Value | null)[]; readonly rows: number[] }>();
    const partitionsOf = this.#fields.map((field) => this.#values(field, batch, rowCount));
    for (let row = 0; row < rowCount; row++) {
      let key = '';
      for (const values of partitionsOf) key += keyOf(values[row]!);
      const group = groups.get(key);
      if (group === undefined)
        groups.set(key, { partition: partitionsOf.map((values) => values[row]!), rows: [row] });
      else group.rows.push(row);
    }
    return Array.from(groups, ([key, { partition, rows }]) => ({
      key,
      partition,
      batch: groups.size === 1 ? batch : batch.map((values) => rows.map((row) => values[row]!)),
    }));
  }

  /**
   * Rows that are in no partition, with the reason: numbers next to the least of their type, whose truncation is none
   * of it.
   */
  refused(batch: readonly (readonly RowValue[])[]): RefusedRow[] {
    const refused = new Map<number, string>();
    for (const field of this.#fields) {
      if (field.column.transform.kind !== 'truncate') continue;
      for (let row = 0; row < (batch[0]?.length ?? 0); row++) {
        try {
          transformValue(field.column.transform, field.column.source, valueAt(field.places, batch, row));
        } catch (error) {
          refused.set(row, (error as Error).message);
        }
      }
    }
    return Array.from(refused, ([row, message]) => ({ row, message }));
  }

  /** The partition value of each row. */
  #values(
    { column, places }: Field,
    batch: readonly (readonly RowValue[])[],
    rowCount: number,
  ): (Value | null)[] {
    const { transform, source } = column;
    let lastSource: Value | null | undefined;
    let last: Value | null = null;
    return Array.from({ length: rowCount }, (_, row) => {
      const value = valueAt(places, batch, row);
      // Not so for -0 after 0, which `===` takes for equal.
      if (Object.is(value, lastSource)) return last;
      lastSource = value;
      last = transformValue(transform, source, value);
      return last;
    });
  }
}

/** The value that a row has at a place; null if the file has no such column. */
function valueAt(
  places: readonly number[],
  batch: readonly (readonly RowValue[])[],
  row: number,
): Value | null {
  let value: RowValue = places.length === 0 ? null : (batch[places[0]!]![row] ?? null);
  for (let at = 1; at < places.length && value !== null; at++)
    value = (value as readonly RowValue[])[places[at]!] ?? null;
  return value as Value | null;
}

function placesOf(id: number, columns: readonly Column[]): number[] | undefined {
  for (const [at, column] of columns.entries()) {
    if (column.id === id) return [at];
    const inside = column.type.kind === 'struct' ? placesOf(id, column.type.columns) : undefined;
    if (inside !== undefined) return [at, ...inside];
  }
  return undefined;
}

/** With its length, so that no two tuples have one key. */
export function keyOf(value: Value | null): string {
  if (value === null) return '-;';
  const text =
    value instanceof Uint8Array
      ? Buffer.from(value).toString('latin1')
      : Object.is(value, -0)
        ? '-0'
        : String(value);
  return `${text.length}:${text};`;
}
