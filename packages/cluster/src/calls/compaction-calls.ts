import * as s from '../shapes/shape.ts';
import { command } from './call.ts';
import type { AbortedTransactions, Markers } from './pointers.ts';

/** Ranges of offsets as columns: row `i` of every column is range `i`. */
const rangeColumns = s.struct({
  /** Index into the topic ids. */
  topic: s.column(Uint32Array),
  partition: s.column(Uint32Array),
  fromOffset: s.column(Float64Array),
  /** The offset after the range. */
  toOffset: s.column(Float64Array),
  /** How many rows of the pointers belong to the range; at least one. */
  pointerCount: s.column(Uint32Array),
});
export type RangeColumns = s.TypeOf<typeof rangeColumns>;

/** Pointers of all ranges as columns, in order. Each ends where the next one of its range begins. */
const rangePointerColumns = s.struct({
  /** Index into the files. */
  file: s.column(Uint32Array),
  byteStart: s.column(Uint32Array),
  byteLength: s.column(Uint32Array),
  baseOffset: s.column(Float64Array),
  /** The latest timestamp of the records; control batches do not count. */
  maxTimestampMs: s.column(Float64Array),
});
export type RangePointerColumns = s.TypeOf<typeof rangePointerColumns>;

/** `file` of a pointer that is a transaction marker and lies in no file. */
export const noRangeFile = 0xffff_ffff;

/** Files to merge, and the ranges that lie in them. */
export interface CompactionJob {
  /** The time of the plan, which the commit repeats. */
  readonly plannedMs: number;
  /** The level of the files to write. */
  readonly level: number;
  readonly inputs: readonly { readonly fileId: string; readonly fileBytes: number }[];
  readonly topicIds: readonly string[];
  readonly ranges: RangeColumns;
  readonly pointers: RangePointerColumns;
  /** The markers among the pointers; absent if there are none. */
  readonly markers?: Markers | undefined;
}

/** How to compact the keys of each range of a job, as columns. */
interface KeyRangeColumns {
  /** Records before it were compacted with each other. */
  readonly dirtyOffset: Float64Array;
  /** How long tombstones, and markers of transactions without records, are kept. */
  readonly deleteRetentionMs: Float64Array;
  /** How many rows of the aborted transactions belong to the range. */
  readonly abortedCount: Uint32Array;
}

/** Partitions whose keys are compacted: one range for each, from the start of its log on. */
export interface KeyCompactionJob extends CompactionJob {
  readonly keys: KeyRangeColumns;
  readonly aborted: AbortedTransactions;
}

/** Partitions whose keys a compaction compacted, as columns. */
const compactedKeyColumns = s.struct({
  /** Index into the topic ids. */
  topic: s.column(Uint32Array),
  partition: s.column(Uint32Array),
  /** Records before it are compacted with each other now. */
  cleanOffset: s.column(Float64Array),
  /** How many of `droppedAborts` belong to the partition. */
  droppedAbortCount: s.column(Uint32Array),
});

/** What a compaction of keys did, beyond new pointers. */
const compactedKeys = s.struct({
  partitions: s.equallyLong(compactedKeyColumns, 'topic', 'partition', 'cleanOffset', 'droppedAbortCount'),
  /** Offsets of the markers of aborted transactions that it removed: nothing is left of these transactions. */
  droppedAborts: s.column(Float64Array),
});
export type CompactedKeys = s.TypeOf<typeof compactedKeys>;

const compactedFile = s.struct({
  fileId: s.text,
  fileBytes: s.whole,
  /** Set if an earlier commit of the same job brought the file. If it is dead by now, the whole commit is refused. */
  isContinued: s.optional(s.flag),
});

/**
 * The result of a compaction, or a part of it: new pointers for ranges that lie in its inputs. A job with many ranges
 * commits them in parts, each of which takes the leader some milliseconds; the inputs die with their last pointer.
 */
const compactionCommit = s.struct({
  plannedMs: s.whole,
  inputFileIds: s.list(s.text),
  /** The new files. Their level is at least 1. */
  outputs: s.list(compactedFile),
  topicIds: s.list(s.text),
  /** Those of one partition are disjoint and in order. */
  ranges: s.equallyLong(rangeColumns, 'topic', 'partition', 'fromOffset', 'toOffset', 'pointerCount'),
  /** `file` is an index into `outputs`. The first of a range begins with it. */
  pointers: s.equallyLong(
    rangePointerColumns,
    'file',
    'byteStart',
    'byteLength',
    'baseOffset',
    'maxTimestampMs',
  ),
  /** Of a compaction of keys. The ranges of each of its partitions are replaced together or not at all. */
  keys: s.optional(compactedKeys),
});
export type CompactionCommit = s.TypeOf<typeof compactionCommit>;

export interface CompactionResult {
  /**
   * `done`: some ranges were replaced. `refused`: none, and the new files are dead, except those of earlier commits.
   * `repeated`: the new files were known before, so that nothing changed.
   */
  readonly outcome: 'done' | 'refused' | 'repeated';
  /** Per range, 1 if it was replaced. Empty if the commit was repeated. */
  readonly isReplaced: Uint8Array;
}

/** Calls about the compaction of files. */
export const compactionCalls = {
  /** Replaces the pointers of ranges by those into new files, range by range. */
  replaceRanges: command<[commit: CompactionCommit], CompactionResult>(s.tuple(compactionCommit)),
};
