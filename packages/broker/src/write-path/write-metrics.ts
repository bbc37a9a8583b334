import { durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';
import type { DataFile } from './data-file.ts';

const prefix = 'agent_segment_batcher_flush';

const fileBytesBuckets: readonly number[] = [
  4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864, 134_217_728,
];

function duration(name: string, help: string): MetricRow<never> {
  return { name: `${prefix}_${name}`, kind: 'histogram', help, labels: [], buckets: durationBucketsSeconds };
}

export const writeRows = {
  fileBytes: {
    name: `${prefix}_file_size_compressed_bytes`,
    kind: 'histogram',
    help: 'Size of the files written, as stored.',
    labels: [],
    buckets: fileBytesBuckets,
  },
  uncompressedBytes: {
    name: `${prefix}_file_size_uncompressed_bytes`,
    kind: 'histogram',
    help: 'Estimated size of the records in the files written, before compression.',
    labels: [],
    buckets: fileBytesBuckets,
  },
  batches: {
    name: `${prefix}_num_batches`,
    kind: 'counter',
    help: 'Record batches in the files written.',
    labels: [],
  },
  records: {
    name: `${prefix}_num_records_counter`,
    kind: 'counter',
    help: 'Records in the files written.',
    labels: [],
  },
  producedRecords: {
    name: 'agent_kafka_produce_records_counter',
    kind: 'counter',
    help: 'Records that producers sent and that were committed, duplicates included.',
    labels: [],
  },
  producedBytes: {
    name: 'agent_kafka_produce_compressed_bytes_counter',
    kind: 'counter',
    help: 'Bytes of committed record batches, as sent.',
    labels: [],
  },
  producedUncompressedBytes: {
    name: 'agent_kafka_produce_uncompressed_bytes_counter',
    kind: 'counter',
    help: 'Estimated bytes of committed record batches, before compression.',
    labels: [],
  },
  fillSeconds: duration('new_file_duration', 'Seconds from the first batch of a file until it was closed.'),
  uploadSeconds: duration('write_to_duration', 'Seconds that uploads took.'),
  commitSeconds: duration('put_file_duration', 'Seconds from the end of an upload until its commit.'),
  totalSeconds: duration('total_duration', 'Seconds from the first batch of a file until its commit.'),
} as const satisfies Record<string, MetricRow<never>>;

export const outcomes: MetricRow<'outcome'> = {
  name: `${prefix}_outcome`,
  kind: 'counter',
  help: 'Files by outcome.',
  labels: ['outcome'],
};

export const deadFiles: MetricRow<'outcome'> = {
  name: 'agent_dead_files_counter',
  kind: 'counter',
  help: 'Orphaned files (uploaded but never committed), by whether the agent deleted them.',
  labels: ['outcome'],
};

export const produceOutcomes: MetricRow<'outcome'> = {
  name: 'agent_produce_outcome',
  kind: 'counter',
  help: 'Produce requests, by whether all partitions succeeded.',
  labels: ['outcome'],
};

export const backpressure: MetricRow<'kafka_method' | 'backpressure_source'> = {
  name: 'agent_produce_backpressure_count',
  kind: 'counter',
  help: 'Delayed or throttled requests, by exhausted resource.',
  labels: ['kafka_method', 'backpressure_source'],
};

export interface WriteMetrics extends Readonly<Record<keyof typeof writeRows, Series>> {
  readonly committed: Series;
  readonly failed: Series;
  readonly deadDeleted: Series;
  readonly deadLeft: Series;
  /** Too many bytes wait for their upload. */
  readonly heldByBytes: Series;
  /** Too many files wait for their upload or their commit. */
  readonly heldByFiles: Series;
}

export function writeMetrics(metrics: Metrics): WriteMetrics {
  const held = (source: string) =>
    metrics.series(backpressure, { kafka_method: 'produce', backpressure_source: source });
  const of = (row: MetricRow<never>) => metrics.series(row, {});
  return {
    fileBytes: of(writeRows.fileBytes),
    uncompressedBytes: of(writeRows.uncompressedBytes),
    batches: of(writeRows.batches),
    records: of(writeRows.records),
    producedRecords: of(writeRows.producedRecords),
    producedBytes: of(writeRows.producedBytes),
    producedUncompressedBytes: of(writeRows.producedUncompressedBytes),
    fillSeconds: of(writeRows.fillSeconds),
    uploadSeconds: of(writeRows.uploadSeconds),
    commitSeconds: of(writeRows.commitSeconds),
    totalSeconds: of(writeRows.totalSeconds),
    committed: metrics.series(outcomes, { outcome: 'success' }),
    failed: metrics.series(outcomes, { outcome: 'error' }),
    deadDeleted: metrics.series(deadFiles, { outcome: 'deleted' }),
    deadLeft: metrics.series(deadFiles, { outcome: 'left' }),
    heldByBytes: held('buffered_bytes'),
    heldByFiles: held('inflight_files'),
  };
}

/** Counts a file that was just committed. */
export function countCommitted(metrics: WriteMetrics, file: DataFile, nowMs: number): void {
  const { carried } = file;
  metrics.committed.add(1);
  metrics.fileBytes.observe(file.fileBytes);
  metrics.uncompressedBytes.observe(file.uncompressedBytes);
  metrics.batches.add(carried.batches);
  metrics.records.add(carried.records);
  metrics.producedRecords.add(carried.producedRecords);
  metrics.producedBytes.add(carried.producedBytes);
  metrics.producedUncompressedBytes.add(carried.producedUncompressedBytes);
  metrics.commitSeconds.observe((nowMs - file.storedMs) / 1000);
  metrics.totalSeconds.observe((nowMs - file.openedMs) / 1000);
}
