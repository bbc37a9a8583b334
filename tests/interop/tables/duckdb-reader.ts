/** Reads data files with DuckDB, by the ids of columns as the current schema has them. */
import {
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  DuckDBInstance,
  type DuckDBListValue,
  type DuckDBMapValue,
  type DuckDBStructValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBTimeValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { DataFile, Type } from '@weir/iceberg';
import type { RowValue } from '@weir/tables';
import { type Column, type Row, shownRows } from './typed-rows.ts';

const duckTypes: Readonly<Record<string, string>> = {
  boolean: 'BOOLEAN',
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  string: 'VARCHAR',
  uuid: 'UUID',
  fixed: 'BLOB',
  binary: 'BLOB',
};

/** Rows as `shownRows` shows them. */
export async function duckRows(columns: readonly Column[], files: readonly DataFile[]): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const paths = files.map(({ path }) => text(path.slice('file://'.length))).join(', ');
    const schema = columns.map(
      ({ id, name, type }) =>
        `${id}: {name: ${text(name)}, type: ${text(duckType(type))}, default_value: NULL}`,
    );
    const found = await connection.runAndReadAll(
      `SELECT ${columns.map(({ name }) => quoted(name)).join(', ')}
       FROM read_parquet([${paths}], schema = MAP {${schema.join(', ')}})`,
    );
    const rows = found
      .getRows()
      .map(
        (row): Row =>
          Object.fromEntries(columns.map(({ name, type }, at) => [name, rowValue(type, row[at] ?? null)])),
      );
    return shownRows(columns, rows);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function duckType(type: Type): string {
  switch (type.kind) {
    case 'struct':
      return `STRUCT(${type.columns.map((one) => `${quoted(one.name)} ${duckType(one.type)}`).join(', ')})`;
    case 'list':
      return `${duckType(type.element)}[]`;
    case 'map':
      return `MAP(${duckType(type.key)}, ${duckType(type.value)})`;
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`;
    default:
      return duckTypes[type.kind]!;
  }
}

/** A value of DuckDB as ours. */
function rowValue(type: Type, value: DuckDBValue): RowValue {
  if (value === null) return null;
  switch (type.kind) {
    case 'struct': {
      const { entries } = value as DuckDBStructValue;
      return type.columns.map((one) => rowValue(one.type, entries[one.name] ?? null));
    }
    case 'list':
      return (value as DuckDBListValue).items.map((one) => rowValue(type.element, one));
    case 'map':
      return (value as DuckDBMapValue).entries.map((one) => [
        rowValue(type.key, one.key),
        rowValue(type.value, one.value),
      ]);
    case 'decimal':
      return (value as DuckDBDecimalValue).value;
    case 'date':
      return (value as DuckDBDateValue).days;
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return (value as DuckDBTimeValue | DuckDBTimestampValue | DuckDBTimestampTZValue).micros;
    case 'uuid':
      return String(value);
    case 'fixed':
    case 'binary':
      return (value as DuckDBBlobValue).bytes;
    default:
      return value as RowValue;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
