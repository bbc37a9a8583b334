import { MiB } from '@weir/core';

/** Limits of groups and of their coordinator. */
export const groupLimits = {
  /**
   * Members and transactional ids of a cluster whose last connection is stored in order to detect late commits; about
   * 200 bytes each.
   */
  rememberedCommittersMax: 100_000,

  /** Partitions that share groups have started on, counted per group. About 300 bytes each. */
  sharePartitionsMax: 200_000,

  /**
   * Ranges of records in the windows of all share partitions, some hundred bytes each. At the limit windows stop
   * growing.
   */
  shareSpansMax: 2_000_000,

  /** Subtopologies of a streams application, and the size of its topology. Applications have a few dozen at most. */
  streamsSubtopologiesMax: 1000,
  streamsTopologyCharsMax: 1 * MiB,

  /** Tasks of a streams group, over all subtopologies, without standbys. Assigning one takes a few microseconds. */
  streamsTasksMax: 100_000,

  /** Topics that one member of a consumer group may subscribe to by name. Patterns may match any number. */
  subscribedNamesMax: 10_000,

  /** Assignment protocols that one member may offer. Clients offer two or three. */
  memberProtocolsMax: 64,

  /** Total member metadata of one group, and total assignments, each. One key-value entry holds both. */
  groupMetadataBytesMax: 8 * MiB,
  groupAssignmentBytesMax: 8 * MiB,

  /** Total member metadata of all groups of a cluster. */
  groupsMetadataBytesMax: 512 * MiB,
} as const;
