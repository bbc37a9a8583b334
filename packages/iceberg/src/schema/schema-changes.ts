/**
 * Schema evolution. A change is plain data, such as `{ change: 'rename', path: ['user', 'name'], to: 'login' }`; a list
 * of them is applied in order and either results in a schema that reads all existing files, or is refused.
 *
 * Allowed are those of the spec: add an optional column, drop, rename, move, widen (int to long, float to double,
 * decimals to more digits), make a required column optional. Ids of dropped columns are never used again.
 */
import { InvalidTable } from '../table-errors.ts';
import { idsAfter, typeWithFreshIds, withInside } from './fresh-ids.ts';
import { canRead } from './promotion.ts';
import { columnsInside, Schema } from './schema.ts';
import { type Column, isPrimitive, type PrimitiveType, type Type, typeText } from './types.ts';

/** Names from the top. Within lists and maps the names are `element`, `key` and `value`. */
type ColumnPath = readonly string[];

/** Where among its siblings a column goes. */
type ColumnPosition = 'first' | 'last' | { readonly before: string } | { readonly after: string };

export type SchemaChange =
  | {
      readonly change: 'add';
      readonly path: ColumnPath;
      /** Ids inside of it are ignored. */
      readonly type: Type;
      readonly doc?: string | undefined;
      readonly position?: ColumnPosition | undefined;
    }
  | { readonly change: 'drop'; readonly path: ColumnPath }
  | { readonly change: 'rename'; readonly path: ColumnPath; readonly to: string }
  | { readonly change: 'move'; readonly path: ColumnPath; readonly position: ColumnPosition }
  | { readonly change: 'widen'; readonly path: ColumnPath; readonly type: PrimitiveType }
  | { readonly change: 'make-optional'; readonly path: ColumnPath }
  | { readonly change: 'describe'; readonly path: ColumnPath; readonly doc: string | undefined }
  | { readonly change: 'identify'; readonly paths: readonly ColumnPath[] };

interface ChangedSchema {
  readonly schema: Schema;
  readonly lastColumnId: number;
}

/**
 * Applies changes. `lastColumnId` is the highest id that the table ever gave to a column; the new one is in the result.
 */
export function changeSchema(
  schema: Schema,
  lastColumnId: number,
  changes: readonly SchemaChange[],
): ChangedSchema {
  const ids = idsAfter(lastColumnId);
  let changed = schema;
  for (const change of changes) changed = apply(changed, change, ids.next);
  return { schema: changed, lastColumnId: ids.last() };
}

function apply(schema: Schema, change: SchemaChange, nextId: () => number): Schema {
  if (change.change === 'identify') {
    const identifierIds = change.paths.map((path) => columnAt(schema, path).id);
    return new Schema({ id: schema.id, columns: schema.columns, identifierIds });
  }
  const { path } = change;
  const name = path.at(-1);
  if (name === undefined) throw new InvalidTable('a change of a schema names no column');
  const columns = withSiblings(schema.columns, path.slice(0, -1), path, (siblings, around) =>
    changedSiblings(schema, siblings, around, name, change, nextId),
  );
  return new Schema({ id: schema.id, columns, identifierIds: schema.identifierIds });
}

type SiblingChange = Exclude<SchemaChange, { change: 'identify' }>;

