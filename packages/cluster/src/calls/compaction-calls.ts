import { column, equallyLong, flag, list, object, optional, text, tuple, whole } from '../shapes/shape.ts';
import { command } from './call.ts';
import type { AbortedTransactions, Markers } from './pointers.ts';

/** Ranges of offsets as columns: row `i` of every column is range `i`. */
export interface RangeColumns {
  /** Index into the topic ids. */
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  readonly fromOffset: Float64Array;
  /** The offset after the range. */
  readonly toOffset: Float64Array;
  /** How many rows of the pointers belong to the range; at least one. */
  readonly pointerCount: Uint32Array;
}

/** Pointers of all ranges as columns, in order. Each ends where the next one of its range begins. */
export interface RangePointerColumns {
  /** Index into the files. */
  readonly file: Uint32Array;
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly baseOffset: Float64Array;
  /** The latest timestamp of the records; control batches do not count. */
  readonly maxTimestampMs: Float64Array;
}

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
interface CompactedKeyColumns {
  /** Index into the topic ids. */
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  /** Records before it are compacted with each other now. */
  readonly cleanOffset: Float64Array;
  /** How many of `droppedAborts` belong to the partition. */
  readonly droppedAbortCount: Uint32Array;
}

/** What a compaction of keys did, beyond new pointers. */
export interface CompactedKeys {
  readonly partitions: CompactedKeyColumns;
  /** Offsets of the markers of aborted transactions that it removed: nothing is left of these transactions. */
  readonly droppedAborts: Float64Array;
}

/**
 * The result of a compaction, or a part of it: new pointers for ranges that lie in its inputs. A job with many ranges
 * commits them in parts, each of which takes the leader some milliseconds; the inputs die with their last pointer.
 */
export interface CompactionCommit {
  readonly plannedMs: number;
  readonly inputFileIds: readonly string[];
  /** The new files. Their level is at least 1. */
  readonly outputs: readonly CompactedFile[];
  readonly topicIds: readonly string[];
  /** Those of one partition are disjoint and in order. */
  readonly ranges: RangeColumns;
  /** `file` is an index into `outputs`. The first of a range begins with it. */
  readonly pointers: RangePointerColumns;
  /** Of a compaction of keys. The ranges of each of its partitions are replaced together or not at all. */
  readonly keys?: CompactedKeys | undefined;
}

interface CompactedFile {
  readonly fileId: string;
  readonly fileBytes: number;
  /** Set if an earlier commit of the same job brought the file. If it is dead by now, the whole commit is refused. */
  readonly isContinued?: boolean | undefined;
}

export interface CompactionResult {
  /**
   * `done`: some ranges were replaced. `refused`: none, and the new files are dead, except those of earlier commits.
   * `repeated`: the new files were known before, so that nothing changed.
   */
  readonly outcome: 'done' | 'refused' | 'repeated';
  /** Per range, 1 if it was replaced. Empty if the commit was repeated. */
  readonly isReplaced: Uint8Array;
}

const compactionCommit = object<CompactionCommit>({
  plannedMs: whole,
  inputFileIds: list(text),
  outputs: list(object<CompactedFile>({ fileId: text, fileBytes: whole, isContinued: optional(flag) })),
  topicIds: list(text),
  ranges: equallyLong(
    object<RangeColumns>({
      topic: column(Uint32Array),
      partition: column(Uint32Array),
      fromOffset: column(Float64Array),
      toOffset: column(Float64Array),
      pointerCount: column(Uint32Array),
    }),
    'topic',
    'partition',
    'fromOffset',
    'toOffset',
    'pointerCount',
  ),
  pointers: equallyLong(
    object<RangePointerColumns>({
      file: column(Uint32Array),
      byteStart: column(Uint32Array),
      byteLength: column(Uint32Array),
      baseOffset: column(Float64Array),
      maxTimestampMs: column(Float64Array),
    }),
    'file',
    'byteStart',
    'byteLength',
    'baseOffset',
    'maxTimestampMs',
  ),
  keys: optional(
    object<CompactedKeys>({
      partitions: equallyLong(
        object<CompactedKeyColumns>({
          topic: column(Uint32Array),
          partition: column(Uint32Array),
          cleanOffset: column(Float64Array),
          droppedAbortCount: column(Uint32Array),
        }),
        'topic',
        'partition',
        'cleanOffset',
        'droppedAbortCount',
      ),
      droppedAborts: column(Float64Array),
    }),
  ),
});

/** Calls about the compaction of files. */
export const compactionCalls = {
  /** Replaces the pointers of ranges by those into new files, range by range. */
  replaceRanges: command<[commit: CompactionCommit], CompactionResult>(tuple(compactionCommit)),
};
