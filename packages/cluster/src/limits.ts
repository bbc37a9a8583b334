import { KiB, MiB } from '@weir/core';

/** Limits that agents, leaders and the control plane share, and those of patterns and of cluster metrics. */
export const clusterLimits = {
  /**
   * Partitions including those of deleted topics whose data is not yet removed, so that repeated creation and deletion
   * of topics is bounded too.
   */
  partitionsHeldMax: 400_000,

  /**
   * A producer without an append to a partition for this long is forgotten there: Kafka's `producer.id.expiration.ms`.
   */
  producerStateMsMax: 24 * 3_600_000,

  /** The highest value of `max.message.bytes` and `message.max.bytes`: the largest message of the interface. */
  messageBytesMax: 256 * MiB,

  /**
   * Reports about jobs in one call of an agent, and their size. An agent that runs more sends several calls, so that
   * others run in between.
   */
  jobReportsPerCallMax: 250,
  jobReportBytesPerCallMax: 512 * KiB,

  /** The highest value of `offset.metadata.max.bytes`. */
  offsetMetadataCharsMax: 64 * KiB,

  /** Members of one share group: the highest value of `group.share.max.size`, as in Apache Kafka. */
  shareGroupMembersMax: 1000,

  /**
   * Transactional ids of a cluster. Beyond the limit, the id that was idle longest and has no open transaction is
   * forgotten; its producer must initialise again. About 600 bytes each.
   */
  transactionalIdsMax: 100_000,

  /** Length of a transactional id. Clients build them from application and instance names. */
  transactionalIdCharsMax: 2048,

  /** A transactional id that is unused for this long is forgotten: Kafka's `transactional.id.expiration.ms`. */
  transactionalIdMsMax: 7 * 24 * 3_600_000,

  /** Upper bound on the transaction timeout, whatever the producer requests: Kafka's `transaction.max.timeout.ms`. */
  transactionTimeoutMsMax: 15 * 60_000,

  /** Length of the URL of a bucket that agents register. One with 32 buckets in it has some kilobytes. */
  bucketUrlCharsMax: 16 * KiB,

  /** Groups that have configs of their own. */
  groupConfigsMax: 100_000,

  /** Topics in one query for log sizes. */
  logSizesPerCallMax: 10_000,

  /** Upper bound on a long poll, whatever the client requests. */
  fetchWaitMsMax: 300_000,

  /** Length of a client's regular expression. */
  patternCharsMax: 4096,

  /**
   * Cost of such an expression: an estimate of the instructions that it compiles to. A list of names costs less than
   * two per character; a repetition costs four per copy and character. At this limit, on a machine with a load of 8 to
   * 10 on two cores, compiling took up to 130 ms and matching the longest topic name up to 57 ms.
   */
  patternCostMax: 8192,

  /**
   * Compiled patterns that a process caches, and their total size. A program grows to about 8 MiB while it matches,
   * however short its pattern. A pattern that is not cached is compiled again on use.
   */
  patternProgramsMax: 4096,
  patternProgramsBytesMax: 64 * MiB,

  /** Longer texts match no pattern; the longest useful text is a transactional id. */
  patternTextCharsMax: 2048,

  /** Matching work, as cost times characters, before the thread yields: some milliseconds at worst. */
  patternStepsPerTurn: 256 * 1024,

  /**
   * The same for all texts that one request matches against a pattern: half a minute at worst, usually less than a
   * second.
   */
  patternStepsMax: 1_000_000_000,

  /**
   * Size of the connected clients in a report, as JSON: software kinds with the most connections first, with a few
   * principals and client ids each. Clients choose all of these names.
   */
  reportedSoftwareCharsMax: 16 * KiB,
  reportedSoftwareNamesMax: 5,

  /** Groups of a cluster whose metrics are published, and their total partitions. Groups are taken in order of name. */
  publishedGroupsMax: 5_000,
  publishedGroupPartitionsMax: 100_000,

  /** Event queries that one agent runs at a time; further ones are refused. */
  queriesPerAgentMax: 4,

  /**
   * Tables that one report of an agent has, the partitions of their topics of each and of all, and the length of a text
   * in it.
   */
  reportedTablesMax: 200,
  reportedTablePartitionsMax: 100,
  reportedPartitionsMax: 2_000,
  reportedTableTextCharsMax: 1_000,

  /** Topics of a migration that one report has, their partitions, and stopped partitions that are named of each. */
  reportedMigrationTopicsMax: 500,
  reportedMigrationPartitionsMax: 20_000,
  reportedStoppedPartitionsMax: 20,

  /**
   * Recent changes of key-value entries that an agent remembers by their keys, for components that derive state from
   * entries.
   */
  followedChangesMax: 4096,
} as const;
