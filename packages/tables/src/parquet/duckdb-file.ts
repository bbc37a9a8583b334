/** A Parquet file in the making: its rows are in a temporary table of DuckDB, which moves parts to disk if need be. */
import { stat } from 'node:fs/promises';
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { dictionaryOptions } from './dictionary-option.ts';
import { codecs, duckType, fieldIds, quoteText, selection, tableDefinition } from './duckdb-schema.ts';
import { converterOf, type ValueCounts } from './duckdb-values.ts';
import { vectorFillOf } from './duckdb-vectors.ts';
import { chunkRowsMax, rowGroupRows, rowGroupStarts, writtenColumns } from './file-metrics.ts';
import type { Column, ParquetFileOptions, RowValue, WrittenParquet } from './parquet-writer.ts';
import { removeIntegerAnnotations } from './plain-integers.ts';
import { InvalidRow } from './writer-errors.ts';

interface FileOptions extends ParquetFileOptions {
  readonly memoryBytesMax: number;
}

/** A temporary table is seen by its connection alone. */
const table = 'rows';

/** Puts rows of a batch into a column of a chunk that has as many. */
type ColumnFill = (chunk: DuckDBDataChunk, values: readonly RowValue[], from: number, to: number) => void;

function columnFill(column: Column, at: number, counts: ValueCounts): ColumnFill {
  const fill = vectorFillOf(column, counts);
  if (fill !== undefined)
    return (chunk, values, from, to) => fill(duckdb.data_chunk_get_vector(chunk.chunk, at), values, from, to);
  const convert = converterOf(column, counts);
  return (chunk, values, from, to) => {
    const vector = chunk.getColumnVector(at);
    for (let row = from; row < to; row++) vector.setItem(row - from, convert(values[row]));
    vector.flush();
  };
}

export class DuckDbFile {
  /** Of its own. */
  readonly #connection: DuckDBConnection;
  readonly #options: FileOptions;
  readonly #columns: readonly Column[];
  readonly #types: readonly DuckDBType[];
  readonly #counts: ValueCounts = { nans: new Map(), bytes: 0 };
  readonly #fills: readonly ColumnFill[];
  readonly #appender: DuckDBAppender;
  #rowCount = 0;

  private constructor(
    connection: DuckDBConnection,
    columns: readonly Column[],
    appender: DuckDBAppender,
    options: FileOptions,
  ) {
    this.#connection = connection;
    this.#columns = columns;
    this.#types = columns.map(({ type }) => duckType(type));
    this.#fills = columns.map((column, at) => columnFill(column, at, this.#counts));
    this.#appender = appender;
    this.#options = options;
  }

  static async open(
    connection: DuckDBConnection,
    columns: readonly Column[],
    options: FileOptions,
  ): Promise<DuckDbFile> {
    try {
      await connection.run(`CREATE TEMP TABLE ${table} (${tableDefinition(columns)})`);
      const appender = await connection.createAppender(table);
      return new DuckDbFile(connection, columns, appender, options);
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  }

  append(batch: readonly (readonly RowValue[])[]): void {
    const rowCount = batch[0]?.length ?? 0;
    if (batch.length !== this.#columns.length || batch.some(({ length }) => length !== rowCount))
      throw new InvalidRow(`a batch has other columns than its file, or columns of different lengths`);
    for (let from = 0; from < rowCount; from += chunkRowsMax) {
      const to = Math.min(from + chunkRowsMax, rowCount);
      const chunk = DuckDBDataChunk.create(this.#types, to - from);
      for (const [at, fill] of this.#fills.entries()) fill(chunk, batch[at]!, from, to);
      this.#appender.appendDataChunk(chunk);
    }
    this.#rowCount += rowCount;
  }

  async finish(path: string): Promise<WrittenParquet> {
    this.#appender.closeSync();
    const options = [
      'FORMAT parquet',
      `COMPRESSION ${codecs[this.#options.compression ?? 'zstd']}`,
      `ROW_GROUP_SIZE ${this.#rowGroupRows()}`,
      `FIELD_IDS ${fieldIds(this.#columns)}`,
      ...(await dictionaryOptions(this.#connection, this.#columns, table)),
    ];
    await this.#connection.run(
      `COPY (SELECT ${selection(this.#columns)} FROM ${table}) TO ${quoteText(path)} (${options.join(', ')})`,
    );
    await removeIntegerAnnotations(path);
    const rows = { source: table, rowCount: this.#rowCount, nans: this.#counts.nans };
    const columns = await writtenColumns(this.#connection, path, this.#columns, rows);
    const splitOffsets = await rowGroupStarts(this.#connection, path);
    this.#connection.closeSync();
    return { path, recordCount: this.#rowCount, fileBytes: (await stat(path)).size, columns, splitOffsets };
  }

  abandon(): void {
    try {
      this.#appender.closeSync();
    } catch {
      // It tries to write the rows that failed before.
    }
    this.#connection.closeSync();
  }

  /** Wide rows make row groups of few rows, so that writing one fits into memory. */
  #rowGroupRows(): number {
    return rowGroupRows(this.#counts.bytes / Math.max(1, this.#rowCount), this.#options.memoryBytesMax);
  }
}
