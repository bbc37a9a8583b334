/**
 * Topics become Iceberg tables. Read it in this order; each folder only imports those before it:
 *
 * 1. `rows/`: the port from records to rows. `parquet/`: the port to writers of Parquet files, and DuckDB.
 * 2. `append/`: rows become data files of a table, by partition; what summaries of snapshots say about the source.
 * 3. `dead-letters/`: records that cannot be rows, in a table of their own, and their replay.
 * 4. `ingestion/`: from a topic to commits, each record once. `source.ts` is the port to the topic.
 */
export { RowBudget } from './append/row-budget.ts';
export type { TableProgress } from './ingestion/progress.ts';
export type { Source, SourceEvent, SourceReader } from './ingestion/source.ts';
export { TableIngestion, type TableIngestionOptions } from './ingestion/table-ingestion.ts';
export { TableMaintainer } from './maintenance/table-maintainer.ts';
export { DuckDbWriter } from './parquet/duckdb-writer.ts';
export type { RowValue } from './parquet/parquet-writer.ts';
export { ParquetMemoryExceeded } from './parquet/writer-errors.ts';
export type { SourceRecord } from './rows/row-reader.ts';
export type { Credential, StructType } from './table-definition.ts';
