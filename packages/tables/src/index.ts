/**
 * Topics become Iceberg tables. So far: rows become Parquet files. `parquet/parquet-writer.ts` is the port;
 * `parquet/duckdb-writer.ts` does it with DuckDB in a process of its own.
 */
export { dropTable } from './maintenance/drop-table.ts';
export { type MaintenanceSettings, maintenanceSettings } from './maintenance/maintenance.ts';
export { type MaintenanceStep, maintenanceDue } from './maintenance/maintenance-due.ts';
export {
  type MaintainedTable,
  type MaintenanceCounts,
  MaintenanceFailed,
  type MaintenanceResult,
  TableMaintainer,
} from './maintenance/table-maintainer.ts';
export { DuckDbWriter, type DuckDbWriterOptions } from './parquet/duckdb-writer.ts';
export type { RowValue, WrittenParquet } from './parquet/parquet-writer.ts';
export { ParquetMemoryExceeded, ParquetWriterCrashed } from './parquet/writer-errors.ts';
export { type BucketFiles, TableQuestions, type TableQuestionsOptions } from './questions/table-questions.ts';
export type { ReadRows, RowFailure, RowReader, RowStep, SourceRecord } from './rows/row-reader.ts';
export type {
  Credential,
  DeadLetterMode,
  PartitionBy,
  RowDeps,
  SourceCluster,
  SourceCredentials,
  SourceFormat,
  StructType,
  TableConfiguration,
  TableDefinition,
} from './table-definition.ts';
