import { InvalidTable } from '../table-errors.ts';
import { withInside } from './fresh-ids.ts';
import { columnsInside, Schema } from './schema.ts';
import type { Column } from './types.ts';

/**
 * The part of a schema that a reader wants, by ids: those columns with all that is inside of them, and the structs,
 * lists and maps around them. A map keeps its key.
 */
export function project(schema: Schema, ids: Iterable<number>): Schema {
  const wanted = new Set(ids);
  for (const id of wanted)
    if (schema.column(id) === undefined) throw new InvalidTable(`the schema has no column with the id ${id}`);
  const columns = keptOf(schema.columns, wanted);
  const identifierIds = schema.identifierIds.filter((id) => wanted.has(id));
  return new Schema({ id: schema.id, columns, identifierIds });
}

function keptOf(columns: readonly Column[], wanted: ReadonlySet<number>): Column[] {
  return columns.flatMap((column) => {
    if (wanted.has(column.id)) return [column];
    const inside = columnsInside(column.type);
    const kept = keptOf(inside, wanted);
    if (kept.length === 0) return [];
    // Elements, keys and values keep their places.
    const all =
      column.type.kind === 'struct' ? kept : inside.map((one) => kept.find(({ id }) => id === one.id) ?? one);
    return [{ ...column, type: withInside(column.type, all) }];
  });
}
