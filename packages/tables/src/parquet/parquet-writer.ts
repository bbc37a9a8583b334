/**
 * The port to a writer of Parquet files: rows in, a data file of an Iceberg table and its metrics out. Every column of
 * a file carries its Iceberg id.
 */
import type { Type, Value, WrittenFile } from '@weir/iceberg';

export type Column = Extract<Type, { kind: 'struct' }>['columns'][number];

/**
 * Primitive values are as in `@weir/iceberg`. A struct is an array with a value for each of its columns, a list an
 * array of elements, a map an array of pairs.
 */
export type RowValue = Value | null | readonly RowValue[];

export interface ParquetWriter {
  /** Begins a file. Its owner finishes or abandons it. */
  open(columns: readonly Column[], options?: ParquetFileOptions): Promise<ParquetFile>;
}

/** Reads local files. */
export interface ParquetReader {
  /** A path that no file has; files with such paths can be read. */
  newPath(): Promise<string>;
  /** Rows of a file as DuckDB gives them, in their order; `selection` is SQL. */
  read(path: string, selection: string): Promise<unknown[][]>;
}

export interface ParquetFileOptions {
  /** `zstd` if absent. */
  readonly compression?: 'zstd' | 'snappy' | 'gzip' | 'none' | undefined;
}

/** After an error of `append` or `finish` nothing more can be written; abandon the file, and write it again. */
export interface ParquetFile {
  /** Appends rows: an array of values for each column, all of one length. Wait for it before the next call. */
  append(batch: readonly (readonly RowValue[])[]): Promise<void>;
  /** Writes the file. It belongs to the caller, who deletes it. */
  finish(): Promise<WrittenParquet>;
  /** Forgets the rows. It is no error after `finish`, or if the writer has ended. */
  abandon(): Promise<void>;
}

/** What `describeFile` of `@weir/iceberg` needs; `path` is that of a local file. */
export interface WrittenParquet extends Pick<WrittenFile, 'path' | 'recordCount' | 'fileBytes' | 'columns'> {
  readonly splitOffsets: readonly number[];
}
