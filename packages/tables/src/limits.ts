import { MiB } from '@weir/core';

/** Limits of what turns topics into tables. */
export const tableLimits = {
  /** Rows of one batch for the writer of Parquet files, so that a message to its process stays small. */
  parquetBatchRowsMax: 16_384,

  /** Files that a writer has open at once; each is a table in its memory. */
  parquetOpenFilesMax: 1000,

  /** Rows of a row group, and about how many bytes; the first that is reached ends it. */
  parquetRowGroupRowsMax: 122_880,
  parquetRowGroupBytes: 64 * MiB,

  /** The heap of the process that writes Parquet files; what DuckDB holds comes on top. */
  parquetHeapBytesMax: 256 * MiB,

  /** A writer that owes an answer and gives none for so long is ended and started again. */
  parquetSilentMsMax: 120_000,
} as const;
