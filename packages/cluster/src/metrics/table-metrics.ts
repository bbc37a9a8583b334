import { published } from './published-metric.ts';

const byTable = ['topic', 'table_name', 'table_uuid'] as const;

export const tableCount = published('tableflow_tables_count', [], 'max', 'Tables that agents write.');

export const tableLimit = published(
  'tableflow_tables_limit',
  [],
  'max',
  'Limit on the tables of the cluster.',
);

export const tablePartitionCount = published(
  'tableflow_partitions_count',
  byTable,
  'sum',
  'Partitions of a table, by its partition fields.',
);

export const tablePartitionLimit = published(
  'tableflow_partitions_limit',
  byTable,
  'max',
  'Limit on the partitions of a table. Records of further partitions cannot be rows.',
);

export const tableSnapshotCount = published(
  'tableflow_snapshots_count',
  byTable,
  'sum',
  'Snapshots of a table.',
);

export const tableSnapshotLimit = published(
  'tableflow_snapshots_limit',
  byTable,
  'max',
  'Limit on the snapshots of a table. Maintenance expires the oldest ones beyond it, however young they are.',
);

export const tableFileCount = published('tableflow_files_count', byTable, 'sum', 'Data files of a table.');

export const tableFileLimit = published(
  'tableflow_files_limit',
  byTable,
  'max',
  'Limit on the data files of a table. No rows are added while it has more.',
);

export const tableIngestionLag = published(
  'tableflow_ingestion_lag_seconds',
  byTable,
  'max',
  'Age of the oldest record that a table does not have.',
);

export const tableQueryLag = published(
  'tableflow_query_lag_seconds',
  byTable,
  'max',
  'Age of the oldest record that readers of a table cannot see: with what the published metadata lacks.',
);

export const tableOffsetLag = published(
  'tableflow_partition_offset_lag',
  [...byTable, 'is_dlq'],
  'sum',
  'Records that a table does not have, of all partitions of its topic; with is_dlq, kept records of a replay.',
);

export const tableTimeLag = published(
  'tableflow_partition_time_lag_seconds',
  [...byTable, 'is_dlq'],
  'max',
  'Age of the oldest record that a table does not have of a partition: the greatest of the partitions of its topic.',
);

export const tableMetrics = [
  tableCount,
  tableLimit,
  tablePartitionCount,
  tablePartitionLimit,
  tableSnapshotCount,
  tableSnapshotLimit,
  tableFileCount,
  tableFileLimit,
  tableIngestionLag,
  tableQueryLag,
  tableOffsetLag,
  tableTimeLag,
];
