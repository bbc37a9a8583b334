import { KiB, MiB } from '@weir/core';

/** Limits of the Kafka listener: connections, requests, memory, sessions and files. */
export const brokerLimits = {
  /**
   * The largest request frame a server accepts, Apache Kafka's `socket.request.max.bytes` of 100 MiB plus room for
   * one 256 MiB message.
   */
  requestFrameBytesMax: 356 * MiB,

  /**
   * What the batches of one Produce may inflate to together, where their records have to be read: this much, or this
   * many times the bytes received, or the largest record that the topic takes. A few kilobytes can inflate to
   * gigabytes, and no producer's data is that repetitive.
   */
  inflatedRequestBytesMax: 64 * MiB,
  inflatedRequestTimesMax: 32,

  /**
   * What one connection may inflate beyond that many times the bytes received, at once and per second. The first is
   * two requests of the most repetitive data. The second is an eighth of what a thread inflates. Further requests of
   * the connection wait for it; none is refused.
   */
  inflatedConnectionBytesMax: 128 * MiB,
  inflatedConnectionBytesPerSecondMax: 64 * MiB,

  /**
   * How much of one Produce is inflated on the serving thread, between two other requests. The rest is inflated off
   * it and walked in slices.
   */
  inflatedAtOnceBytesMax: 512 * KiB,

  /**
   * The same for all requests of an agent together: a connection may have sent hundreds, and all of them are read in
   * one turn of the event loop.
   */
  inflatedPerTurnBytesMax: 2 * MiB,

  /**
   * Work of checking records against their schemas before others get their turn, in the time that inflating a byte
   * takes, and what it may be for each byte of the records before it counts as inflated bytes of the connection.
   */
  validatedPerTurnWorkMax: 1 * MiB,
  validatedFreeWorkPerByte: 32,

  /**
   * Schemas that are fetched at a time for one batch of records, and in all for a batch whose invalid records are only
   * counted: an invalid record ends the check of any other batch.
   */
  schemasFetchedAtOnceMax: 16,
  schemasFetchedPerWarningMax: 64,

  /**
   * Batches of an agent that are inflated off the serving thread at a time, and so in memory. Each takes a thread of
   * the pool, which other work needs too.
   */
  offThreadInflationsMax: 2,

  /**
   * Frames that carry records share pieces of memory of this size, each used again when all of its frames are done
   * with.
   */
  frameSlabBytes: 4 * MiB,

  /**
   * All pieces of `frameSlabBytes`. Frames that find no room in them, because clients are slow, get memory of their
   * own.
   */
  framePoolBytesMax: 64 * MiB,

  /**
   * What answers have beside pages, such as their fields, in pieces of this size that serving threads send and that are
   * used again, and all of them. Answers that find no room get memory of their own.
   */
  answerSlabBytes: 1 * MiB,
  answerPoolBytesMax: 32 * MiB,

  /** Pages share pieces of memory of this size, in which each makes room for others when nothing uses it any more. */
  pageSlabBytes: 16 * MiB,

  /**
   * All pieces of `pageSlabBytes`, beyond the size of the page cache: for pages that are being read, or that the cache
   * dropped before the answers with them were sent. Pages that find no room get memory of their own.
   */
  uncachedPageBytesMax: 48 * MiB,

  /**
   * Copies for answers that use little of a page, in pieces of `copySlabBytes` that are used again. Copies that find no
   * room get memory of their own.
   */
  copiedBytesMax: 32 * MiB,
  copySlabBytes: 4 * MiB,

  /**
   * Pointers of one partition that an agent remembers of the commit stream: a few seconds of a partition that fifty
   * agents write.
   */
  recentPointersPerPartitionMax: 4096,

  /** Pointers of all partitions that an agent remembers of the commit stream, about 50 bytes each. */
  recentPointersMax: 512 * 1024,

  /** Batches of one partition of another cluster that are appended at once, and of one file of such copies. */
  copiedPartBatchesMax: 65_536,

  /** Bytes of one partition of another cluster that are appended at once: what one answer of its brokers has. */
  appendedCopyBytesMax: 256 * MiB,

  /** Partitions that long polls of one agent may wait for. A long poll beyond it ends with its own time. */
  growthWaitersMax: 1024 * 1024,

  /**
   * Uploads that lost against a second one, or failed, and wait until they are deleted. Further ones are left to the
   * scan for orphans.
   */
  deadFilesMax: 4096,

  /**
   * Connections of the Kafka port per processor; each costs an agent some kilobytes even when it is silent. A port that
   * has so many takes a new one in place of one that is half-sent or idle, of the address with the most; a few more are
   * for addresses that have hardly any.
   */
  connectionsPerCpuMax: 32_768,
  reservedConnectionsMax: 64,

  /** Connections that wait to be accepted by one thread. The system may allow fewer. */
  listenBacklog: 1024,

  /** Requests of one connection that are answered at the same time. */
  requestsInFlightPerConnectionMax: 64,

  /**
   * What is read of a connection beyond `requestsInFlightPerConnectionMax`, so that its end is seen. It also counts
   * in the memory of all requests.
   */
  readAheadBytesPerConnectionMax: 4 * MiB,

  /**
   * Bytes of requests of one connection that wait for their answer, beyond which it is not read. One frame may
   * exceed it.
   */
  requestBytesInFlightPerConnectionMax: 64 * MiB,

  /**
   * Bytes of requests of all connections that are received or wait for their answer, per processor and at most.
   * Beyond it no connection may begin another frame, and at twice of it a connection whose unfinished frame grows is
   * closed.
   */
  requestBytesInFlightPerCpuMax: 256 * MiB,
  requestBytesInFlightMax: 1024 * MiB,

  /**
   * Bytes of answers of all connections that are built or wait to be sent, per processor and at most. Beyond it no
   * connection may begin another request, and one that does not read is closed after a short time.
   */
  responseBytesPerCpuMax: 128 * MiB,
  responseBytesMax: 1024 * MiB,

  /** Metadata requests of an agent that wait for their turn. Further ones are answered with a retriable error. */
  metadataRequestsWaitingMax: 4096,

  /** Requests for agents that wait for the leader. Further ones are answered by what the agent knows. */
  settlingRequestsMax: 4096,

  /**
   * Metadata requests of an agent that create topics at a time, and that wait for their turn and how long. Further ones
   * are answered with a retriable error: without a leader each takes seconds.
   */
  autoCreationsMax: 64,
  autoCreationsWaitingMax: 4096,
  autoCreationWaitMsMax: 1000,

  /** Answers of one connection that wait to be sent, beyond which it is not read. One answer may exceed it. */
  responseBytesQueuedPerConnectionMax: 16 * MiB,

  /** What is handed to a socket at once. A reader that does not take this much within the deadline is too slow. */
  socketWriteBytesMax: 512 * KiB,

  /** Partitions in one page of DescribeTopicPartitions, whatever the client asks for; Apache Kafka's value. */
  describedPartitionsMax: 2000,

  /**
   * Partitions whose leaders an agent remembers, once for every way to choose them; two bytes each, and a topic
   * counts as 64 more.
   */
  placedPartitionsMax: 16 * 1024 * 1024,

  /** Producer ids that an agent takes from the cluster at a time. What is left at its end is lost, of 2^53. */
  producerIdBlock: 1000,

  /** Share sessions of one agent: Apache Kafka's `group.share.max.share.sessions`. */
  shareSessionsMax: 2_000,

  /** Partitions in all share sessions of one agent, some hundred bytes each. */
  shareSessionPartitionsMax: 200_000,

  /** Records that one ShareFetch is given, whatever it asks for. */
  shareFetchRecordsMax: 10_000,

  /**
   * Topics, users and the like that one request of an administrator may name; with the longest names they fit into
   * one call.
   */
  namedPerRequestMax: 10_000,

  /** Configs of one topic or other resource in a request that sets them: far more than there are. */
  configsPerResourceMax: 1_000,

  /**
   * Entries of a request's lists, in all, that are served in turns of so many, and those of a request that is served
   * in one turn. All topics and partitions that a cluster can have are so many. The connection of a longer request is
   * closed, as Apache Kafka closes that of one with too many bytes.
   */
  entriesPerRequestMax: 400_000,
  entriesAtOnceMax: 50_000,
  entriesPerTurnMax: 2_000,

  /** What an entry of a long list counts as, among the bytes of requests: decoded, and with its answer. */
  longListEntryBytes: 512,

  /**
   * ACLs in one CreateAcls, filters in one DeleteAcls: Apache Kafka's limit of records that one request of a user
   * makes.
   */
  aclsPerRequestMax: 10_000,

  /**
   * Users, clients and addresses whose use one agent measures because of a quota; client ids are a client's choice.
   */
  quotaSensorsMax: 20_000,

  /**
   * The longest time that a client waits because of a quota, however far it exceeded it. Connections that idle for
   * as long are closed.
   */
  quotaThrottleMsMax: 3_600_000,

  /**
   * What a client may push of its metrics at a time, as sent and as inflated. Kafka's `telemetry.max.bytes`, and
   * some more.
   */
  telemetryBytesMax: MiB,
  telemetryInflatedBytesMax: 8 * MiB,

  /** One point of those metrics with its attributes. Larger ones are counted and not read. */
  telemetryPointBytesMax: 16 * KiB,

  /** Names of metrics in the line that a push becomes; further ones are counted and not written. */
  telemetryLoggedCharsMax: 16 * KiB,

  /** Clients whose last push an agent remembers, to hold them to their interval. */
  telemetryClientsMax: 16_384,

  /** What is remembered of the name or version that a client's software gives. */
  softwareNameCharsMax: 256,

  /** The salt of a credential. Clients make some 26 bytes. */
  scramSaltBytesMax: 1024,

  /** A salted password that a client sends; only keys that are derived from it are stored. */
  scramSaltedPasswordBytesMax: 4 * KiB,

  /** Configs in one answer to DescribeConfigs, with synonyms and documentation some hundred bytes each. */
  describedConfigsMax: 500_000,

  /**
   * Batches after which a data file is closed, and those of one Produce request that are written at a time. The file is
   * built, and its commit decided, in one turn each.
   */
  fileBatchesMax: 32 * KiB,
  appendBatchesMax: 8 * KiB,

  /** Topics that an agent knows to be lightning topics. The next write to one that it forgot waits for other writes. */
  lightningTopicsMax: 20_000,

  /** Sequences of files that one call names, and the pause between two calls about them. */
  sequencesPerCallMax: 100,
  sequenceCallPauseMs: 100,

  /**
   * How often an agent with ripcord looks whether the bucket has to give it a lease. One that got none for so long that
   * an object that ended its sequence may be removed by now gets none any more.
   */
  bucketLeaseIntervalMs: 1_000,
  bucketLeaseGapMsMax: 24 * 3_600_000,

  /**
   * Files that an agent with ripcord has acknowledged and not committed, and their batches, about 60 bytes each. What
   * is beyond, as while there is no leader, is left to a job, which reads it from the bucket.
   */
  sealedFilesMax: 4_096,
  sealedBatchesMax: 512 * KiB,

  /** Batches in one commit call, unless a single file has more. About 80 bytes each. */
  commitBatchesMax: 32 * KiB,

  /**
   * What the batches of one Produce request may take uncompressed when headers of their records are changed. The
   * batches that a client can send are a fraction of it, and the rewritten ones are in memory until they are
   * written.
   */
  rewrittenRequestBytesMax: 512 * MiB,

  /** Authors whose rights are remembered while the records of one topic in one request are checked. */
  impersonatedNamesMax: 1024,

  /** Producers whose lost batch an agent remembers for some seconds; the oldest are forgotten first. */
  lostSequencesMax: 10_000,

  /**
   * How long a request that may be late is held. By then the agent knows whether its client has left the connection,
   * whose end follows the request.
   */
  lateRequestHoldMs: 50,

  /** A client that names a longer time to wait for its write is answered after this one. */
  produceTimeoutMsMax: 300_000,

  /** The time between attempts to open a bucket of the cluster that could not be used. */
  bucketRetryMs: 5_000,

  /** Pages that are read from the store at a time; each is a buffer of 4 MiB that no limit of the cache counts. */
  pageReadsMax: 32,

  /** Pages that all readers of an agent together have asked for before they came to them. */
  readaheadPagesMax: 16,

  /** Pages that an agent remembers to have read in part; what is read again of them is loaded as a page. */
  partlyReadPagesMax: 10_000,

  /** Files that were not merged are read by pages up to this age: all consumers of a topic need the same ones. */
  newFileAgeMs: 10 * 60 * 1000,

  /**
   * Files on this machine whose checked batches an agent remembers, some hundred bytes each, and for how long: then
   * they are checked once more, so that a disk that damages files is noticed.
   */
  checkedFilesMax: 16_384,
  checkedFileAgeMs: 60 * 60 * 1000,

  /**
   * Pages that are read from other agents at a time, and from one of them. Apart from reads of the store, which must
   * go on while two agents wait for each other.
   */
  peerPageReadsMax: 32,
  peerPageReadsPerPeerMax: 8,

  /** Other agents that an agent with ripcord looks for at a time, to know which live while there is no leader. */
  leaderlessPeersMax: 32,

  /** The status and headers of an answer of another agent, and what is read of its body with them. */
  peerAnswerHeadBytesMax: 16 * KiB,

  /**
   * Pages that wait for one other agent. Beyond it they come from the store, which has more than eight connections.
   */
  peerPageReadsWaitingMax: 64,

  /**
   * Pages that are read for other agents or sent to them at a time. Further ones are refused, and the other agent
   * reads the store.
   */
  peerPagesServedMax: 64,

  /** Fetch sessions of one agent. Beyond it clients fetch without one, unless another has been idle for long. */
  fetchSessionsMax: 10_000,

  /** Partitions in all fetch sessions of one agent, some hundred bytes each. */
  fetchSessionPartitionsMax: 1_000_000,

  /**
   * Heartbeats, or partitions of offset commits and questions, that an agent puts into one call. About 200 bytes
   * each.
   */
  gatheredRowsMax: 10_000,

  /** Topics that one Metadata request may create by asking for them. */
  autoCreatedTopicsMax: 100,

  /** The answer of a metadata service: the description of a Kubernetes node lists every image that it ever ran. */
  zoneAnswerBytesMax: 4 * MiB,

  /** Addresses in unknown zones that are logged, once each. */
  zoneWarningsMax: 256,

  /** Client ids whose features an agent remembers; they are a client's choice. */
  rememberedClientIdsMax: 4096,

  /**
   * Damaged ranges that an agent remembers, about 300 bytes each, and how many of them it checks again in a round.
   */
  damagedRangesMax: 1_000,
  damageRechecksMax: 16,

  /** Background appends that wait for the next file. */
  backgroundBytesMax: 16 * MiB,

  /** Transactions that one WriteTxnMarkers request aborts; for the others it is to be sent again. */
  abortedTransactionsPerRequestMax: 100,

  /** Transactions that one AddPartitionsToTxn request adds to or asks about; others are to be sent again. */
  transactionsPerRequestMax: 50,
} as const;
