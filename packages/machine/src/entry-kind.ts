/**
 * The kind of a journal entry: its first byte.
 *
 * Journals outlive releases, so a number is never reused and its layout never changes. A changed layout gets a new
 * number, and the old one stays readable. Entries contain decisions, not requests: rules, limits and defaults that
 * change with a release affect what happens from then on, never what has happened.
 */
export const entryKind = {
  /** Time, then files with the result of each batch (commit/commit-entry.ts). */
  filesCommitted: 1,
  /** Time, then topics: id, name, partition count, configs (topics/topic-entries.ts). */
  topicsCreated: 2,
  /** Time, then topic numbers (topics/topic-entries.ts). */
  topicsDeleted: 3,
  /** Time, then topic numbers with their new partition counts (topics/topic-entries.ts). */
  partitionsCreated: 4,
  /** Time, then how many (execute-command.ts, apply-entry.ts). */
  producerIdsAllocated: 5,
  /** Time, then names with a value or none (alter-cluster-configs.ts). */
  clusterConfigsAltered: 6,
  /** Time, then how many of the oldest producers and file ids are removed, and topic numbers (purge.ts). */
  purged: 7,
  /** Time, then id and answer of a request, then the complete entry of the command (replies/answered-requests.ts). */
  requestAnswered: 8,
  /** Time, then key-value entries that are put or removed: namespace, key, value (kv/put-entries.ts). */
  entriesPut: 10,
  /** Time, then groups with offsets (offsets/commit-offsets.ts). */
  offsetsCommitted: 11,
  /** Time, then groups with partitions, or none for all (offsets/forget-offsets.ts). */
  offsetsForgotten: 12,
  /** As `offsetsCommitted`, with a sign before each offset; written if one is negative. */
  signedOffsetsCommitted: 13,
  /** As `filesCommitted`, with transactional batches (commit/commit-entry.ts). */
  transactionalFilesCommitted: 20,
  /**
   * Time, then the transactional id, its timeout, its producer, and how many idle ids are removed
   * (transactions/init-producer.ts).
   */
  transactionalProducerInit: 21,
  /** Time, then producer, origin and partitions (transactions/add-to-transaction.ts). */
  transactionPartitionsAdded: 22,
  /** Time, then producer, origin and group (transactions/add-to-transaction.ts). */
  transactionGroupAdded: 23,
  /** Time, then producer, group, whether the group is added, and offsets (transactions/add-to-transaction.ts). */
  transactionOffsetsCommitted: 24,
  /** Time, then producer, commit or abort, and the next producer id and epoch (transactions/end-transaction.ts). */
  transactionEnded: 25,
  /**
   * Time, then ended transactions, and producers whose transactional ids are removed
   * (transactions/expire-transactions.ts).
   */
  transactionsExpired: 26,
  /** Time, then producer, connection and request (transactions/origin.ts). */
  transactionOriginNoted: 27,
  /** As `transactionOffsetsCommitted`, with a sign before each offset; written if one is negative. */
  signedTransactionOffsetsCommitted: 28,
  /** Time, then topics with partitions and their new log starts (log-start/log-starts.ts). */
  logStartsMoved: 30,
  /** Time, then configs of topics, of the cluster, and of other resources as key-value entries (alter-configs.ts). */
  configsAltered: 31,
  /** Time, then numbers of restored topics (topics/topic-entries.ts). */
  topicsRestored: 32,
  /** Time, then numbers of topics that are removed with their data (purge.ts). */
  topicsRemoved: 33,
  /**
   * As `topicsCreated`, with the replication factor after the partition count; `topicsCreated` means 3
   * (topics/topic-entries.ts).
   */
  replicatedTopicsCreated: 34,
  /**
   * Time, then from which time on ids of files can be committed, and the ids of dead files that were deleted
   * (files/dead-files.ts).
   */
  deadFilesForgotten: 40,
  /** Time, then ids and sizes of files (files/dead-files.ts). */
  filesDeclaredDead: 41,
  /** Time, then new files, and ranges with their new pointers (files/replace-ranges.ts). */
  rangesReplaced: 42,
  /** As `rangesReplaced`, then partitions whose keys were compacted, and up to where (files/replace-ranges.ts). */
  keysCompacted: 43,
  /** Time, then the number of the source, the topic, and the ends of its partitions (topics/clone-topic.ts). */
  topicCloned: 46,
  /** Time, then a clone, and that it needs all referenced files, or which ones (files/clone-holds.ts). */
  filesHeld: 49,
  /** Time, then a clone that exists from now on (files/clone-holds.ts). */
  holdConfirmed: 50,
  /** Time, then a clone, and files that it does not need any more (files/clone-holds.ts). */
  heldFilesReleased: 51,
  /** Time, then a clone that needs nothing any more (files/clone-holds.ts). */
  holdEnded: 52,
  /** Time, then files of another cluster that does not hold them any more (files/clone-holds.ts). */
  unneededFilesForgotten: 53,
  /** Time, then a clone that was not made (files/clone-holds.ts). */
  holdAbandoned: 54,
  /**
   * Time, then how many of the oldest removals of the schema registry are forgotten, and entries that are put or
   * removed: key, value (registry/change-registry.ts).
   */
  registryChanged: 60,
  /**
   * Time, then the lowest producer id to hand out from now on, and topics as in `replicatedTopicsCreated`, each with
   * the starts of its logs and its migration (migration/manage-topics.ts).
   */
  managedTopicsCreated: 70,
  /** Time, then topic numbers with the starts of the logs that are added (migration/manage-topics.ts). */
  managedTopicsGrown: 71,
  /** Time, then a file, its ranges, and batches of producers in them (migration/append-copied.ts). */
  copiesAppended: 72,
  /** Time, then topics with partitions and new log starts, which may lie beyond the end (migration/log-starts.ts). */
  managedLogStartsMoved: 73,
  /** Time, then entries as in `entriesPut`, and aborted transactions of copies (migration/change-states.ts). */
  copiesEnded: 74,
} as const;

export type EntryKind = keyof typeof entryKind;
