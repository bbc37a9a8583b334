import type { KeyCompactionJob } from '../calls/compaction-calls.ts';
import { type CompactionTaskHead, columnsOf, compactionColumns, headOf, jobOf } from './compaction-task.ts';
import { type ColumnTypes, readTaskColumns, writeTaskColumns } from './task-columns.ts';

/** The kind of job that compacts the keys of partitions. */
export const keyCompactionKind = 'key_compaction';

const keyColumns = {
  ...compactionColumns,
  dirtyOffset: Float64Array,
  deleteRetentionMs: Float64Array,
  abortedCount: Uint32Array,
  abortedProducerId: Float64Array,
  abortedFirstOffset: Float64Array,
  abortedLastOffset: Float64Array,
} as const satisfies ColumnTypes;

export function writeKeyCompactionTask(job: KeyCompactionJob): Uint8Array {
  const { keys, aborted } = job;
  return writeTaskColumns(headOf(job), keyColumns, {
    ...columnsOf(job),
    ...keys,
    abortedProducerId: aborted.producerId,
    abortedFirstOffset: aborted.firstOffset,
    abortedLastOffset: aborted.lastOffset,
  });
}

export function readKeyCompactionTask(task: Uint8Array): KeyCompactionJob {
  const { head, columns } = readTaskColumns<CompactionTaskHead, typeof keyColumns>(task, keyColumns);
  const { dirtyOffset, deleteRetentionMs, abortedCount } = columns;
  return {
    ...jobOf(head, columns),
    keys: { dirtyOffset, deleteRetentionMs, abortedCount },
    aborted: {
      producerId: columns.abortedProducerId,
      firstOffset: columns.abortedFirstOffset,
      lastOffset: columns.abortedLastOffset,
    },
  };
}
