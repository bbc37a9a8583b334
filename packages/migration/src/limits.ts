import { KiB, MiB } from '@weir/core';

/** Limits of what copies another Kafka cluster. */
export const migrationLimits = {
  /** Brokers and mappings of topics of one configuration. */
  configuredBrokersMax: 100,
  configuredMappingsMax: 1000,

  /** Fetches that a configuration may have at a time, of all agents together. */
  fetchConcurrencyMax: 1000,

  /** What a configuration may set as the bytes of an answer of the source, or of one partition in it. */
  fetchBytesMin: 64 * KiB,
  fetchBytesMax: 256 * MiB,

  /** The highest rate that a configuration may set, in bytes a second; the lowest is `fetchBytesMin` for each fetch. */
  fetchBytesPerSecondMax: 2 ** 40,

  /** How long a configuration may give an automatic migration. */
  autoMigrationTimeoutMsMin: 10_000,
  autoMigrationTimeoutMsMax: 86_400_000,

  /** The bytes of one batch that is copied; one that is larger stops its partition. */
  copiedBatchBytesMax: 128 * MiB,

  /** Batches of one answer of a partition that are copied at once. The rest is fetched again. */
  walkedBatchesMax: 50_000,

  /** Bytes whose checksums are computed before others get their turn: about a millisecond. */
  walkedBytesPerTurnMax: 4 * MiB,

  /** Bytes of one append of a partition, and those of a partition that are asked for at once. */
  copiedPartBytesMax: 64 * MiB,
  fetchedPartitionBytesMax: 32 * MiB,

  /** What the copies of one agent hold, fetched and not yet stored, and what one of its fetches asks for at most. */
  copyMemoryBytes: 192 * MiB,
  fetchedAnswerBytesMax: 48 * MiB,

  /** What a copy keeps of memory that nothing uses, for the next answers. */
  reusedAnswerBytesMax: 128 * MiB,

  /** Answers of a partition that wait to be appended, while the next one is fetched. */
  appendsPerPartitionMax: 3,

  /** What messages of the formats before 2017 may inflate to: one message, and all of one answer of a partition. */
  oldMessageInflatedBytesMax: 64 * MiB,
  oldAnswerInflatedBytesMax: 64 * MiB,

  /** Messages that one compressed message of such a format may have inside it. */
  oldMessageRecordsMax: 1_000_000,

  /** About the bytes of a batch that messages of the formats before 2017 are put into. */
  rebuiltBatchBytes: 1 * MiB,
} as const;
