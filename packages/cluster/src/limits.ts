import { KiB, MiB } from '@weir/core';

/** Limits of clusters: their state, groups, journal, and the connection between agents and the control plane. */
export const clusterLimits = {
  /**
   * The largest frame that an agent may send to the control plane: a commit of a file is about 80 bytes per batch.
   */
  rpcCallBytesMax: 16 * MiB,

  /** The part of `rpcCallBytesMax` that is JSON. Parsed, it may take ten times its length. */
  rpcCallBodyBytesMax: 4 * MiB,

  /**
   * What the control plane reads beyond `rpcCallBytesMax`, so that an agent gets the error that a call is too large
   * instead of losing its connection.
   */
  rpcCallSurplusBytesMax: 1 * MiB,

  /**
   * Entries of a list in one call; longer ones go in several. With two hundred bytes of JSON each they fit, and
   * other calls get their turn between.
   */
  rpcCallEntriesMax: 10_000,

  /**
   * The largest frame that the control plane sends: a snapshot, with 16 bytes per partition and some hundred per
   * topic.
   */
  rpcReplyBytesMax: 256 * MiB,

  /** A column of no elements is 8 bytes on the wire and about two hundred in memory. */
  rpcColumnsMax: 128 * 1024,

  /** How deeply lists and objects in a frame may be nested. */
  rpcDepthMax: 32,

  /** Calls of one agent that wait for an answer, the ones that wait for their turn or for a connection included. */
  rpcPendingCallsMax: 4096,

  /**
   * Calls of one connection that the control plane works on at a time. The agent learns it with hello and sends no
   * more.
   */
  rpcRunningCallsMax: 256,

  /**
   * Calls of one connection that wait for other agents' calls, as members of a group wait for each other. They cost
   * no work meanwhile.
   */
  rpcWaitingCallsMax: 16_384,

  /** Answers per agent that are remembered in case they got lost. An agent confirms them long before. */
  rpcRememberedRepliesMax: 32_768,

  /** Agents whose answers are remembered after their connection was lost. */
  rpcRememberedClientsMax: 10_000,

  /**
   * Unsent changes per connection. A follower that is further behind loses them and gets a snapshot when it has
   * caught up.
   */
  rpcQueuedPushBytesMax: 16 * MiB,

  /**
   * Unsent bytes of any kind per connection, not counting a snapshot. An agent that reads too slowly for this is cut
   * off.
   */
  rpcQueuedBytesMax: 64 * MiB,

  /**
   * Partitions including those of deleted topics whose data is not removed yet, so that creating and deleting topics
   * is bounded too.
   */
  partitionsHeldMax: 400_000,

  /**
   * Partitions that an idempotent producer wrote to, counted per producer, and remembered to recognise what it sends
   * twice. Beyond it the one that was silent longest is forgotten and may go on with any sequence. About 220 bytes
   * each.
   */
  producerStatesMax: 1_000_000,

  /**
   * A producer that wrote nothing to a partition for this long is forgotten there: Kafka's
   * `producer.id.expiration.ms`.
   */
  producerStateMsMax: 24 * 3_600_000,

  /** Producer ids that are handed out in one call. */
  producerIdsPerCallMax: 1_000_000,

  /**
   * Files whose commit is remembered, so that a repeated one gets its first answer: what 300 agents write in three
   * minutes. A commit whose answer was lost must be repeated before this many others, or not at all.
   */
  recentFilesMax: 256 * 1024,

  /** The answers of `recentFilesMax` together; the oldest go first. */
  recentFileReplyBytesMax: 256 * MiB,

  /** No agent repeats a commit after this long: its producers have given up. */
  recentFileMsMax: 15 * 60_000,

  /** Requests of agents whose answers a cluster remembers, so that one whose answer was lost is not done twice. */
  recentRequestsMax: 64 * 1024,

  /** The answers of `recentRequestsMax` together; the oldest go first. */
  recentRequestReplyBytesMax: 64 * MiB,

  /** No agent repeats a request after this long: it is more than any deadline. */
  recentRequestMsMax: 15 * 60_000,

  /** The id of a remembered request: the id of a client, and a number. */
  requestIdCharsMax: 128,

  /** Key-value entries of a cluster, the small values of coordinators: one per group, quota, credential. */
  recordsMax: 1_000_000,

  /** All key-value entries together, in memory and in every snapshot. */
  recordBytesMax: 1024 * MiB,

  /** One key-value entry. The largest is a classic group with metadata and assignments of all members. */
  kvValueBytesMax: 24 * MiB,

  /** Offsets that all groups of a cluster have committed, about 110 bytes each. */
  committedOffsetsMax: 2_000_000,

  /** Group ids and metadata of committed offsets together, in characters. */
  offsetTextCharsMax: 128 * MiB,

  /** The highest value of `offset.metadata.max.bytes`. */
  offsetMetadataCharsMax: 64 * KiB,

  /**
   * Members and transactional ids of a cluster whose last connection is known, so that late commits are recognised;
   * about 200 bytes each.
   */
  rememberedCommittersMax: 100_000,

  /** Members of one share group: the highest value of `group.share.max.size`, as in Apache Kafka. */
  shareGroupMembersMax: 1000,

  /** Partitions that share groups have begun with, each counted once for every group. About 300 bytes each. */
  sharePartitionsMax: 200_000,

  /**
   * Ranges of records in the windows of all share partitions, some hundred bytes each. Beyond it windows do not
   * grow.
   */
  shareSpansMax: 2_000_000,

  /** Topics that one member of a consumer group may name. Patterns may match any number. */
  subscribedNamesMax: 10_000,

  /** Assignment protocols that one member may offer. Clients have two or three. */
  memberProtocolsMax: 64,

  /** The metadata that the members of one group send, and their assignments, each. One key-value entry holds both. */
  groupMetadataBytesMax: 8 * MiB,
  groupAssignmentBytesMax: 8 * MiB,

  /** The metadata that the members of all groups of a cluster send. */
  groupsMetadataBytesMax: 512 * MiB,

  /**
   * Transactional ids of a cluster. Beyond it the one that was silent longest and has no open transaction is
   * forgotten; its producer has to begin anew. About 600 bytes each.
   */
  transactionalIdsMax: 100_000,

  /** The length of a transactional id. Clients make them of the names of applications and of their instances. */
  transactionalIdCharsMax: 2048,

  /**
   * Transactional ids with the partitions and groups of their open transactions, by an estimate of the memory they
   * take.
   */
  transactionBytesMax: 512 * MiB,

  /** A transactional id that was not used for this long is forgotten: Kafka's `transactional.id.expiration.ms`. */
  transactionalIdMsMax: 7 * 24 * 3_600_000,

  /** No transaction may be open for longer, whatever its producer asks for: Kafka's `transaction.max.timeout.ms`. */
  transactionTimeoutMsMax: 15 * 60_000,

  /** Transactions that are aborted in one entry because their time is over, and ids that are forgotten in it. */
  expiredTransactionsPerCallMax: 1000,

  /** Groups that have configs of their own. */
  groupConfigsMax: 100_000,

  /** Brokers that have configs of their own. Every agent knows all of them. */
  brokerConfigsMax: 10_000,

  /** Entities that have quotas, and users that have credentials. Every agent knows all of them. */
  clientQuotasMax: 20_000,
  scramCredentialsMax: 20_000,

  /** Filters of one call that leave a field open, for which all ACLs have to be looked at. */
  aclScansPerCallMax: 64,

  /** ACLs that one call deletes and returns. */
  aclsDeletedPerCallMax: 10_000,

  /** Partitions and pointers that one retention call looks at: some milliseconds. The next goes on from there. */
  retentionPartitionsPerCallMax: 2_000,
  retentionPointersPerCallMax: 10_000,

  /** Topics that one question about the sizes of logs may name. */
  logSizesPerCallMax: 10_000,

  /** Topics whose throughput the partition auto-scaler measures. */
  scaledTopicsMax: 10_000,

  /** Pointers in one answer. A caller that wants more asks again from where the answer ends. */
  pointersPerAnswerMax: 16_384,

  /** What one read of a journal brings, and so what a standby holds while it catches up; one append may exceed it. */
  journalReadBytesMax: 8 * MiB,

  /** What one append to a journal carries. Commands beyond it wait for the next; one larger command goes alone. */
  journalAppendBytesMax: 4 * MiB,

  /**
   * Commands and queries that wait for the journal of one cluster. Beyond it the cluster answers that it is
   * unavailable.
   */
  waitingCallsMax: 20_000,

  /** Entries that wait for the journal of one cluster, in bytes. */
  waitingEntryBytesMax: 64 * MiB,

  /** Changes that one follower of a cluster has not seen yet. Beyond, it starts again from a snapshot. */
  followerChangesMax: 64 * KiB,

  /**
   * The highest node id that an agent is given; far below 2^24, where librdkafka crashes. Ids of agents that are
   * gone are used again.
   */
  nodeIdMax: 50_000,

  /** Long polls end after this, whatever the client asks. */
  fetchWaitMsMax: 300_000,

  /** Leases that one statement renews or reads. Appends of these clusters wait meanwhile, for some milliseconds. */
  gatheredLeasesMax: 512,

  /** The regular expression of a client. */
  patternCharsMax: 4096,

  /**
   * What such an expression may cost, by an estimate of the instructions that it is compiled to. A list of names
   * takes less than two per character; a repetition takes four per copy and character. At this much, on a machine
   * with a load of 8 to 10 on two cores, compiling took up to 130 ms and matching the longest name of a topic up to
   * 57 ms.
   */
  patternCostMax: 8192,

  /**
   * Compiled patterns that a process caches, and what they take together. A program grows to some 8 MiB while it
   * matches, however short its pattern; one that is not cached is compiled again when it is used.
   */
  patternProgramsMax: 4096,
  patternProgramsBytesMax: 64 * MiB,

  /** A longer text matches no pattern: the longest that has a use is a transactional id. */
  patternTextCharsMax: 2048,

  /** Work of matching, in cost times characters, until others get their turn: some milliseconds at the worst. */
  patternStepsPerTurn: 256 * 1024,

  /**
   * The same for all texts that one request has compared with a pattern: half a minute at the worst, and usually
   * less than a second.
   */
  patternStepsMax: 1_000_000_000,

  /**
   * What a report says of connected clients, as JSON: kinds of software with the most connections first, and a few
   * principals and client ids of each. Clients choose all of these names. A leader remembers the last report of each
   * agent, and this much of all agents together.
   */
  reportedSoftwareCharsMax: 16 * KiB,
  reportedSoftwareNamesMax: 5,
  clusterSoftwareCharsMax: 2 * MiB,

  /**
   * Reports of one agent that a leader stores, and what those of all agents of a cluster may take as JSON; beyond it
   * new ones are left out.
   */
  agentReportsKeptMax: 6,
  clusterReportCharsMax: 8 * MiB,

  /** Users of one cluster whose last login a leader remembers; about 100 bytes each. */
  lastLoginsMax: 10_000,

  /** Agents of one cluster that are listed as lost. */
  lostAgentsMax: 100,

  /**
   * Groups of a cluster whose metrics are published, and the partitions of all of them together. The first by name
   * are.
   */
  publishedGroupsMax: 5_000,
  publishedGroupPartitionsMax: 100_000,

  /** Queries about events that one agent works on at a time; further ones are refused. */
  queriesPerAgentMax: 4,

  /** Queries of one cluster that wait until an agent polls for work: those of a moment. */
  queriesWaitingMax: 64,

  /** What a query may ask, as JSON: a filter of any characters, and a few words. */
  queryRequestBytesMax: 256 * KiB,

  /** What an agent may answer to one query, and what the control plane holds of unfinished answers of a cluster. */
  queryAnswerBytesMax: 10 * MiB,
  queryAnswersHeldBytesMax: 64 * MiB,

  /** How long an agent waits for a query before it asks again. */
  queryWaitMsMax: 30_000,

  /** Jobs of a cluster, each run by one agent at a time. */
  jobLeasesMax: 64,

  /**
   * Events of the control plane that wait for an agent which writes them; the oldest make room. One answer has no
   * more than a part.
   */
  controlPlaneEventsMax: 1_000,
  controlPlaneEventCharsMax: 2 * MiB,
  controlPlaneEventsPerCallMax: 200,
} as const;
