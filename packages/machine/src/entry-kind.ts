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
  /** Time, then id and answer of a request, then the entry of what it did, whole (replies/answered-requests.ts). */
  requestAnswered: 8,
  /** Time, then records that are put or removed: namespace, key, value (records/put-records.ts). */
  entriesPut: 10,
  /** Time, then groups with offsets (offsets/commit-offsets.ts). */
  offsetsCommitted: 11,
  /** Time, then groups with partitions, or none for all of them (offsets/forget-offsets.ts). */
  offsetsForgotten: 12,
  /** As `filesCommitted`, with batches of transactions (commit/commit-entry.ts). */
  transactionalFilesCommitted: 20,
  /** Time, then the transactional id, its timeout, who has it and how many idle ids go (transactions/init-producer.ts). */
  transactionalProducerInit: 21,
  /** Time, then producer, origin and partitions (transactions/add-to-transaction.ts). */
  transactionPartitionsAdded: 22,
  /** Time, then producer, origin and group (transactions/add-to-transaction.ts). */
  transactionGroupAdded: 23,
  /** Time, then producer, group, whether it is added, and offsets (transactions/add-to-transaction.ts). */
  transactionOffsetsCommitted: 24,
  /** Time, then producer, how it ends, and who goes on (transactions/end-transaction.ts). */
  transactionEnded: 25,
  /** Time, then ends of transactions, and producers whose ids are forgotten (transactions/expire-transactions.ts). */
  transactionsExpired: 26,
  /** Time, then producer, connection and request (transactions/origin.ts). */
  transactionOriginNoted: 27,
  /** Time, then topics with partitions and where they begin now (log-start/log-starts.ts). */
  logStartsMoved: 30,
  /** Time, then configs of topics, of the cluster, and records with those of others (alter-configs.ts). */
  configsAltered: 31,
  /** Time, then the numbers of deleted topics that come back (topics/topic-entries.ts). */
  topicsRestored: 32,
  /** Time, then the numbers of topics that are deleted for good, with what they hold (purge.ts). */
  topicsRemoved: 33,
  /** As `topicsCreated`, with the replication factor of each behind its partition count; without it, it is 3 (topic-entries.ts). */
  replicatedTopicsCreated: 34,
} as const;

export type EntryKind = keyof typeof entryKind;
