/** Divides rows by the partitions of the table: all rows of a file have the same values there. */
import { type PartitionColumn, transformValue, type Value } from '@weir/iceberg';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';

export interface PartitionRows {
  /** The same for the same partition. */
  readonly key: string;
  readonly partition: readonly (Value | null)[];
  readonly batch: readonly (readonly RowValue[])[];
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

  /** The partition value of each row. */
  #values(
    { column, places }: Field,
    batch: readonly (readonly RowValue[])[],
    rowCount: number,
  ): (Value | null)[] {
    const { transform, source } = column;
    const [top, ...inner] = places;
    const values = top === undefined ? undefined : batch[top]!;
    let lastSource: RowValue | undefined;
    let last: Value | null = null;
    return Array.from({ length: rowCount }, (_, row) => {
      let value: RowValue = values?.[row] ?? null;
      for (const place of inner) value = value === null ? null : (value as readonly RowValue[])[place]!;
      if (value === lastSource) return last;
      lastSource = value;
      last = transformValue(transform, source, value as Value | null);
      return last;
    });
  }
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
