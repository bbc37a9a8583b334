import { KiB, MiB } from '@weir/core';

/** Limits of the state of a cluster, and of what one command or query does. */
export const machineLimits = {
  /**
   * Producer states: pairs of idempotent producer and partition, for detecting duplicates. Beyond the limit the state
   * that was idle longest is dropped, and its producer may continue with any sequence. About 220 bytes each.
   */
  producerStatesMax: 1_000_000,

  /** Characters of who changed the state of a managed topic, and of why. */
  migrationTextCharsMax: 500,

  /** Managed topics whose state ends with one call because its time is over. */
  expiredMigrationsPerCallMax: 1_000,

  /** Producer ids allocated in one call. */
  producerIdsPerCallMax: 1_000_000,

  /**
   * Files whose commit answer is stored for retries: what 300 agents write in three minutes. A commit whose answer was
   * lost must be retried before this many others, or not at all.
   */
  recentFilesMax: 256 * 1024,

  /** Total size of the answers of `recentFilesMax`; the oldest are dropped first. */
  recentFileReplyBytesMax: 256 * MiB,

  /** Agents do not retry a commit after this long: its producers have given up. */
  recentFileMsMax: 15 * 60_000,

  /**
   * A file whose id is older than this cannot be committed, so that ids of deleted files need not be remembered for
   * longer. Clocks of agents may be this far behind; a store refuses requests that are more than 15 minutes off.
   */
  fileCommitMsMax: 60 * 60_000,

  /**
   * A compaction that was planned longer ago cannot be committed: its files may have been taken for orphans and
   * deleted, and ids of deleted files are not remembered for longer (`fileCommitMsMax`).
   */
  compactionMsMax: 60 * 60_000,

  /** Files of a level that are merged into one of the next level. */
  compactionFanIn: 32,

  /** Size that merged files reach. Positions in files have 32 bits. */
  compactedFileBytesMax: 1024 * MiB,

  /** Pointers of the files of one job, unless two files alone have more. */
  compactionPointersMax: 65_536,

  /** Jobs of one plan. The next plan follows when some of them are done. */
  compactionJobsPerPlanMax: 16,

  /** Files or pointers that a step of planning examines: some milliseconds. */
  compactionRowsPerStep: 10_000,

  /** Files younger than this are left out: they are being read, and others may be committed between them. */
  compactionYoungMs: 10_000,

  /** Files of level 0 that are older than this are merged although they are few; times the fan-in per level. */
  compactionWaitMs: 10 * 60_000,

  /**
   * The longest time for which files of level 0 count as the active segment of a compacted partition, whose keys stay
   * as they are. Files are merged before, so that a compaction of keys reads few and large ranges.
   */
  keyCompactionActiveMsMax: 15 * 60_000,

  /** Bytes of partitions that one job compacts together; a larger partition has a job of its own. */
  keyCompactionJobBytes: 256 * MiB,

  /** Partitions of one job, so that its commit is short. */
  keyCompactionPartitionsMax: 1_000,

  /** Pointers of the part of a partition that a job adds to the compacted one. The next job continues from there. */
  keyCompactionDirtyPointersMax: 65_536,

  /** Pointers of one clone of a topic: 30 ms of the leader per million. */
  clonePointersMax: 4_000_000,

  /** Pointers of all topics, beyond which none is cloned: 28 bytes each, which clones share until the next start. */
  pointersHeldMax: 20_000_000,

  /** Files that one call declares dead or forgets. */
  fileIdsPerCallMax: 10_000,

  /** Clones of a cluster for which it holds files. */
  clonesMax: 64,

  /** Clusters whose files a clone of clones refers to. Their numbers have a byte. */
  cloneOriginsMax: 200,

  /** Requests of agents whose answers a cluster stores, so that a retry after a lost answer is not executed twice. */
  recentRequestsMax: 64 * 1024,

  /** Total size of the answers of `recentRequestsMax`; the oldest are dropped first. */
  recentRequestReplyBytesMax: 64 * MiB,

  /** Agents do not retry a request after this long: it exceeds every deadline. */
  recentRequestMsMax: 15 * 60_000,

  /** Length of a request id: the id of a client and a number. */
  requestIdCharsMax: 128,

  /** Key-value entries of a cluster: one per group, quota, credential and the like. */
  recordsMax: 1_000_000,

  /** Total size of key-value entries, in memory and in every snapshot. */
  recordBytesMax: 1024 * MiB,

  /** Size of one key-value entry. The largest is a classic group with metadata and assignments of all members. */
  kvValueBytesMax: 24 * MiB,

  /** Changes of the schema registry in one call: they take effect together. */
  registryChangesMax: 20_000,

  /** Keys and values of the changes in one call, so that the call fits into a frame of an agent. */
  registryChangeBytesMax: 8 * MiB,

  /** Length of the key of an entry of the schema registry: a context, a subject and a number, perhaps escaped. */
  registryKeyBytesMax: 12 * 1024,

  /** Size of one entry of the schema registry: a schema with its metadata and rules. */
  registryValueBytesMax: 7 * MiB,

  /**
   * Entries of the schema registry of a cluster: schemas, versions, configs, modes, keys, exporters. Every agent that
   * serves it holds all of them.
   */
  registryEntriesMax: 1_000_000,

  /** Total size of the entries of the schema registry, in memory and in every snapshot. */
  registryBytesMax: 1024 * MiB,

  /** Removed entries of the schema registry that are remembered. A reader that misses more reads all entries anew. */
  registryRemovalsMax: 10_000,

  /** Keys and values of one answer about the schema registry, and their number: some milliseconds. */
  registryPageBytesMax: 4 * MiB,
  registryPageEntriesMax: 10_000,

  /** Committed offsets of all groups of a cluster, about 110 bytes each. */
  committedOffsetsMax: 2_000_000,

  /** Total length of group ids and metadata of committed offsets, in characters. */
  offsetTextCharsMax: 128 * MiB,

  /** Estimated memory of all transactional ids with the partitions and groups of their open transactions. */
  transactionBytesMax: 512 * MiB,

  /** Transactions aborted on timeout in one entry, and transactional ids expired in it. */
  expiredTransactionsPerCallMax: 1000,

  /** Brokers that have configs of their own. Every agent holds all of them. */
  brokerConfigsMax: 10_000,

  /** Users with SCRAM credentials. Every agent holds all of them. */
  scramCredentialsMax: 20_000,

  /** Delegation tokens of a cluster, and those that one user owns or asked for. Every agent holds all of them. */
  delegationTokensMax: 2_000,
  delegationTokensPerUserMax: 200,

  /** Users who may renew a delegation token, and the characters of their names. */
  tokenRenewersMax: 32,
  tokenRenewerCharsMax: 2 * KiB,

  /** The longest life of a delegation token, as Kafka's default of `delegation.token.max.lifetime.ms`: 7 days. */
  delegationTokenMsMax: 7 * 86_400_000,

  /** The time between renewals of a delegation token: Kafka's default of `delegation.token.expiry.time.ms`, 1 day. */
  delegationTokenRenewalMsMax: 86_400_000,

  /** Filters of one call that leave a field open and so need a scan of all ACLs. */
  aclScansPerCallMax: 64,

  /** ACLs that one call deletes and returns. */
  aclsDeletedPerCallMax: 10_000,

  /**
   * Partitions and pointers that one retention call examines: some milliseconds. The next call continues from there.
   */
  retentionPartitionsPerCallMax: 2_000,
  retentionPointersPerCallMax: 10_000,

  /** Pointers in one answer. A caller that needs more asks again from the end of the answer. */
  pointersPerAnswerMax: 16_384,

  /** The highest node id; far below 2^24, where librdkafka crashes. Ids of agents that are gone are reused. */
  nodeIdMax: 50_000,
} as const;
