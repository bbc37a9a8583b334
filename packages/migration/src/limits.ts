import { MiB } from '@weir/core';

/** Limits of what copies another Kafka cluster. */
export const migrationLimits = {
  /** The bytes of one batch that is copied; one that is larger stops its partition. */
  copiedBatchBytesMax: 128 * MiB,

  /** Batches of one answer of a partition that are copied at once. The rest is fetched again. */
  walkedBatchesMax: 50_000,

  /** Bytes whose checksums are computed before others get their turn: about a millisecond. */
  walkedBytesPerTurnMax: 4 * MiB,

  /** What messages of the formats before 2017 may inflate to: one message, and all of one answer of a partition. */
  oldMessageInflatedBytesMax: 64 * MiB,
  oldAnswerInflatedBytesMax: 64 * MiB,

  /** Messages that one compressed message of such a format may have inside it. */
  oldMessageRecordsMax: 1_000_000,

  /** About the bytes of a batch that messages of the formats before 2017 are put into. */
  rebuiltBatchBytes: 1 * MiB,
} as const;
