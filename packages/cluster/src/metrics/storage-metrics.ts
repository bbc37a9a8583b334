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
  'Unreferenced files that are not deleted yet.',
);

export const deadFileBytes = published(
  'dead_files_bytes',
  [],
  'sum',
  'Bytes of unreferenced files that are not deleted yet.',
);

export const requestsPerSecond = published(
  'bucket_requests_per_second',
  ['bucket', 'kind'],
  'sum',
  'Requests of all agents to a bucket in the last hour, by billed kind: put, get, list or delete.',
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
  'Bytes written by compactions divided by bytes written by producers, in the last day.',
);

export const dirtyRatioMax = published(
  'key_compaction_dirty_ratio_max',
  [],
  'max',
  'Highest dirty ratio of a compacted partition, from 0 to 1. A partition is due above its min.cleanable.dirty.ratio.',
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
