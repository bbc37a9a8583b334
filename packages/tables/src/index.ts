/**
 * Topics become Iceberg tables. So far: rows become Parquet files. `parquet/parquet-writer.ts` is the port;
 * `parquet/duckdb-writer.ts` does it with DuckDB in a process of its own.
 */
export { DuckDbWriter, type DuckDbWriterOptions } from './parquet/duckdb-writer.ts';
export type { WrittenParquet } from './parquet/parquet-writer.ts';
export { ParquetMemoryExceeded, ParquetWriterCrashed } from './parquet/writer-errors.ts';
