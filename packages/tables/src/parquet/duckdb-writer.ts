import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { formatBytes } from '@weir/core';
import { tableLimits } from '../limits.ts';
import type { DuckDbFile } from './duckdb-file.ts';
import type { DuckDbOptions } from './open-duckdb.ts';
import type {
  Column,
  ParquetFile,
  ParquetFileOptions,
  ParquetReader,
  ParquetWriter,
  RowValue,
  WrittenParquet,
} from './parquet-writer.ts';
import {
  InvalidRow,
  ParquetMemoryExceeded,
  ParquetWriteFailed,
  ParquetWriterCrashed,
} from './writer-errors.ts';

/**
 * Writes Parquet files with DuckDB in this process: native code that fails ends it, so it belongs into one of its own.
 * DuckDB is loaded with the first file. The directory is the writer's own; what is in it at first is deleted.
 */
export class DuckDbWriter implements ParquetWriter, ParquetReader {
  readonly #options: DuckDbOptions;
  #database: Promise<DuckDBInstance> | undefined;
  #lastFile = 0;
  #openFiles = 0;
  #isEmptied = false;
  #isClosed = false;

  constructor(options: DuckDbOptions) {
    this.#options = { ...options, directory: resolve(options.directory) };
  }

  async open(columns: readonly Column[], options: ParquetFileOptions = {}): Promise<ParquetFile> {
    if (this.#openFiles >= tableLimits.parquetOpenFilesMax)
      throw new ParquetWriteFailed(
        `${this.#openFiles} Parquet files are open, the most of a writer; finish some first`,
      );
    this.#openFiles++;
    try {
      const path = this.#nextPath();
      const file = await this.#guarded(async (database) => {
        const { DuckDbFile } = await import('./duckdb-file.ts');
        const { memoryBytesMax } = this.#options;
        return DuckDbFile.open(await database.connect(), columns, { ...options, memoryBytesMax });
      });
      return new OpenFile(file, path, {
        guard: (work) => this.#guarded(work),
        onClosed: () => this.#openFiles--,
      });
    } catch (error) {
      this.#openFiles--;
      throw error;
    }
  }

  read(path: string, selection: string): Promise<unknown[][]> {
    return this.#guarded(async (database) => {
      const { quoteText } = await import('./duckdb-schema.ts');
      const connection = await database.connect();
      try {
        const sql = `SELECT ${selection} FROM read_parquet(${quoteText(path)}, hive_partitioning = false)`;
        return (await connection.runAndReadAll(sql)).getRows();
      } finally {
        connection.closeSync();
      }
    });
  }

  /** The directory exists then. */
  newPath(): Promise<string> {
    return this.#guarded(() => this.#nextPath());
  }

  #nextPath(): string {
    return join(this.#options.directory, `${++this.#lastFile}.parquet`);
  }

  /** Open files are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const database = await this.#database?.catch(() => undefined);
    this.#database = undefined;
    database?.closeSync();
  }

  /** Runs work on the database, and turns its errors into those of the port. */
  async #guarded<Result>(work: (database: DuckDBInstance) => Promise<Result> | Result): Promise<Result> {
    if (this.#isClosed) throw new ParquetWriterCrashed('the Parquet writer was closed');
    this.#database ??= this.#open();
    const opened = this.#database;
    try {
      return await work(await opened);
    } catch (error) {
      if (error instanceof InvalidRow) throw error;
      const { message } = error as Error;
      if (/Out of Memory Error|max_temp_directory_size/.test(message))
        throw new ParquetMemoryExceeded(this.#memoryMessage(), { cause: error });
      // DuckDB refuses everything after such an error; a new database does not.
      if (/^(?:INTERNAL|FATAL) Error/.test(message)) {
        if (this.#database === opened) this.#database = undefined;
        throw new ParquetWriterCrashed(`DuckDB failed (${firstLine(message)}); write the file again`, {
          cause: error,
        });
      }
      throw new ParquetWriteFailed(`failed to write a Parquet file: ${firstLine(message)}`, { cause: error });
    }
  }

  async #open(): Promise<DuckDBInstance> {
    const { directory } = this.#options;
    try {
      await rm(this.#isEmptied ? join(directory, 'spill') : directory, { recursive: true, force: true });
      this.#isEmptied = true;
      await mkdir(directory, { recursive: true });
      const { openDuckDb } = await import('./open-duckdb.ts');
      return await openDuckDb(this.#options);
    } catch (error) {
      this.#database = undefined;
      throw error;
    }
  }

  #memoryMessage(): string {
    const { memoryBytesMax, spillBytesMax } = this.#options;
    const disk = spillBytesMax === 0 ? '' : ` and ${formatBytes(spillBytesMax)} of disk`;
    return `the rows of the open Parquet files need more than ${formatBytes(memoryBytesMax)} of memory${disk}; write smaller files, or allow the writer more`;
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0]!.slice(0, 500);
}

interface FileOwner {
  readonly guard: <Result>(work: () => Promise<Result> | Result) => Promise<Result>;
  readonly onClosed: () => void;
}

class OpenFile implements ParquetFile {
  readonly #file: DuckDbFile;
  readonly #path: string;
  readonly #owner: FileOwner;
  #state: 'open' | 'failed' | 'closed' = 'open';

  constructor(file: DuckDbFile, path: string, owner: FileOwner) {
    this.#file = file;
    this.#path = path;
    this.#owner = owner;
  }

  append(batch: readonly (readonly RowValue[])[]): Promise<void> {
    return this.#use(() => this.#file.append(batch));
  }

  async finish(): Promise<WrittenParquet> {
    const written = await this.#use(() => this.#file.finish(this.#path));
    this.#close();
    return written;
  }

  async abandon(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#close();
    this.#file.abandon();
    await rm(this.#path, { force: true });
  }

  #close(): void {
    this.#state = 'closed';
    this.#owner.onClosed();
  }

  async #use<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    if (this.#state !== 'open')
      throw new ParquetWriteFailed('the Parquet file was finished, abandoned or failed before');
    try {
      return await this.#owner.guard(work);
    } catch (error) {
      if (this.#state === 'open') this.#state = 'failed';
      throw error;
    }
  }
}
