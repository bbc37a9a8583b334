import { published } from './published-metric.ts';

const byPartition = ['topic', 'partition'] as const;

export const maxOffset = published(
  'max_offset',
  byPartition,
  'max',
  'The offset behind the last record of a partition.',
);

export const minOffset = published(
  'min_offset',
  byPartition,
  'min',
  'The offset of the first record of a partition that is still there.',
);

export const recordCount = published(
  'num_records',
  byPartition,
  'sum',
  'Offsets between the first record of a partition and its end.',
);

// A gauge, although it never decreases: where counters are published by their growth, a process that takes over
// publishing would report the whole value as growth.
export const producedRecords = published(
  'produced_records',
  byPartition,
  'sum',
  'Offsets that were ever given to records of a partition, ends of transactions included.',
);

export const partitionBytes = published(
  'partition_size_estimated_compressed_bytes',
  byPartition,
  'sum',
  'What the records of a partition take in files.',
);

export const topicCount = published('topics_count', [], 'sum', 'Topics of the cluster.');

export const topicCountMax = published('topics_count_limit', [], 'sum', 'Topics that the cluster may have.');

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
  'Partitions that the cluster may have.',
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
