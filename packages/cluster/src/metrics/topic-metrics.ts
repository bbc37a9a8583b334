import { published } from './published-metric.ts';

const byPartition = ['topic', 'partition'] as const;

export const maxOffset = published(
  'max_offset',
  byPartition,
  'max',
  'Offset after the last record of a partition.',
);

export const minOffset = published(
  'min_offset',
  byPartition,
  'min',
  'Offset of the first record of a partition.',
);

export const recordCount = published(
  'num_records',
  byPartition,
  'sum',
  'Offsets from the first record of a partition to its end.',
);

// A gauge, although it never decreases: where counters are published by their growth, a process that takes over
// publishing would report the whole value as growth.
export const producedRecords = published(
  'produced_records',
  byPartition,
  'sum',
  'Offsets assigned in a partition since its creation, transaction markers included.',
);

export const partitionBytes = published(
  'partition_size_estimated_compressed_bytes',
  byPartition,
  'sum',
  'Bytes of the records of a partition in files.',
);

export const topicCount = published('topics_count', [], 'sum', 'Topics of the cluster.');

export const topicCountMax = published(
  'topics_count_limit',
  [],
  'sum',
  'Maximum number of topics of the cluster.',
);

export const partitionCount = published(
  'partitions_count',
  [],
  'sum',
  'Partitions of all topics of the cluster.',
);

export const partitionCountMax = published(
  'partitions_count_limit',
  [],
  'sum',
  'Maximum number of partitions of the cluster.',
);

export const fileCount = published(
  'files_count',
  ['level'],
  'sum',
  'Files that hold records of the cluster, by how often they were compacted.',
);

export const topicMetrics = [
  maxOffset,
  minOffset,
  recordCount,
  producedRecords,
  partitionBytes,
  topicCount,
  topicCountMax,
  partitionCount,
  partitionCountMax,
  fileCount,
];