/** `around` is the type that has the columns; absent at the top. */
function changedSiblings(
  schema: Schema,
  siblings: readonly Column[],
  around: Type | undefined,
  name: string,
  change: SiblingChange,
  nextId: () => number,
): readonly Column[] {
  const shownPath = change.path.join('.');
  const isStruct = around === undefined || around.kind === 'struct';
  const at = siblings.findIndex((one) => one.name === name);
  if (change.change === 'add') {
    if (!isStruct) throw new InvalidTable(`${shownPath}: columns can only be added to a struct`);
    if (at >= 0) throw new InvalidTable(`${shownPath}: the column exists`);
    const { doc } = change;
    const added: Column = {
      id: nextId(),
      name,
      isRequired: false,
      type: typeWithFreshIds(change.type, nextId),
      ...(doc !== undefined && { doc }),
    };
    return placed(siblings, added, change.position ?? 'last', shownPath);
  }
  const column = siblings[at];
  if (column === undefined) throw new InvalidTable(`${shownPath}: no such column`);
  if (!isStruct && change.change !== 'widen' && change.change !== 'make-optional')
    throw new InvalidTable(`${shownPath}: ${name} of a ${around.kind} cannot be changed so`);
  if (around?.kind === 'map' && name === 'key')
    throw new InvalidTable(`${shownPath}: keys of a map cannot be changed`);
  const replaced = (next: Column) => siblings.with(at, next);
  switch (change.change) {
    case 'drop':
      if (siblings.length === 1)
        throw new InvalidTable(`${shownPath}: the last column cannot be dropped; drop the struct around it`);
      for (const id of schema.identifierIds) {
        if (startsWith(schema.column(id)!.path, change.path))
          throw new InvalidTable(
            `${shownPath}: identifier columns cannot be dropped; change the identifier first`,
          );
      }
      return siblings.toSpliced(at, 1);
    case 'rename':
      return replaced({ ...column, name: change.to });
    case 'move':
      return placed(siblings.toSpliced(at, 1), column, change.position, shownPath);
    case 'widen':
      if (!isPrimitive(column.type) || !canRead(column.type, change.type))
        throw new InvalidTable(
          `${shownPath}: ${typeText(column.type)} cannot become ${typeText(change.type)}; allowed are int to long, float to double and decimals with more digits`,
        );
      return replaced({ ...column, type: change.type });
    case 'make-optional':
      return replaced({ ...column, isRequired: false });
    case 'describe': {
      const { doc: _before, ...rest } = column;
      return replaced(change.doc === undefined ? rest : { ...rest, doc: change.doc });
    }
  }
}

/** Replaces the columns that have `parents` around them. */
function withSiblings(
  columns: readonly Column[],
  parents: ColumnPath,
  shown: ColumnPath,
  change: (siblings: readonly Column[], around: Type | undefined) => readonly Column[],
  around?: Type,
): readonly Column[] {
  const [parent, ...rest] = parents;
  if (parent === undefined) return change(columns, around);
  const at = columns.findIndex((one) => one.name === parent);
  const column = columns[at];
  if (column === undefined) throw new InvalidTable(`${shown.join('.')}: no such column as ${parent}`);
  if (isPrimitive(column.type))
    throw new InvalidTable(`${shown.join('.')}: ${parent} is ${typeText(column.type)} and has no columns`);
  if (around?.kind === 'map' && parent === 'key')
    throw new InvalidTable(`${shown.join('.')}: keys of a map cannot be changed`);
  const inside = withSiblings(columnsInside(column.type), rest, shown, change, column.type);
  return columns.with(at, { ...column, type: withInside(column.type, inside) });
}

function placed(
  siblings: readonly Column[],
  column: Column,
  position: ColumnPosition,
  shownPath: string,
): readonly Column[] {
  if (position === 'first') return [column, ...siblings];
  if (position === 'last') return [...siblings, column];
  const [neighbour, offset] = 'before' in position ? [position.before, 0] : [position.after, 1];
  const at = siblings.findIndex((one) => one.name === neighbour);
  if (at < 0) throw new InvalidTable(`${shownPath}: there is no column ${neighbour} beside it`);
  return siblings.toSpliced(at + offset, 0, column);
}

function columnAt(schema: Schema, path: ColumnPath): Column {
  const column = schema.find(path);
  if (column === undefined) throw new InvalidTable(`${path.join('.')}: no such column`);
  return column;
}

function startsWith(path: ColumnPath, start: ColumnPath): boolean {
  return start.every((name, at) => path[at] === name);
}
