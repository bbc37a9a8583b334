/**
 * The columns of a Parquet file by their Iceberg ids, and the SQL that reads them as the columns of a newer schema.
 * Names play no part: a column may have been renamed, dropped, and another one added under its name.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Type } from '@weir/iceberg';
import { duckType, fileNames, quoteName, quoteText } from './duckdb-schema.ts';
import type { Column } from './parquet-writer.ts';
import { ParquetNotRewritable } from './writer-errors.ts';

/** A column of a file. Those of structs are in `inside`; a list has its element there, a map its key and value. */
export interface FileColumn {
  readonly name: string;
  /** Absent in files of writers that know no ids. */
  readonly id: number | undefined;
  readonly kind: 'primitive' | 'struct' | 'list' | 'map';
  /** What DuckDB reads a primitive column as. */
  readonly duckType: string;
  readonly inside: readonly FileColumn[];
}

interface SchemaRow {
  readonly name: string;
  readonly childCount: number;
  readonly repetition: string;
  readonly convertedType: string;
  readonly logicalType: string;
  readonly id: number | undefined;
  readonly duckType: string;
}

/** The columns of a file, from its footer. */
export async function readFileColumns(connection: DuckDBConnection, path: string): Promise<FileColumn[]> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, repetition_type, converted_type, logical_type, field_id, duckdb_type
     FROM parquet_schema(${quoteText(path)}) ORDER BY column_id`,
  );
  const rows = found.getRows().map(
    ([name, childCount, repetition, convertedType, logicalType, id, type]): SchemaRow => ({
      name: String(name),
      childCount: Number(childCount ?? 0),
      repetition: String(repetition ?? ''),
      convertedType: String(convertedType ?? ''),
      logicalType: String(logicalType ?? ''),
      id: id === null || id === undefined ? undefined : Number(id),
      duckType: String(type ?? ''),
    }),
  );
  let at = 0;
  /** Rows come depth first, each with the number of its children. */
  const next = (): FileNode => {
    const row = rows[at++];
    if (row === undefined) throw new ParquetNotRewritable('the schema of the file ends too early');
    return { row, children: Array.from({ length: row.childCount }, next) };
  };
  return next().children.map(columnOf);
}

interface FileNode {
  readonly row: SchemaRow;
  readonly children: readonly FileNode[];
}

/** Lists and maps have a repeated group between them and what they hold, which has no id. */
function columnOf({ row, children }: FileNode): FileColumn {
  const { name, id, duckType: type, convertedType, logicalType, repetition } = row;
  if (repetition === 'REPEATED') throw new ParquetNotRewritable(`column ${name} is repeated without a list`);
  if (children.length === 0) return { name, id, kind: 'primitive', duckType: type, inside: [] };
  const kind =
    convertedType === 'LIST' || logicalType.startsWith('ListType')
      ? 'list'
      : convertedType.startsWith('MAP') || logicalType.startsWith('MapType')
        ? 'map'
        : 'struct';
  if (kind === 'struct') return { name, id, kind, duckType: type, inside: children.map(columnOf) };
  const group = children[0]!;
  const held = group.children;
  if (
    children.length !== 1 ||
    group.row.repetition !== 'REPEATED' ||
    held.length !== (kind === 'list' ? 1 : 2)
  )
    throw new ParquetNotRewritable(`column ${name} is a ${kind} of an old form`);
  return { name, id, kind, duckType: type, inside: held.map(columnOf) };
}

/**
 * A text that is the same for files whose columns are read alike, so that one query reads them all. `undefined` ids
 * differ from all others.
 */
export function shapeOf(columns: readonly FileColumn[]): string {
  return JSON.stringify(
    columns.map(({ name, id, kind, duckType: type, inside }) => [
      name,
      id ?? null,
      kind,
      type,
      shapeOf(inside),
    ]),
  );
}

/** What the source columns of a query are called: `c0`, `c1` and so on. */
const sourceColumn = (at: number) => `c${at}`;

/**
 * An expression for each wanted column, over the columns of a file called `c0`, `c1` and so on. A column that the file
 * does not have is null. Throws `ParquetNotRewritable` if a column has a type that cannot be read as the wanted one.
 */
export function expressionsFor(wanted: readonly Column[], has: readonly FileColumn[]): string[] {
  const byId = columnsById(has);
  return wanted.map((column) => {
    const found = byId.get(column.id);
    if (found === undefined) return missing(column, column.name);
    return converted(sourceColumn(found.at), found.column, column, column.name, 0);
  });
}

function columnsById(columns: readonly FileColumn[]) {
  const byId = new Map<number, { readonly column: FileColumn; readonly at: number }>();
  for (const [at, column] of columns.entries()) {
    if (column.id === undefined)
      throw new ParquetNotRewritable(`column ${column.name} has no id in the file`);
    if (byId.has(column.id))
      throw new ParquetNotRewritable(`two columns of the file have the id ${column.id}`);
    byId.set(column.id, { column, at });
  }
  return byId;
}

function missing({ type, isRequired }: Column, place: string): string {
  if (isRequired)
    throw new ParquetNotRewritable(`column ${place} is required, and the file does not have it`);
  return `CAST(NULL AS ${duckType(type)})`;
}

/** `depth` names the parameters of lambdas. */
function converted(
  expression: string,
  has: FileColumn,
  { type, id }: Pick<Column, 'type' | 'id'>,
  place: string,
  depth: number,
): string {
  if (has.id !== id) throw new ParquetNotRewritable(`column ${place} has another id in the file`);
  if (isSame(has, type)) return expression;
  const isNested = type.kind === 'struct' || type.kind === 'list' || type.kind === 'map';
  if (has.kind !== (isNested ? type.kind : 'primitive'))
    throw new ParquetNotRewritable(
      `column ${place} is a ${has.kind} in the file, and ${type.kind} in the table`,
    );
  switch (type.kind) {
    case 'struct': {
      const byId = columnsById(has.inside);
      const names = fileNames(type.columns);
      const parts = type.columns.map((column, at) => {
        const found = byId.get(column.id);
        const inside = `${place}.${column.name}`;
        const value =
          found === undefined
            ? missing(column, inside)
            : converted(
                `struct_extract_at(${expression}, ${found.at + 1})`,
                found.column,
                column,
                inside,
                depth,
              );
        return `${quoteName(names[at]!)} := ${value}`;
      });
      return `CASE WHEN ${expression} IS NULL THEN NULL ELSE struct_pack(${parts.join(', ')}) END`;
    }
    case 'list': {
      const element = converted(
        `x${depth}`,
        has.inside[0]!,
        { type: type.element, id: type.elementId },
        `${place}.element`,
        depth + 1,
      );
      return `list_transform(${expression}, lambda x${depth}: ${element})`;
    }
    case 'map': {
      const key = converted(
        `struct_extract_at(x${depth}, 1)`,
        has.inside[0]!,
        { type: type.key, id: type.keyId },
        `${place}.key`,
        depth + 1,
      );
      const value = converted(
        `struct_extract_at(x${depth}, 2)`,
        has.inside[1]!,
        { type: type.value, id: type.valueId },
        `${place}.value`,
        depth + 1,
      );
      const entries = `list_transform(map_entries(${expression}), lambda x${depth}: struct_pack(key := ${key}, value := ${value}))`;
      return `CASE WHEN ${expression} IS NULL THEN NULL ELSE map_from_entries(${entries}) END`;
    }
    default:
      if (!isPromotion(has.duckType, type))
        throw new ParquetNotRewritable(
          `column ${place} is ${has.duckType} in the file, which is not read as ${duckType(type)}`,
        );
      return `CAST(${expression} AS ${duckType(type)})`;
  }
}

/** Whether the file has exactly the wanted type, with the names that it gets. */
function isSame(has: FileColumn, type: Type): boolean {
  switch (type.kind) {
    case 'struct': {
      const names = fileNames(type.columns);
      return (
        has.kind === 'struct' &&
        has.inside.length === type.columns.length &&
        type.columns.every(
          (column, at) =>
            has.inside[at]!.id === column.id &&
            has.inside[at]!.name === names[at] &&
            isSame(has.inside[at]!, column.type),
        )
      );
    }
    case 'list':
      return (
        has.kind === 'list' && has.inside[0]!.id === type.elementId && isSame(has.inside[0]!, type.element)
      );
    case 'map':
      return (
        has.kind === 'map' &&
        has.inside[0]!.id === type.keyId &&
        isSame(has.inside[0]!, type.key) &&
        has.inside[1]!.id === type.valueId &&
        isSame(has.inside[1]!, type.value)
      );
    default:
      return has.kind === 'primitive' && has.duckType === String(duckType(type));
  }
}

/** What schema evolution allows, and no more: another cast would change values. */
function isPromotion(from: string, to: Type): boolean {
  if (to.kind === 'long') return from === 'INTEGER';
  if (to.kind === 'double') return from === 'FLOAT';
  const [, precision, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(from) ?? [];
  return (
    to.kind === 'decimal' &&
    precision !== undefined &&
    Number(precision) <= to.precision &&
    Number(scale) === to.scale
  );
}
