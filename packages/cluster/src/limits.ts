import { KiB, MiB } from '@weir/core';

/** Limits of clusters: state, groups, journal, and the connections between agents and the control plane. */
export const clusterLimits = {
  /**
   * The largest frame that an agent may send to the control plane: a commit of a file is about 80 bytes per batch.
   */
  rpcCallBytesMax: 16 * MiB,

  /** The part of `rpcCallBytesMax` that is JSON. Parsed, it may take ten times its length. */
  rpcCallBodyBytesMax: 4 * MiB,

  /**
   * Bytes beyond `rpcCallBytesMax` that the control plane still reads, so that an agent gets a "call too large" error
   * instead of a lost connection.
   */
  rpcCallSurplusBytesMax: 1 * MiB,

  /**
   * Entries of a list in one call; longer lists are split into several calls. With 200 bytes of JSON each they fit, and
   * other calls can run in between.
   */
  rpcCallEntriesMax: 10_000,

  /**
   * The largest frame that the control plane sends: a snapshot, with 16 bytes per partition and some hundred per
   * topic.
   */
  rpcReplyBytesMax: 256 * MiB,

  /** An empty column is 8 bytes on the wire and about 200 in memory. */
  rpcColumnsMax: 128 * 1024,

  /** Nesting depth of lists and objects in a frame. */
  rpcDepthMax: 32,

  /** Calls of one agent that wait for an answer, including those that are queued or wait for a connection. */
  rpcPendingCallsMax: 4096,

  /**
   * Calls of one connection that the control plane runs concurrently. The agent learns the limit with hello and sends
   * no more.
   */
  rpcRunningCallsMax: 256,

  /**
   * Calls of one connection that wait for calls of other agents, as members of a group wait for each other. A waiting
   * call uses no CPU.
   */
  rpcWaitingCallsMax: 16_384,

  /** Answers per agent that are stored in case they were lost. An agent confirms them long before. */
  rpcRememberedRepliesMax: 32_768,

  /** Agents whose answers are stored after their connection was lost. */
  rpcRememberedClientsMax: 10_000,

  /**
   * Unsent changes per connection. A follower that falls further behind loses them and gets a snapshot once it has
   * caught up.
   */
  rpcQueuedPushBytesMax: 16 * MiB,

  /** Unsent bytes of any kind per connection, excluding a snapshot. An agent that reads too slowly is disconnected. */
  rpcQueuedBytesMax: 64 * MiB,

  /**
   * Partitions including those of deleted topics whose data is not yet removed, so that repeated creation and deletion
   * of topics is bounded too.
   */
  partitionsHeldMax: 400_000,

  /**
   * Producer states: pairs of idempotent producer and partition, for detecting duplicates. Beyond the limit the state
   * that was idle longest is dropped, and its producer may continue with any sequence. About 220 bytes each.
   */
  producerStatesMax: 1_000_000,

  /**
   * A producer without an append to a partition for this long is forgotten there: Kafka's `producer.id.expiration.ms`.
   */
  producerStateMsMax: 24 * 3_600_000,

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

  /** Committed offsets of all groups of a cluster, about 110 bytes each. */
  committedOffsetsMax: 2_000_000,

  /** Total length of group ids and metadata of committed offsets, in characters. */
  offsetTextCharsMax: 128 * MiB,

  /** The highest value of `offset.metadata.max.bytes`. */
  offsetMetadataCharsMax: 64 * KiB,

  /**
   * Members and transactional ids of a cluster whose last connection is stored in order to detect late commits; about
   * 200 bytes each.
   */
  rememberedCommittersMax: 100_000,

  /** Members of one share group: the highest value of `group.share.max.size`, as in Apache Kafka. */
  shareGroupMembersMax: 1000,

  /** Partitions that share groups have started on, counted per group. About 300 bytes each. */
  sharePartitionsMax: 200_000,

  /**
   * Ranges of records in the windows of all share partitions, some hundred bytes each. At the limit windows stop
   * growing.
   */
  shareSpansMax: 2_000_000,

  /** Topics that one member of a consumer group may subscribe to by name. Patterns may match any number. */
  subscribedNamesMax: 10_000,

  /** Assignment protocols that one member may offer. Clients offer two or three. */
  memberProtocolsMax: 64,

  /** Total member metadata of one group, and total assignments, each. One key-value entry holds both. */
  groupMetadataBytesMax: 8 * MiB,
  groupAssignmentBytesMax: 8 * MiB,

  /** Total member metadata of all groups of a cluster. */
  groupsMetadataBytesMax: 512 * MiB,

  /**
   * Transactional ids of a cluster. Beyond the limit, the id that was idle longest and has no open transaction is
   * forgotten; its producer must initialise again. About 600 bytes each.
   */
  transactionalIdsMax: 100_000,

  /** Length of a transactional id. Clients build them from application and instance names. */
  transactionalIdCharsMax: 2048,

  /** Estimated memory of all transactional ids with the partitions and groups of their open transactions. */
  transactionBytesMax: 512 * MiB,

  /** A transactional id that is unused for this long is forgotten: Kafka's `transactional.id.expiration.ms`. */
  transactionalIdMsMax: 7 * 24 * 3_600_000,

  /** Upper bound on the transaction timeout, whatever the producer requests: Kafka's `transaction.max.timeout.ms`. */
  transactionTimeoutMsMax: 15 * 60_000,

  /** Transactions aborted on timeout in one entry, and transactional ids expired in it. */
  expiredTransactionsPerCallMax: 1000,

  /** Groups that have configs of their own. */
  groupConfigsMax: 100_000,

  /** Brokers that have configs of their own. Every agent holds all of them. */
  brokerConfigsMax: 10_000,

  /** Entities with quotas, and users with credentials. Every agent holds all of them. */
  clientQuotasMax: 20_000,
  scramCredentialsMax: 20_000,

  /** Filters of one call that leave a field open and so need a scan of all ACLs. */
  aclScansPerCallMax: 64,

  /** ACLs that one call deletes and returns. */
  aclsDeletedPerCallMax: 10_000,

  /**
   * Partitions and pointers that one retention call examines: some milliseconds. The next call continues from there.
   */
  retentionPartitionsPerCallMax: 2_000,
  retentionPointersPerCallMax: 10_000,

  /** Topics in one query for log sizes. */
  logSizesPerCallMax: 10_000,

  /** Topics whose throughput the partition auto-scaler measures. */
  scaledTopicsMax: 10_000,

  /** Pointers in one answer. A caller that needs more asks again from the end of the answer. */
  pointersPerAnswerMax: 16_384,

  /** Bytes of one read of a journal, and so what a standby holds while it catches up; one append may exceed it. */
  journalReadBytesMax: 8 * MiB,

  /**
   * Bytes of one append to a journal. Further commands wait for the next append; a single larger command goes alone.
   */
  journalAppendBytesMax: 4 * MiB,

  /** Commands and queries that wait for the journal of one cluster. Beyond the limit the cluster is unavailable. */
  waitingCallsMax: 20_000,

  /** Entries that wait for the journal of one cluster, in bytes. */
  waitingEntryBytesMax: 64 * MiB,

  /** Changes queued for one follower of a cluster. Beyond the limit it restarts from a snapshot. */
  followerChangesMax: 64 * KiB,

  /** The highest node id; far below 2^24, where librdkafka crashes. Ids of agents that are gone are reused. */
  nodeIdMax: 50_000,

  /** Upper bound on a long poll, whatever the client requests. */
  fetchWaitMsMax: 300_000,

  /** Leases renewed or read by one statement. Appends of these clusters wait meanwhile, for some milliseconds. */
  gatheredLeasesMax: 512,

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
   * principals and client ids each. Clients choose all of these names. A leader stores the last report of each agent,
   * up to `clusterSoftwareCharsMax` for all agents together.
   */
  reportedSoftwareCharsMax: 16 * KiB,
  reportedSoftwareNamesMax: 5,
  clusterSoftwareCharsMax: 2 * MiB,

  /**
   * Reports of one agent that a leader stores, and their total size as JSON for all agents of a cluster; beyond it new
   * reports are dropped.
   */
  agentReportsRetainedMax: 6,
  clusterReportCharsMax: 8 * MiB,

  /** Users of one cluster whose last login a leader holds; about 100 bytes each. */
  lastLoginsMax: 10_000,

  /** Agents of one cluster listed as lost. */
  lostAgentsMax: 100,

  /** Groups of a cluster whose metrics are published, and their total partitions. Groups are taken in order of name. */
  publishedGroupsMax: 5_000,
  publishedGroupPartitionsMax: 100_000,

  /** Event queries that one agent runs at a time; further ones are refused. */
  queriesPerAgentMax: 4,

  /** Event queries of one cluster that wait until an agent polls; they wait only briefly. */
  queriesWaitingMax: 64,

  /** Size of a query as JSON: mostly a filter of arbitrary text. */
  queryRequestBytesMax: 256 * KiB,

  /**
   * Size of an agent's answer to one query, and total size of unfinished answers that the control plane holds per
   * cluster.
   */
  queryAnswerBytesMax: 10 * MiB,
  queryAnswersHeldBytesMax: 64 * MiB,

  /** Duration of one poll of an agent for a query. */
  queryWaitMsMax: 30_000,

  /** Jobs of a cluster, each run by one agent at a time. */
  jobLeasesMax: 64,

  /**
   * Control-plane events that wait for an agent to write them; the oldest are dropped on overflow. One answer contains
   * only a part.
   */
  controlPlaneEventsMax: 1_000,
  controlPlaneEventCharsMax: 2 * MiB,
  controlPlaneEventsPerCallMax: 200,
} as const;
