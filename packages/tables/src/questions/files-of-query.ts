/** The data files that a query reads of a table: all, or those that its conditions do not rule out. */
import {
  currentSchema,
  type DataFile,
  type Filter,
  type LoadedTable,
  planFiles,
  snapshotOfRef,
  type TableFiles,
} from '@weir/iceberg';
import { fileNames } from '../parquet/duckdb-schema.ts';
import type { Column } from '../parquet/parquet-writer.ts';
import { type DataOrigin, type DeleteRule, originOf, TableDeletes } from '../parquet/table-deletes.ts';
import type { WantedFile } from '../sql/local-copies.ts';
import { SqlRefused } from '../sql/sql-errors.ts';
import type { SqlCondition } from '../sql/sql-messages.ts';

interface TableOfQuery {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly data: readonly (WantedFile & DataOrigin)[];
  readonly deletes: readonly (WantedFile & DeleteRule)[];
}

export async function filesOfQuery(
  name: string,
  files: TableFiles & WantedFile['files'],
  { metadata }: LoadedTable,
  conditions: readonly SqlCondition[],
): Promise<TableOfQuery> {
  const { columns } = currentSchema(metadata);
  const filter: Filter = {
    op: 'and',
    filters: conditions
      .filter(({ table }) => table === name)
      .flatMap((condition) => filterOf(columns, condition)),
  };
  const { data, deletes } = await planFiles(files, metadata, snapshotOfRef(metadata), filter);
  const other = data.find(({ file }) => file.format.toUpperCase() !== 'PARQUET');
  if (other !== undefined)
    throw new SqlRefused(
      `${name}: ${other.file.path} is a file of ${other.file.format}; only Parquet is read`,
    );
  const wanted = (file: DataFile): WantedFile => ({ files, path: file.path, bytes: Number(file.fileBytes) });
  return {
    name,
    columns,
    data: data.map((entry) => ({ ...wanted(entry.file), ...originOf(entry) })),
    deletes: new TableDeletes(deletes, metadata)
      .about(data)
      .map(({ file, ...rule }) => ({ ...wanted(file), ...rule })),
  };
}

/** No filter for what cannot be compared here exactly as DuckDB does it. */
function filterOf(columns: readonly Column[], { column, op, value }: SqlCondition): Filter[] {
  const names = fileNames(columns);
  const found = columns.find((_, at) => names[at]!.toLowerCase() === column.toLowerCase());
  const compared = found === undefined ? undefined : comparedValue(found.type.kind, value);
  return compared === undefined ? [] : [{ op, id: found!.id, value: compared }];
}

const int32Max = 2 ** 31 - 1;
const msPerDay = 86_400_000;
const timePattern = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?(?:Z|\+00:00|\+00)?$/;

function comparedValue(
  kind: Column['type']['kind'],
  value: string | number,
): string | number | bigint | undefined {
  if (typeof value === 'number') {
    if (kind === 'int') return Math.abs(value) <= int32Max ? value : undefined;
    return kind === 'long' ? BigInt(value) : undefined;
  }
  if (kind === 'string') return value;
  const [, day, time = '00:00:00', fraction = ''] = timePattern.exec(value) ?? [];
  if (day === undefined) return undefined;
  const ms = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(ms)) return undefined;
  if (kind === 'date') return value === day ? ms / msPerDay : undefined;
  if (kind !== 'timestamp' && kind !== 'timestamptz') return undefined;
  return BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
