import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';
import { type Column, isPrimitive, type Type } from './types.ts';

/** A column with its place in the schema. Elements, keys and values are columns too. */
export interface PlacedColumn extends Column {
  /** Names from the top: `['user', 'tags', 'element']`. */
  readonly path: readonly string[];
  /** Whether it or a struct around it may be null. */
  readonly mayBeNull: boolean;
  /** Whether it is inside of a list or a map, so that a row has any number of its values. */
  readonly isRepeated: boolean;
}

interface SchemaParts {
  /** The `schema-id`, which is unique within a table. */
  readonly id: number;
  readonly columns: readonly Column[];
  /** Columns whose values together identify a row. */
  readonly identifierIds?: readonly number[] | undefined;
}

/** A schema that obeys the rules of the format: ids and names are unique, identifiers are required primitives. */
export class Schema {
  readonly id: number;
  readonly columns: readonly Column[];
  readonly identifierIds: readonly number[];
  /** The highest id that occurs. */
  readonly columnIdMax: number;
  readonly #byId: ReadonlyMap<number, PlacedColumn>;

  constructor({ id, columns, identifierIds = [] }: SchemaParts) {
    this.id = id;
    this.columns = columns;
    this.identifierIds = identifierIds;
    this.#byId = placedColumns(columns);
    this.columnIdMax = Math.max(0, ...this.#byId.keys());
    for (const identifier of identifierIds) this.#checkIdentifier(identifier);
  }

  column(id: number): PlacedColumn | undefined {
    return this.#byId.get(id);
  }

  /** All columns, each before those inside of it. */
  allColumns(): Iterable<PlacedColumn> {
    return this.#byId.values();
  }

  find(path: readonly string[]): PlacedColumn | undefined {
    let inside: readonly Column[] = this.columns;
    let found: Column | undefined;
    for (const name of path) {
      found = inside.find((one) => one.name === name);
      if (found === undefined) return undefined;
      inside = columnsInside(found.type);
    }
    return found === undefined ? undefined : this.#byId.get(found.id);
  }

  withId(id: number): Schema {
    return id === this.id
      ? this
      : new Schema({ id, columns: this.columns, identifierIds: this.identifierIds });
  }

  #checkIdentifier(id: number): void {
    const column = this.#byId.get(id);
    const problem =
      column === undefined
        ? 'does not exist'
        : !isPrimitive(column.type)
          ? 'is not primitive'
          : column.type.kind === 'float' || column.type.kind === 'double'
            ? 'is a floating-point number'
            : column.isRepeated
              ? 'is in a list or map'
              : column.mayBeNull
                ? 'may be null'
                : undefined;
    if (problem !== undefined)
      throw new InvalidTable(`identifier column ${column?.path.join('.') ?? id} ${problem}`);
  }
}

/** What is directly inside of a type, as columns; the spec names elements, keys and values so. */
export function columnsInside(type: Type): readonly Column[] {
  switch (type.kind) {
    case 'struct':
      return type.columns;
    case 'list':
      return [
        { id: type.elementId, name: 'element', isRequired: type.isElementRequired, type: type.element },
      ];
    case 'map':
      return [
        { id: type.keyId, name: 'key', isRequired: true, type: type.key },
        { id: type.valueId, name: 'value', isRequired: type.isValueRequired, type: type.value },
      ];
    default:
      return [];
  }
}

function placedColumns(columns: readonly Column[]): Map<number, PlacedColumn> {
  const { tableColumnsMax, tableTypeDepthMax, tableColumnIdMax } = icebergLimits;
  const byId = new Map<number, PlacedColumn>();
  function place(inside: readonly Column[], around: Pick<PlacedColumn, 'path' | 'mayBeNull' | 'isRepeated'>) {
    const names = new Set<string>();
    for (const column of inside) {
      const path = [...around.path, column.name];
      const problem =
        column.name === ''
          ? 'a column has no name'
          : names.has(column.name)
            ? 'two columns have this name'
            : !Number.isInteger(column.id) || column.id < 0 || column.id > tableColumnIdMax
              ? `the id ${column.id} is not between 0 and ${tableColumnIdMax}`
              : byId.has(column.id)
                ? `the id ${column.id} is also that of ${byId.get(column.id)!.path.join('.')}`
                : path.length > tableTypeDepthMax
                  ? `more than ${tableTypeDepthMax} levels`
                  : byId.size >= tableColumnsMax
                    ? `more than ${tableColumnsMax} columns`
                    : undefined;
      if (problem !== undefined) throw new InvalidTable(`schema: ${path.slice(0, 8).join('.')}: ${problem}`);
      names.add(column.name);
      const mayBeNull = around.mayBeNull || !column.isRequired;
      byId.set(column.id, { ...column, path, mayBeNull, isRepeated: around.isRepeated });
      const isRepeated = around.isRepeated || column.type.kind === 'list' || column.type.kind === 'map';
      place(columnsInside(column.type), { path, mayBeNull, isRepeated });
    }
  }
  place(columns, { path: [], mayBeNull: false, isRepeated: false });
  return byId;
}
