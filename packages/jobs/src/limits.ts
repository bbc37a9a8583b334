import { MiB } from '@weir/core';

/** Limits of background jobs and queries. */
export const jobLimits = {
  /** Input of one merge of files in memory; its windows and what is read ahead. */
  mergeReadBytesMax: 128 * MiB,

  /** The same where the bucket is in memory and files are merged between requests. */
  localMergeReadBytesMax: 16 * MiB,

  /**
   * Memory for the keys of a partition that is compacted, 24 bytes each. A job that meets more keys ends before them,
   * and the next one continues.
   */
  keyMapBytesMax: 64 * MiB,

  /** The same, and input in memory, where the bucket is in memory and keys are compacted between requests. */
  localKeyMapBytesMax: 8 * MiB,
  localKeyReadBytesMax: 16 * MiB,

  /** A merge closes a file before it is larger. Positions in files have 32 bits. */
  mergedFileBytesMax: 1024 * MiB,

  /** What one pointer into a merged file covers, unless a batch is larger: so precise are retention and seeks. */
  mergedPointerBytesMax: 4 * MiB,

  /** Files of a sequence that one call asks about, and batches that one commits. */
  replayedFilesPerCallMax: 500,
  replayedBatchesPerCallMax: 20_000,

  /**
   * Files of sequences that an agent reads at a time, and memory for them. Half of the connections to a bucket are left
   * to other work.
   */
  replayedFilesReadMax: 32,
  replayedReadBytesMax: 32 * MiB,

  /** A file of a sequence that is smaller is read by one request; a larger one section by section. */
  replayedFileBytesMax: 8 * MiB,

  /**
   * Files of a sequence that a job has read, or begun to read, before it is the turn of the first of them, and their
   * bytes. What it holds of each is where its batches lie, less than the file.
   */
  replayedFilesAheadMax: 128,
  replayedAheadBytesMax: 64 * MiB,

  /** How old an object is that ended a sequence when it is removed: no agent can have missed it for so long. */
  sequenceEndAgeMsMin: 7 * 24 * 3_600_000,

  /** Sidecars of one topic of events that are looked at. A day has some dozens. */
  eventSidecarsPerTopicMax: 50_000,

  /** The length of a sidecar, which its writer holds until the bucket has it. */
  eventSidecarBytesMax: 128 * MiB,

  /** What a batch of events may inflate to: all that a writer holds, with what is around each event. */
  eventBatchInflatedBytesMax: 32 * MiB,

  /**
   * An upload in parts that was begun this long ago belongs to a process that died: a plan of a merge is given up after
   * two hours.
   */
  incompleteUploadAgeMsMin: 24 * 3_600_000,

  /** Orphans that a scan holds back while they are a suspicious share of the files. Beyond it the scan stops. */
  heldOrphansMax: 1_000,

  /** Ranges of partitions in one commit of a merge, and old pointers that these may have: some milliseconds each. */
  compactionRangesPerCommitMax: 500,
  compactionPointersPerCommitMax: 16_384,
} as const;
