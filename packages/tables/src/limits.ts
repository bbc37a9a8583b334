import { GiB, KiB, MiB } from '@weir/core';

/** Limits of what turns topics into tables. */
export const tableLimits = {
  /** Tables of one configuration. */
  configuredTablesMax: 5000,

  /** About the bytes of a row, uncompressed, after transforms and without what is no column. */
  rowBytesMax: 32 * MiB,

  /** How often rows are committed: at least and at most so many milliseconds after each other. */
  commitIntervalMsMin: 1000,
  commitIntervalMsMax: 3_600_000,

  /** How many schemas of a registry the reader of one table remembers. */
  knownSchemasMax: 1000,

  /** Files that a writer has open at once; each is a table in its memory. */
  parquetOpenFilesMax: 1000,

  /** Rows of a row group, and about how many bytes; the first that is reached ends it. */
  parquetRowGroupRowsMax: 122_880,
  parquetRowGroupBytes: 64 * MiB,

  /** About the bytes of rows, uncompressed, of a data file; then it is closed. Compaction makes larger files. */
  tableFileRowBytes: 128 * MiB,

  /** Partitions of a table by its partition fields; rows of more are refused. */
  tablePartitionsMax: 10_000,

  /** Data files of a table; no rows are added while it has more. Maintenance reads what is known of all of them. */
  tableFilesMax: 200_000,

  /** Partitions that one commit adds files to; more end the commit early. */
  tableCommitPartitionsMax: 1000,

  /** Events about records that cannot be rows, of a table in a minute; the others are only counted. */
  recordFailureEventsPerMinute: 10,

  /** Records that are kept because they cannot be rows: characters of an error, and bytes of a file, uncompressed. */
  keptErrorCharsMax: 1000,
  keptFileRowBytes: 16 * MiB,

  /** Records that one commit keeps; more end the commit early. */
  tableCommitKeptMax: 100_000,

  /** SQL queries that an agent runs at a time. */
  tableSqlQueriesMax: 2,

  /** What a query may take: memory of DuckDB, threads, time, and bytes of its result. */
  tableSqlMemoryBytesMax: 512 * MiB,
  tableSqlThreads: 2,
  tableSqlTimeMsMax: 20_000,
  tableSqlAnswerBytesMax: 4 * MiB,

  /** The heap of its process, and what the process may take beyond heap and memory of DuckDB. */
  tableSqlHeapBytesMax: 128 * MiB,
  tableSqlProcessBytes: 512 * MiB,

  /** Data files of one query, and their bytes; an agent keeps copies of twice as much for the next queries. */
  tableSqlFilesMax: 2_000,
  tableSqlReadBytesMax: 1 * GiB,

  /** Bytes of a data file that are read at once. */
  tableSqlReadPartBytes: 8 * MiB,

  /** What is shown of a key, a value or the value of a header of a kept record. */
  tableFailurePartBytesMax: 16 * KiB,

  /** The metadata of a table that is passed on: an answer has at most 10 MiB. */
  tableMetadataPassedBytesMax: 8 * MiB,

  /** Records of a batch from the source, and about their bytes; a record that is larger comes alone. */
  sourceBatchRecordsMax: 8_192,
  sourceBatchBytesMax: 4 * MiB,

  /** Bytes that are fetched ahead: of a partition, of all tables of a source cluster, and in one answer of each. */
  sourceQueueBytesMax: 4 * MiB,
  sourceAnswerBytesMax: 64 * MiB,
  sourcePartitionBytesMax: 4 * MiB,
  /** The same of a partition while all tables of the cluster have fetched as much as they may. */
  sourceStarvedBytesMax: 128 * KiB,

  /** How long a broker waits for records before it says that there are none. */
  sourceWaitMsMax: 5_000,

  /** How often topics are looked up: for leaders that moved unnoticed, and for partitions that were added. */
  sourceLookUpMs: 60_000,

  /** Nothing of a topic could be read for so long: its ingestion fails, and is tried again by the leader. */
  sourcePatienceMs: 30_000,

  /** A batch that cannot be read is tried again after this. */
  sourceDamagedRetryMs: 30_000,

  /** The size of files that compaction writes, unless `write.target-file-size-bytes` says another; and the most. */
  compactionTargetBytes: 128 * MiB,
  compactionTargetBytesMax: 512 * MiB,

  /** So many files of about one size are merged; and the most that become one. */
  compactionFilesMin: 5,
  compactionFilesPerBinMax: 500,

  /** What one job reads for compaction at most, unless one new file takes more. */
  compactionBytesPerJobMax: 1024 * MiB,

  /** New files of compaction that are committed together. */
  compactionBinsPerCommit: 16,

  /** After so many appends a table is compacted. */
  compactionAppendsMin: 20,

  /** What is left of a partition is merged when it got no file for so long: a day. */
  compactionColdMs: 86_400_000,

  /** Snapshots of a table that their age keeps; each makes every commit larger. */
  tableSnapshotsMax: 2000,

  /** So many snapshots expire at once, unless it is time for the daily clean-up. */
  expiredSnapshotsMin: 100,

  /** Files of a table that nothing refers to are deleted when they are older: three days. */
  tableOrphanAgeMs: 3 * 86_400_000,

  /** Tables in use are cleaned up once in so long: a day. */
  tableCleanUpMs: 86_400_000,

  /** Manifests beyond those that the files need, before they are written anew. */
  tableManifestsSpare: 30,

  /**
   * The process that writes the tables of an agent: its heap; rows of open files, which DuckDB holds, and what DuckDB
   * may take of memory and disk for them; the same for compaction, one table at a time.
   */
  processHeapBytesMax: 384 * MiB,
  openRowBytesMax: 256 * MiB,
  writerMemoryBytesMax: 256 * MiB,
  writerSpillBytesMax: 2 * GiB,
  maintenanceMemoryBytesMax: 256 * MiB,
  maintenanceSpillBytesMax: 4 * GiB,

  /** How often it says that it is alive, after which silence it is ended, and how long it waits without a job. */
  processBeatMs: 5_000,
  processSilentMsMax: 120_000,
  idleProcessMs: 60_000,

  /** Lines that it logs, and the length of why a job failed. */
  tableLogLinesPerSecond: 20,
  tableLogLinesBurst: 100,
  tableJobMessageCharsMax: 2_000,
} as const;
