/** The way from one schema to another that was written down by people, who know names and no ids. */
import { InvalidTable } from '../table-errors.ts';
import { canRead } from './promotion.ts';
import { columnsInside, type Schema } from './schema.ts';
import type { SchemaChange } from './schema-changes.ts';
import { type Column, isPrimitive, typeText } from './types.ts';

/**
 * The changes that let a table take rows of the wanted columns, by names. Columns that are not wanted stay, as optional
 * ones: they read as null in new rows. Columns are widened, never narrowed: a table that is wider already takes the
 * rows too. Throws `InvalidTable` if the types do not fit.
 */
export function changesTowards(schema: Schema, wanted: readonly Column[]): SchemaChange[] {
  const changes: SchemaChange[] = [];
  compare(schema.columns, wanted, []);
  return changes;

  function compare(present: readonly Column[], next: readonly Column[], around: readonly string[]): void {
    for (const column of next) {
      const path = [...around, column.name];
      const found = present.find(({ name }) => name === column.name);
      if (found === undefined) changes.push({ change: 'add', path, type: column.type, doc: column.doc });
      else compareColumn(found, column, path);
    }
    for (const { name, isRequired } of present)
      if (isRequired && !next.some((column) => column.name === name))
        changes.push({ change: 'make-optional', path: [...around, name] });
  }

  function compareColumn(found: Column, column: Column, path: readonly string[]): void {
    if (found.isRequired && !column.isRequired) changes.push({ change: 'make-optional', path });
    const { type } = column;
    if (!isPrimitive(type) || !isPrimitive(found.type)) {
      if (type.kind !== found.type.kind) throw cannot(found, column, path);
      compare(columnsInside(found.type), columnsInside(type), path);
    } else if (!canRead(type, found.type)) {
      if (!canRead(found.type, type)) throw cannot(found, column, path);
      changes.push({ change: 'widen', path, type });
    }
  }
}

function cannot(found: Column, column: Column, path: readonly string[]): InvalidTable {
  return new InvalidTable(
    `${path.join('.')}: the table has ${typeText(found.type)}, which cannot become ${typeText(column.type)}; choose another name for the column`,
  );
}
