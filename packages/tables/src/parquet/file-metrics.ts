/** What manifests say about a Parquet file: sizes, counts and bounds of its columns, and where its row groups start. */
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { WrittenColumn } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { type Leaf, leavesOf, quoteText } from './duckdb-schema.ts';
import { boundValue } from './duckdb-values.ts';
import type { Column } from './parquet-writer.ts';

/** The most rows of a chunk, and what the rows of a row group are a multiple of. */
export const chunkRowsMax = 2048;

/** Columns of one query; a table may have 10,000. */
const leavesPerQuery = 500;

type RowMetrics = Pick<WrittenColumn, 'nullCount' | 'nanCount' | 'least' | 'greatest'>;

interface WrittenRows {
  /** What to select the rows from; its columns are called `c0`, `c1` and so on. */
  readonly source: string;
  readonly rowCount: number;
  /** NaNs by column, if they were counted on their way; else those outside of lists and maps are. */
  readonly nans?: ReadonlyMap<number, number> | undefined;
}

/** Wide rows make row groups of few rows, so that writing one fits into memory. */
export function rowGroupRows(rowBytes: number, memoryBytesMax: number): number {
  const { parquetRowGroupRowsMax, parquetRowGroupBytes } = tableLimits;
  const groupBytes = Math.min(parquetRowGroupBytes, memoryBytesMax / 8);
  const rows = Math.min(groupBytes / Math.max(1, rowBytes), parquetRowGroupRowsMax);
  return Math.max(1, Math.floor(rows / chunkRowsMax)) * chunkRowsMax;
}

/**
 * Sizes come from the footer; counts and bounds from the rows, because the footer has wrong numbers of nulls
 * for structs within maps, and texts for bounds. Inside of lists and maps nulls are not counted at all.
 */
export async function writtenColumns(
  connection: DuckDBConnection,
  path: string,
  columns: readonly Column[],
  rows: WrittenRows,
): Promise<Map<number, WrittenColumn>> {
  const leaves = leavesOf(columns);
  const inRows = await rowMetrics(
    connection,
    leaves.filter(({ expression }) => expression !== undefined),
    rows,
  );
  const found = await connection.runAndReadAll(
    `SELECT column_id, sum(total_compressed_size)::DOUBLE, sum(num_values)::DOUBLE
     FROM parquet_metadata(${quoteText(path)}) GROUP BY column_id ORDER BY column_id`,
  );
  const written = new Map<number, WrittenColumn>();
  for (const [at, bytes, valueCount] of found.getRows()) {
    const { id } = leaves[Number(at)]!;
    written.set(id, {
      bytes: bytes as number,
      valueCount: valueCount as number,
      nanCount: rows.nans?.get(id),
      ...inRows.get(id),
    });
  }
  return written;
}

async function rowMetrics(
  connection: DuckDBConnection,
  leaves: readonly Leaf[],
  { source, rowCount, nans }: WrittenRows,
): Promise<Map<number, RowMetrics>> {
  const metrics = new Map<number, RowMetrics>();
  for (let from = 0; from < leaves.length; from += leavesPerQuery) {
    const asked = leaves.slice(from, from + leavesPerQuery);
    const aggregates = asked.map(({ type, expression }) => {
      const filter = isFloating(type) ? ` FILTER (WHERE NOT isnan(${expression}))` : '';
      const nanCount =
        isFloating(type) && nans === undefined ? `count_if(isnan(${expression}))::DOUBLE` : 'NULL';
      return `count(${expression})::DOUBLE, min(${expression})${filter}, max(${expression})${filter}, ${nanCount}`;
    });
    const found = await connection.runAndReadAll(`SELECT ${aggregates.join(', ')} FROM ${source}`);
    const row = found.getRows()[0]!;
    for (const [at, { id, type }] of asked.entries()) {
      const [count, least, greatest, nanCount] = row.slice(4 * at, 4 * at + 4);
      metrics.set(id, {
        nullCount: rowCount - (count as number),
        ...(nanCount !== null && { nanCount: nanCount as number }),
        ...(least !== null && greatest !== null && boundsOf(type, least!, greatest!)),
      });
    }
  }
  return metrics;
}

export async function rowGroupStarts(connection: DuckDBConnection, path: string): Promise<number[]> {
  const found = await connection.runAndReadAll(
    `SELECT min(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset)))::DOUBLE AS start
     FROM parquet_metadata(${quoteText(path)}) GROUP BY row_group_id ORDER BY start`,
  );
  return found.getRows().map(([start]) => start as number);
}

/** To DuckDB both zeros are equal, and in Iceberg -0 is before 0: bounds that are zero include both. */
function boundsOf(type: Leaf['type'], least: DuckDBValue, greatest: DuckDBValue): RowMetrics {
  if (isFloating(type))
    return { least: least === 0 ? -0 : (least as number), greatest: (greatest as number) + 0 };
  return { least: boundValue(type, least), greatest: boundValue(type, greatest) };
}

/** Such columns have NaNs. */
function isFloating({ kind }: Leaf['type']): boolean {
  return kind === 'float' || kind === 'double';
}
