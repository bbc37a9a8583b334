/**
 * A table as a view over its Parquet files. Columns are found by their ids: a file has the names of the schema that it
 * was written with, and lacks columns that were added later. Files with the same columns are one part of the view.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckType, fileNames, quoteName } from '../parquet/duckdb-schema.ts';
import { expressionsFor, type FileColumn, readFileColumns, shapeOf } from '../parquet/file-columns.ts';
import { type LocalData, RowsLeft } from '../parquet/rows-left.ts';
import type { SqlTable } from './sql-messages.ts';

/** The text that creates the view. */
export async function viewOf(connection: DuckDBConnection, table: SqlTable): Promise<string> {
  const rowsLeft = await RowsLeft.read(connection, table.deletes);
  const groups = new Map<string, { readonly has: readonly FileColumn[]; readonly files: LocalData[] }>();
  for (const file of table.data) {
    const has = await readFileColumns(connection, file.path);
    const shape = shapeOf(has);
    const group = groups.get(shape) ?? { has, files: [] };
    group.files.push(file);
    groups.set(shape, group);
  }
  const { name, columns } = table;
  const names = fileNames(columns);
  const selected = (expressions: readonly string[]) =>
    expressions.map((expression, at) => `${expression} AS ${quoteName(names[at]!)}`).join(', ');
  const parts = [...groups.values()].map(
    ({ has, files }) => `SELECT ${selected(expressionsFor(columns, has))} FROM ${rowsLeft.of(has, files)}`,
  );
  if (parts.length === 0)
    parts.push(
      `SELECT ${selected(columns.map(({ type }) => `CAST(NULL AS ${duckType(type)})`))} WHERE false`,
    );
  return `CREATE VIEW ${quoteName(name)} AS ${parts.join(' UNION ALL ')}`;
}
