import { fileSequenceId, type SequenceToKeep, sequenceToKeep } from '../file-sequence.ts';
import * as s from '../shapes/shape.ts';
import type { RequestKind } from './agents/agent-report.ts';
import { command, leaderCall, type PortOf, query } from './call.ts';

const uncommittedFile = s.struct({
  fileId: s.text,
  byteCount: s.whole,
});
type UncommittedFile = s.TypeOf<typeof uncommittedFile>;

export interface FileTotals {
  /** Files and bytes that pointers refer to, by level. */
  readonly levels: readonly { readonly files: number; readonly bytes: number }[];
  readonly deadFiles: number;
  readonly deadBytes: number;
  /** Since when the oldest dead file is dead; `null` without dead files. */
  readonly oldestDeadMs: number | null;
}

/** What agents wrote to buckets and requested of them. */
export interface StorageTraffic {
  /** The time that the sums are of; shorter than it was asked for if the leader is new. */
  readonly spanMs: number;
  /** Bytes of files of the write path. */
  readonly ingestedBytes: number;
  /** Bytes of files that merges wrote. */
  readonly mergedBytes: number;
  readonly buckets: readonly {
    /** Its URL without secrets. */
    readonly name: string;
    readonly requests: Readonly<Record<RequestKind, number>>;
  }[];
  /**
   * The highest share of bytes that are to be compacted of any compacted partition, from 0 to 1, when compactions of
   * keys were last planned. Absent before that, and from leaders of earlier releases.
   */
  readonly dirtyRatioMax?: number | undefined;
}

/** Files of a level that should have been merged, and have not been. */
export interface LateLevel {
  readonly level: number;
  readonly files: number;
  readonly bytes: number;
  /** The time of the oldest. */
  readonly oldestMs: number;
}

/** A partition of a compacted topic with records that should have been compacted. */
export interface LatePartition {
  readonly topicId: string;
  readonly partition: number;
  /** Since when, or earlier. */
  readonly dueMs: number;
}

export interface CompactionBacklog {
  readonly levels: readonly LateLevel[];
  /** Absent if the leader has an earlier release, which does not compact keys. */
  readonly partitions?: readonly LatePartition[] | undefined;
}

/** Calls about files that nothing refers to. A list has at most `machineLimits.fileIdsPerCallMax` files. */
export const fileCalls = {
  /** Returns those of the files that the cluster does not know: neither referenced nor dead. */
  unknownFiles: query<[fileIds: readonly string[]], string[]>(s.tuple(s.list(s.text))),
  /**
   * Declares files dead that the cluster does not know, and returns them. Such a file can no longer be committed, and
   * is deleted as all dead files are.
   */
  declareFilesDead: command<[files: readonly UncommittedFile[]], string[]>(s.tuple(s.list(uncommittedFile))),
  /** Forgets dead files that were deleted from the bucket. Returns how many were dead. */
  forgetDeadFiles: command<[fileIds: readonly string[]], number>(s.tuple(s.list(s.text))),
  /** Returns what compaction should have done before a time. */
  compactionBacklog: leaderCall<[beforeMs: number], CompactionBacklog>(s.tuple(s.whole), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
  /** Returns what agents wrote and requested in the last time, a day at most. */
  storageTraffic: leaderCall<[spanMs: number], StorageTraffic>(s.tuple(s.whole), { onRetry: 'reexecute' }),
  /**
   * Registers new sequences of files of an agent, and keeps others open; returns which of them are open. An agent may
   * acknowledge in those for `fileSequenceLeaseMs` from the time when it sent the call. Those that it has left are
   * ended, and open until a job has committed their files.
   */
  keepFileSequences: leaderCall<[agentId: string, sequences: readonly SequenceToKeep[]], readonly boolean[]>(
    s.tuple(s.text, s.list(sequenceToKeep)),
    { onRetry: 'reexecute', deadlineMs: 10_000 },
  ),
  /** Closes sequences all of whose files are committed. */
  closeFileSequences: leaderCall<[sequenceIds: readonly string[]], void>(s.tuple(s.list(fileSequenceId)), {
    onRetry: 'reexecute',
    deadlineMs: 10_000,
  }),
  /** Returns totals of files. */
  fileTotals: query<[], FileTotals>(s.tuple()),
};

export type FilesPort = PortOf<typeof fileCalls>;
