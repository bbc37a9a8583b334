import { published } from './published-metric.ts';

export const fileBytes = published(
  'files_bytes',
  ['level'],
  'sum',
  'Bytes of the files that hold records of the cluster, by how often they were compacted.',
);

export const deadFileCount = published(
  'dead_files_count',
  [],
  'sum',
  'Files that nothing refers to any more and that are not deleted yet.',
);

export const deadFileBytes = published(
  'dead_files_bytes',
  [],
  'sum',
  'Bytes of the files that nothing refers to any more and that are not deleted yet.',
);

export const requestsPerSecond = published(
  'bucket_requests_per_second',
  ['bucket', 'kind'],
  'sum',
  'Requests of all agents to a bucket in the last hour, as stores bill them: put, get, list or delete.',
);

export const ingestedBytesPerSecond = published(
  'ingested_bytes_per_second',
  [],
  'sum',
  'Bytes of files that agents wrote for producers in the last hour.',
);

export const writeAmplification = published(
  'write_amplification_ratio',
  [],
  'max',
  'Bytes that compactions wrote, divided by those that producers brought, in the last day.',
);

export const dirtyRatioMax = published(
  'key_compaction_dirty_ratio_max',
  [],
  'max',
  'The highest share of bytes of a compacted partition whose keys are to be compacted, from 0 to 1. A partition is due above its min.cleanable.dirty.ratio.',
);

export const storageMetrics = [
  fileBytes,
  deadFileCount,
  deadFileBytes,
  requestsPerSecond,
  ingestedBytesPerSecond,
  writeAmplification,
  dirtyRatioMax,
];
