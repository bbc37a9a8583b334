/** Iceberg columns as DuckDB knows them: types, names, SQL texts with ids, and the primitive columns of a file. */
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBType,
  FLOAT,
  INTEGER,
  LIST,
  MAP,
  STRUCT,
  TIME,
  TIMESTAMP,
  TIMESTAMPTZ,
  UUID,
  VARCHAR,
} from '@duckdb/node-api';
import type { PrimitiveType, Type } from '@weir/iceberg';
import type { Column } from './parquet-writer.ts';

/** Names of compressions, by those of definitions. */
export const codecs = { zstd: 'zstd', snappy: 'snappy', gzip: 'gzip', none: 'uncompressed' } as const;

/** A primitive column. Parquet stores them one after the other, in this order. */
export interface Leaf {
  readonly id: number;
  readonly type: PrimitiveType;
  /** The SQL expression of its value in a row, unless it is inside of a list or map. */
  readonly expression: string | undefined;
}

const simpleTypes: Readonly<Record<Exclude<PrimitiveType['kind'], 'decimal'>, DuckDBType>> = {
  boolean: BOOLEAN,
  int: INTEGER,
  long: BIGINT,
  float: FLOAT,
  double: DOUBLE,
  date: DATE,
  time: TIME,
  timestamp: TIMESTAMP,
  timestamptz: TIMESTAMPTZ,
  string: VARCHAR,
  uuid: UUID,
  fixed: BLOB,
  binary: BLOB,
};

export function duckType(type: Type): DuckDBType {
  switch (type.kind) {
    case 'struct': {
      const names = fileNames(type.columns);
      return STRUCT(Object.fromEntries(type.columns.map((one, at) => [names[at]!, duckType(one.type)])));
    }
    case 'list':
      return LIST(duckType(type.element));
    case 'map':
      return MAP(duckType(type.key), duckType(type.value));
    case 'decimal':
      return DECIMAL(type.precision, type.scale);
    default:
      return simpleTypes[type.kind];
  }
}

/** DuckDB keeps this name for the id of a nested column. */
const idKey = '__duckdb_field_id';

/**
 * The names of columns in the file. DuckDB ignores case, so a name that differs from an earlier one by case alone gets
 * the id appended. JavaScript would sort names that are numbers to the front, so they get it too. Readers of Iceberg
 * tables go by ids.
 */
export function fileNames(columns: readonly Column[]): string[] {
  const taken = new Set([idKey]);
  const isFree = (name: string) => !taken.has(name.toLowerCase()) && !/^\d+$/.test(name);
  return columns.map(({ name, id }) => {
    let free = name;
    while (!isFree(free)) free = `${free}_${id}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

const tableColumn = (at: number) => `c${at}`;

export function tableDefinition(columns: readonly Column[]): string {
  return columns.map(({ type }, at) => `${tableColumn(at)} ${duckType(type)}`).join(', ');
}

/** The columns under their own names. */
export function selection(columns: readonly Column[]): string {
  return fileNames(columns)
    .map((name, at) => `${tableColumn(at)} AS ${quoteName(name)}`)
    .join(', ');
}

/** The value of the option `FIELD_IDS`. */
export function fieldIds(columns: readonly Column[]): string {
  const names = fileNames(columns);
  return `{${columns.map(({ id, type }, at) => `${quoteName(names[at]!)}: ${idsOf(id, type)}`).join(', ')}}`;
}

function idsOf(id: number, type: Type): string {
  const own = `${quoteName(idKey)}: ${id}`;
  switch (type.kind) {
    case 'struct':
      return `{${own}, ${fieldIds(type.columns).slice(1, -1)}}`;
    case 'list':
      return `{${own}, "element": ${idsOf(type.elementId, type.element)}}`;
    case 'map':
      return `{${own}, "key": ${idsOf(type.keyId, type.key)}, "value": ${idsOf(type.valueId, type.value)}}`;
    default:
      return String(id);
  }
}

export function leavesOf(columns: readonly Column[]): Leaf[] {
  return columns.flatMap(({ id, type }, at) => leavesInside(id, type, tableColumn(at)));
}

function leavesInside(id: number, type: Type, expression: string | undefined): Leaf[] {
  switch (type.kind) {
    case 'struct': {
      const names = fileNames(type.columns);
      return type.columns.flatMap((one, at) =>
        leavesInside(
          one.id,
          one.type,
          expression && `struct_extract(${expression}, ${quoteText(names[at]!)})`,
        ),
      );
    }
    case 'list':
      return leavesInside(type.elementId, type.element, undefined);
    case 'map':
      return [
        ...leavesInside(type.keyId, type.key, undefined),
        ...leavesInside(type.valueId, type.value, undefined),
      ];
    default:
      return [{ id, type, expression }];
  }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
