/**
 * What an entry of the journal is about: its first byte. Journals outlive releases, so a number is never used for anything
 * else and the layout behind it never changes. Another layout gets another number, and the old one stays readable.
 *
 * Entries say what was decided, not what was asked: rules, limits and defaults that change with a release change what
 * happens from then on, and never what has happened.
 */
export const entryKind = {
  /** Time, then files with the fate of each of their batches (commit-entry.ts). */
  filesCommitted: 1,
  /** Time, then topics: id, name, partition count, configs (topic-entries.ts). */
  topicsCreated: 2,
  /** Time, then the numbers of topics (topic-entries.ts). */
  topicsDeleted: 3,
  /** Time, then topic numbers with their new partition counts (topic-entries.ts). */
  partitionsCreated: 4,
  /** Time, then how many (machine.ts). */
  producerIdsAllocated: 5,
  /** Time, then names with a value or none (alter-cluster-configs.ts). */
  clusterConfigsAltered: 6,
  /** Time, then how many of the oldest producers and file ids are forgotten, and the numbers of topics (purge.ts). */
  purged: 7,
} as const;

export type EntryKind = keyof typeof entryKind;
