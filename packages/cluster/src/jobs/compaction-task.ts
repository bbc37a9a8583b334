import type { CompactionJob } from '../calls/compaction-calls.ts';
import { type ColumnsOf, type ColumnTypes, readTaskColumns, writeTaskColumns } from './task-columns.ts';

/** The kind of job that merges files. */
export const fileCompactionKind = 'file_compaction';

/** The columns of a job. */
export const compactionColumns = {
  topic: Uint32Array,
  partition: Uint32Array,
  fromOffset: Float64Array,
  toOffset: Float64Array,
  pointerCount: Uint32Array,
  file: Uint32Array,
  byteStart: Uint32Array,
  byteLength: Uint32Array,
  baseOffset: Float64Array,
  maxTimestampMs: Float64Array,
  markerRow: Uint32Array,
  markerIsCommit: Uint8Array,
  markerProducerId: Float64Array,
  markerProducerEpoch: Int16Array,
  markerTimestampMs: Float64Array,
} as const satisfies ColumnTypes;

type Columns = ColumnsOf<typeof compactionColumns>;

/** What is not a column. */
export type CompactionTaskHead = Pick<CompactionJob, 'plannedMs' | 'level' | 'inputs' | 'topicIds'>;

export function writeCompactionTask(job: CompactionJob): Uint8Array {
  return writeTaskColumns(headOf(job), compactionColumns, columnsOf(job));
}

export function readCompactionTask(task: Uint8Array): CompactionJob {
  const { head, columns } = readTaskColumns<CompactionTaskHead, typeof compactionColumns>(
    task,
    compactionColumns,
  );
  return jobOf(head, columns);
}

export function headOf({ plannedMs, level, inputs, topicIds }: CompactionJob): CompactionTaskHead {
  return { plannedMs, level, inputs, topicIds };
}

export function jobOf(head: CompactionTaskHead, columns: Columns): CompactionJob {
  const { topic, partition, fromOffset, toOffset, pointerCount } = columns;
  const { file, byteStart, byteLength, baseOffset, maxTimestampMs } = columns;
  return {
    ...head,
    ranges: { topic, partition, fromOffset, toOffset, pointerCount },
    pointers: { file, byteStart, byteLength, baseOffset, maxTimestampMs },
    ...(columns.markerRow.length === 0
      ? {}
      : {
          markers: {
            row: columns.markerRow,
            isCommit: columns.markerIsCommit,
            producerId: columns.markerProducerId,
            producerEpoch: columns.markerProducerEpoch,
            timestampMs: columns.markerTimestampMs,
          },
        }),
  };
}

export function columnsOf({ ranges, pointers, markers }: CompactionJob): Columns {
  return {
    ...ranges,
    ...pointers,
    markerRow: markers?.row ?? new Uint32Array(0),
    markerIsCommit: markers?.isCommit ?? new Uint8Array(0),
    markerProducerId: markers?.producerId ?? new Float64Array(0),
    markerProducerEpoch: markers?.producerEpoch ?? new Int16Array(0),
    markerTimestampMs: markers?.timestampMs ?? new Float64Array(0),
  };
}
