/**
 * Writes the rows of several Parquet files of a table as one, in their order, with the columns of the current schema.
 * Columns are found by their Iceberg ids. Rows pass in chunks: what is held in memory does not grow with the files.
 */
import { stat } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableDefinition } from '../table-definition.ts';
import { dictionaryOptions } from './dictionary-option.ts';
import { codecs, fieldIds, fileNames, quoteName, quoteText } from './duckdb-schema.ts';
import { expressionsFor, type FileColumn, readFileColumns, shapeOf } from './file-columns.ts';
import { rowGroupRows, rowGroupStarts, writtenColumns } from './file-metrics.ts';
import { type DuckDbOptions, openDuckDb } from './open-duckdb.ts';
import type { Column, WrittenParquet } from './parquet-writer.ts';
import { removeIntegerAnnotations } from './plain-integers.ts';
import { type LocalData, type LocalDelete, RowsLeft } from './rows-left.ts';
import { ParquetMemoryExceeded, ParquetNotRewritable, ParquetWriteFailed } from './writer-errors.ts';

interface Rewrite {
  /** Local files below the directory. */
  readonly sources: readonly LocalData[];
  /** Files by which rows of the sources were deleted, below the directory too. */
  readonly deletes: readonly LocalDelete[];
  readonly columns: readonly Column[];
  /**
   * Columns that must be in the files: those whose values readers would take from the partition of the file, if the
   * file lacks them.
   */
  readonly neededIds?: ReadonlySet<number> | undefined;
  readonly compression: TableDefinition['compression'];
  /** The path of the new file, below the directory too. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** Files whose columns are read alike, and come one after the other. */
interface Run {
  readonly columns: readonly FileColumn[];
  readonly shape: string;
  readonly files: LocalData[];
}

interface Rewritten extends WrittenParquet {
  /** Rows of the sources, those that were deleted too. */
  readonly readCount: number;
}

export class DuckDbRewriter {
  readonly #instance: DuckDBInstance;
  readonly #options: DuckDbOptions;

  private constructor(instance: DuckDBInstance, options: DuckDbOptions) {
    this.#instance = instance;
    this.#options = options;
  }

  static async open(options: DuckDbOptions): Promise<DuckDbRewriter> {
    return new DuckDbRewriter(await openDuckDb(options), options);
  }

  close(): void {
    this.#instance.closeSync();
  }

  async rewrite(rewrite: Rewrite): Promise<Rewritten> {
    const { signal } = rewrite;
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    const interrupt = () => connection.interrupt();
    signal?.addEventListener('abort', interrupt);
    try {
      return await this.#run(connection, rewrite);
    } catch (error) {
      signal?.throwIfAborted();
      throw failureOf(error as Error);
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  }

  async #run(connection: DuckDBConnection, rewrite: Rewrite): Promise<Rewritten> {
    const { sources, deletes, columns, compression, path } = rewrite;
    const runs = await runsOf(connection, rewrite);
    const rowsLeft = await RowsLeft.read(connection, deletes);
    const rows = runs.map((run) => selectionOf(run, columns, rowsLeft)).join(' UNION ALL ');
    const inSources = await sizesOf(connection, sources);
    const options = [
      'FORMAT parquet',
      `COMPRESSION ${codecs[compression]}`,
      `ROW_GROUP_SIZE ${rowGroupRows(inSources.bytes / Math.max(1, inSources.rows), this.#options.memoryBytesMax)}`,
      `FIELD_IDS ${fieldIds(columns)}`,
      ...(await dictionaryOptions(connection, columns, `(${rows}) AS merged(${namesOf(columns.length)})`)),
    ];
    await connection.run(`COPY (${rows}) TO ${quoteText(path)} (${options.join(', ')})`);
    await removeIntegerAnnotations(path);
    const source = `read_parquet(${quoteText(path)}, hive_partitioning = false) AS file(${namesOf(columns.length)})`;
    const counted = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${source}`);
    const recordCount = counted.getRows()[0]![0] as number;
    return {
      path,
      recordCount,
      readCount: inSources.rows,
      fileBytes: (await stat(path)).size,
      columns: await writtenColumns(connection, path, columns, { source, rowCount: recordCount }),
      splitOffsets: await rowGroupStarts(connection, path),
    };
  }
}

/** Files in their order, neighbours that are read alike together. */
async function runsOf(connection: DuckDBConnection, { sources, neededIds }: Rewrite): Promise<Run[]> {
  const runs: Run[] = [];
  for (const file of sources) {
    const { path } = file;
    try {
      const columns = await readFileColumns(connection, path);
      for (const id of neededIds ?? [])
        if (!columns.some((column) => column.id === id))
          throw new ParquetNotRewritable(
            `the file lacks the column ${id}, whose value is that of its partition`,
          );
      const shape = shapeOf(columns);
      const last = runs.at(-1);
      if (last?.shape === shape) last.files.push(file);
      else runs.push({ columns, shape, files: [file] });
    } catch (error) {
      throw about(error, [path]);
    }
  }
  return runs;
}

function selectionOf({ columns: has, files }: Run, columns: readonly Column[], rowsLeft: RowsLeft): string {
  const names = fileNames(columns);
  let expressions: string[];
  try {
    expressions = expressionsFor(columns, has);
  } catch (error) {
    throw about(
      error,
      files.map(({ path }) => path),
    );
  }
  const selected = expressions.map((value, at) => `${value} AS ${quoteName(names[at]!)}`);
  return `SELECT ${selected.join(', ')} FROM ${rowsLeft.of(has, files)}`;
}

function about(error: unknown, sources: readonly string[]): unknown {
  if (error instanceof ParquetNotRewritable) error.sources = sources;
  return error;
}

const namesOf = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`).join(', ');

/** Rows of files, and about how large they are, uncompressed. */
async function sizesOf(connection: DuckDBConnection, files: readonly LocalData[]) {
  const paths = files.map(({ path }) => quoteText(path)).join(', ');
  const found = await connection.runAndReadAll(
    `SELECT sum(total_uncompressed_size)::DOUBLE,
       (SELECT sum(num_rows)::DOUBLE FROM parquet_file_metadata([${paths}]))
     FROM parquet_metadata([${paths}])`,
  );
  const [bytes, rows] = found.getRows()[0]!;
  return { bytes: (bytes ?? 0) as number, rows: (rows ?? 0) as number };
}

function failureOf(error: Error): Error {
  const { message } = error;
  if (error instanceof ParquetNotRewritable) return error;
  if (/Out of Memory Error|max_temp_directory_size/.test(message))
    return new ParquetMemoryExceeded('the rows need more memory and disk than allowed to merge their files', {
      cause: error,
    });
  return new ParquetWriteFailed(`failed to merge Parquet files: ${message.split('\n')[0]!.slice(0, 500)}`, {
    cause: error,
  });
}
