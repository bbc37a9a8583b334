/** A Parquet file in the making: its rows are in a temporary table of DuckDB, which moves parts to disk if need be. */
import { stat } from 'node:fs/promises';
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { WrittenColumn } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import {
  duckType,
  fieldIds,
  type Leaf,
  leavesOf,
  quoteText,
  selection,
  tableDefinition,
} from './duckdb-schema.ts';
import { boundValue, type Converter, converterOf, type ValueCounts } from './duckdb-values.ts';
import type { Column, RowValue, WrittenParquet } from './parquet-writer.ts';
import { InvalidRow } from './writer-errors.ts';

/** The most rows of a chunk, and what the rows of a row group are a multiple of. */
const chunkRowsMax = 2048;

/** Columns of one query; a table may have 10,000. */
const leavesPerQuery = 500;

type RowMetrics = Pick<WrittenColumn, 'nullCount' | 'least' | 'greatest'>;

export class DuckDbFile {
  readonly #connection: DuckDBConnection;
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #types: readonly DuckDBType[];
  readonly #counts: ValueCounts = { nans: new Map(), bytes: 0 };
  readonly #converters: readonly Converter[];
  readonly #appender: DuckDBAppender;
  readonly #rowGroupBytes: number;
  #rowCount = 0;

  private constructor(
    connection: DuckDBConnection,
    table: string,
    columns: readonly Column[],
    appender: DuckDBAppender,
    memoryBytesMax: number,
  ) {
    this.#connection = connection;
    this.#table = table;
    this.#columns = columns;
    this.#types = columns.map(({ type }) => duckType(type));
    this.#converters = columns.map((column) => converterOf(column, this.#counts));
    this.#appender = appender;
    this.#rowGroupBytes = Math.min(tableLimits.parquetRowGroupBytes, memoryBytesMax / 8);
  }

  static async open(
    connection: DuckDBConnection,
    id: number,
    columns: readonly Column[],
    memoryBytesMax: number,
  ): Promise<DuckDbFile> {
    const table = `file_${id}`;
    await connection.run(`CREATE TEMP TABLE ${table} (${tableDefinition(columns)})`);
    const appender = await connection.createAppender(table);
    return new DuckDbFile(connection, table, columns, appender, memoryBytesMax);
  }

  append(batch: readonly (readonly RowValue[])[]): void {
    const rowCount = batch[0]?.length ?? 0;
    if (batch.length !== this.#columns.length || batch.some(({ length }) => length !== rowCount))
      throw new InvalidRow(`a batch has other columns than its file, or columns of different lengths`);
    for (let from = 0; from < rowCount; from += chunkRowsMax) {
      const to = Math.min(from + chunkRowsMax, rowCount);
      const chunk = DuckDBDataChunk.create(this.#types, to - from);
      chunk.setColumns(batch.map((values, at) => values.slice(from, to).map(this.#converters[at]!)));
      this.#appender.appendDataChunk(chunk);
    }
    this.#rowCount += rowCount;
  }

  async finish(path: string): Promise<WrittenParquet> {
    this.#appender.closeSync();
    const options = [
      'FORMAT parquet',
      'COMPRESSION zstd',
      `ROW_GROUP_SIZE ${this.#rowGroupRows()}`,
      `FIELD_IDS ${fieldIds(this.#columns)}`,
    ];
    await this.#connection.run(
      `COPY (SELECT ${selection(this.#columns)} FROM ${this.#table}) TO ${quoteText(path)} (${options.join(', ')})`,
    );
    const columns = await this.#writtenColumns(path);
    const splitOffsets = await this.#splitOffsets(path);
    await this.#drop();
    return { path, recordCount: this.#rowCount, fileBytes: (await stat(path)).size, columns, splitOffsets };
  }

  async abandon(): Promise<void> {
    try {
      this.#appender.closeSync();
    } catch {
      // It tries to write the rows that failed before.
    }
    await this.#drop();
  }

  async #drop(): Promise<void> {
    await this.#connection.run(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  /** Wide rows make row groups of few rows, so that writing one fits into memory. */
  #rowGroupRows(): number {
    const { parquetRowGroupRowsMax } = tableLimits;
    const rowBytes = Math.max(1, this.#counts.bytes / Math.max(1, this.#rowCount));
    const chunks = Math.floor(
      Math.min(this.#rowGroupBytes / rowBytes, parquetRowGroupRowsMax) / chunkRowsMax,
    );
    return Math.max(1, chunks) * chunkRowsMax;
  }

  /**
   * Sizes come from the footer; counts and bounds from the rows, because the footer has wrong numbers of nulls
   * for structs within maps, and texts for bounds. Inside of lists and maps nulls are not counted at all.
   */
  async #writtenColumns(path: string): Promise<Map<number, WrittenColumn>> {
    const leaves = leavesOf(this.#columns);
    const inRows = await this.#rowMetrics(leaves.filter(({ expression }) => expression !== undefined));
    const found = await this.#connection.runAndReadAll(
      `SELECT column_id, sum(total_compressed_size)::DOUBLE, sum(num_values)::DOUBLE
       FROM parquet_metadata(${quoteText(path)}) GROUP BY column_id ORDER BY column_id`,
    );
    const written = new Map<number, WrittenColumn>();
    for (const [at, bytes, valueCount] of found.getRows()) {
      const { id } = leaves[Number(at)]!;
      written.set(id, {
        bytes: bytes as number,
        valueCount: valueCount as number,
        nanCount: this.#counts.nans.get(id),
        ...inRows.get(id),
      });
    }
    return written;
  }

  async #rowMetrics(leaves: readonly Leaf[]): Promise<Map<number, RowMetrics>> {
    const metrics = new Map<number, RowMetrics>();
    for (let from = 0; from < leaves.length; from += leavesPerQuery) {
      const asked = leaves.slice(from, from + leavesPerQuery);
      const aggregates = asked.map(({ type, expression }) => {
        const filter = isFloating(type) ? ` FILTER (WHERE NOT isnan(${expression}))` : '';
        return `count(${expression})::DOUBLE, min(${expression})${filter}, max(${expression})${filter}`;
      });
      const found = await this.#connection.runAndReadAll(
        `SELECT ${aggregates.join(', ')} FROM ${this.#table}`,
      );
      const row = found.getRows()[0]!;
      for (const [at, { id, type }] of asked.entries()) {
        const [count, least, greatest] = row.slice(3 * at, 3 * at + 3);
        metrics.set(id, {
          nullCount: this.#rowCount - (count as number),
          ...(least !== null && greatest !== null && boundsOf(type, least!, greatest!)),
        });
      }
    }
    return metrics;
  }

  async #splitOffsets(path: string): Promise<number[]> {
    const found = await this.#connection.runAndReadAll(
      `SELECT min(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset)))::DOUBLE AS start
       FROM parquet_metadata(${quoteText(path)}) GROUP BY row_group_id ORDER BY start`,
    );
    return found.getRows().map(([start]) => start as number);
  }
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
