/** What is reported of a table that is being written: its state at a time, and events. */

/** What happens to a table, as the events of type `tableflow_logs` name it. */
export type TableEventType =
  | 'table_created'
  | 'schema_evolved'
  | 'partitioning_evolved'
  | 'ingestion_started'
  | 'ingestion_stopped'
  | 'partition_stopped'
  | 'partition_resumed'
  | 'source_gap'
  | 'commit_failed'
  | 'record_ingestion_failed'
  | 'records_replayed'
  | 'files_missing';

export interface TableEvent {
  readonly type: TableEventType;
  readonly isError: boolean;
  /** One line. */
  readonly message: string;
  /** Of the topic, where it is about one. */
  readonly partition?: number | undefined;
  readonly offset?: bigint | undefined;
}

/** Where a failure comes from. */
export type ErrorCause = 'source' | 'records' | 'storage' | 'catalog' | 'other';

interface PartitionProgress {
  readonly partition: number;
  /** The next record that the table does not have. */
  readonly nextOffset: bigint;
  /** The next record that is read. */
  readonly readOffset: bigint;
  /** As last seen; absent until then. */
  readonly endOffset: bigint | undefined;
  readonly isStopped: boolean;
  /** Why it is stopped. */
  readonly error: string | undefined;
}

export interface TableProgress {
  readonly partitions: readonly PartitionProgress[];
  /** Age of the oldest record that the table does not have; 0 if it has all. Absent until it is known. */
  readonly ingestionLagMs: number | undefined;
  /** Whether the table has the columns, the partitioning and the properties of the definition. */
  readonly hasDefinition: boolean;
  /** Since it began. */
  readonly counts: TableCounts;
  /** Of the newest snapshot that is known; absent before the table was opened. */
  readonly table: TableStatus | undefined;
  /** Records that could not be rows and wait for a replay. */
  readonly keptRecords: number;
  readonly lastCommitMs: number | undefined;
  /** It could not read or commit when it last tried. */
  readonly isFailing: boolean;
  readonly lastError:
    | {
        readonly message: string;
        readonly cause: ErrorCause;
        /** The catalog denied it. */
        readonly isDenied: boolean;
        readonly atMs: number;
      }
    | undefined;
}

export interface TableCounts {
  /** Committed rows, and about their bytes, uncompressed. */
  readonly rows: number;
  readonly rowBytes: number;
  /** Records that a transform dropped, or that had no value. */
  readonly filtered: number;
  /** Records that could not be rows and were skipped. */
  readonly skipped: number;
  /** Records that could not be rows and were kept. */
  readonly kept: number;
  /** Records that the source had deleted before they were read. */
  readonly missed: bigint;
  readonly commits: number;
}

export interface TableStatus {
  readonly tableUuid: string;
  readonly location: string;
  readonly metadataLocation: string;
  readonly metadataVersion: number | undefined;
  readonly schemaId: number;
  readonly snapshotCount: number;
  readonly rowCount: number | undefined;
  readonly byteCount: number | undefined;
  readonly fileCount: number | undefined;
  /** Values of the partition fields; 1 if the table is not partitioned. */
  readonly partitionCount: number;
  readonly partitionsMax: number;
  readonly filesMax: number;
  readonly snapshotsMax: number;
}
