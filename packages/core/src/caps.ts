import { KiB, MiB } from './bytes.ts';

/**
 * Every limit on what a peer can make grow. A limit that is not here does not exist, so look here first.
 *
 * Values that operators may change are flags; these are their hard ends and the ones nobody should change.
 */
export const caps = {
  /** The largest request frame a server accepts, Apache Kafka's `socket.request.max.bytes` of 100 MiB plus room for one 256 MiB message. */
  requestFrameBytesMax: 356 * MiB,

  /** The largest response frame a client accepts: 256 MiB of uncompressed records per fetch, plus headers. */
  responseFrameBytesMax: 512 * MiB,

  /**
   * The number of array elements in one decoded message. A compact empty struct is one byte on the wire and about
   * sixty in memory, so that without this a 100 MiB frame could claim gigabytes.
   */
  decodedElementsMax: 2 * 1024 * 1024,

  /** A record batch may not inflate beyond this: the largest message of the interface. */
  decompressedBatchBytesMax: 256 * MiB,

  /**
   * What the batches of one Produce may inflate to together, where somebody has to look inside: this much, or so many times the bytes that came, or
   * the largest record that the topic takes. A few kilobytes can inflate to gigabytes, and no data of a producer is so repetitive.
   */
  inflatedRequestBytesMax: 64 * MiB,
  inflatedRequestTimesMax: 32,

  /** How much of that is done at once, between two other requests. The rest is inflated aside and walked in slices. */
  inflatedAtOnceBytesMax: 512 * KiB,

  /** The same for all requests of an agent together: a connection may have sent hundreds, and all of them are read in one turn. */
  inflatedPerTurnBytesMax: 2 * MiB,

  /** Batches of an agent that are inflated aside at a time, and so in memory. Each takes a thread of the pool, of which others need some too. */
  offThreadInflationsMax: 2,

  /** Records that are walked before others get their turn: about a millisecond. */
  walkedRecordsPerTurnMax: 10_000,

  /**
   * The number of separately compressed blocks in one batch. Each costs a call into native code however small it is, so
   * that a request full of empty blocks would hold the thread for a minute. The oldest clients cut snappy blocks at 1 KiB,
   * and this many of those are 64 MiB; today's cut at 32 KiB and more.
   */
  compressedBlocksMax: 64 * 1024,

  /** Every zstd frame costs a fresh decompression context, about 12 µs, and no client is known to write more than one. */
  zstdFramesMax: 1024,

  /** The record errors in one answer. A batch can hold millions of bad records, and nobody reads that many. */
  recordErrorsMax: 1000,

  /**
   * A frame's length is a claim until its bytes have come. Up to here it is believed and the frame gets its buffer at once;
   * beyond, the buffer grows with what was received, so that four bytes cannot reserve hundreds of megabytes.
   */
  believedFrameBytesMax: 2 * MiB,

  /** Frames that carry records share pieces of memory of this size, each used again when all of its frames are done with. */
  frameSlabBytes: 4 * MiB,

  /** All of those pieces. Frames that find no room in them, because clients are slow, get memory of their own. */
  framePoolBytesMax: 64 * MiB,

  /** Slices below this are copied next to their neighbours, because one `writev` entry costs more than the copy. */
  copiedSliceBytesMax: 4 * KiB,

  /** The largest frame that an agent may send to the control plane: a commit of a file is about 80 bytes per batch. */
  rpcCallBytesMax: 16 * MiB,

  /** The part of it that is JSON. Parsed, it may take ten times its length. */
  rpcCallBodyBytesMax: 4 * MiB,

  /** What the control plane takes in beyond that, so that an agent is told that a call is too large instead of being cut off. */
  rpcCallSurplusBytesMax: 1 * MiB,

  /** Entries of a list in one call; longer ones go in several. With two hundred bytes of JSON each they fit, and other calls get their turn between. */
  rpcCallEntriesMax: 10_000,

  /** The largest frame that the control plane sends: a snapshot, with 16 bytes per partition and some hundred per topic. */
  rpcReplyBytesMax: 256 * MiB,

  /** A column of no elements is 8 bytes on the wire and about two hundred in memory. */
  rpcColumnsMax: 128 * 1024,

  /** How deeply lists and objects in a frame may be nested. */
  rpcDepthMax: 32,

  /** Calls of one agent that wait for an answer, the ones that wait for their turn or for a connection included. */
  rpcPendingCallsMax: 4096,

  /** Calls of one connection that the control plane works on at a time. It tells the agent, which keeps to it. */
  rpcRunningCallsMax: 256,

  /** Calls of one connection that wait for other agents' calls, as members of a group wait for each other. They cost no work meanwhile. */
  rpcWaitingCallsMax: 16_384,

  /** Answers per agent that are kept in case they got lost. An agent confirms them long before. */
  rpcRememberedRepliesMax: 32_768,

  /** Agents whose answers are remembered after their connection was lost. */
  rpcRememberedClientsMax: 10_000,

  /** Unsent changes per connection. A follower that is further behind loses them and gets a snapshot when it has caught up. */
  rpcQueuedPushBytesMax: 16 * MiB,

  /** Unsent bytes of any kind per connection, not counting a snapshot. An agent that reads too slowly for this is cut off. */
  rpcQueuedBytesMax: 64 * MiB,

  /** Connections to a control-plane process, agents and probes together. */
  controlPlaneConnectionsMax: 16_384,

  /** All headers of one request to the control plane. */
  controlPlaneHeaderBytesMax: 16 * KiB,

  /** A peer of the control plane has this long for its headers, for its whole request, and for the body of a call of the API or of a model. */
  controlPlaneHeadersMsMax: 10_000,
  controlPlaneRequestMsMax: 15_000,
  apiBodyMsMax: 10_000,

  /** Requests that a connection may send before it has read the answer to the first. They wait their turn. */
  controlPlaneRequestsWaitingMax: 16,

  /**
   * How long a peer may leave a part of an answer unread, and what all of them may leave, about. The largest answer, eight megabytes of events, gets
   * there within this over a line of a megabit and a half.
   */
  controlPlaneUnreadMsMax: 60_000,
  controlPlaneUnreadBytesMax: 256 * MiB,

  /** Pointers of one partition that an agent remembers of the commit stream: a few seconds of a partition that fifty agents write. */
  recentPointersPerPartitionMax: 4096,

  /** Pointers of all partitions that an agent remembers of the commit stream, about 50 bytes each. */
  recentPointersMax: 512 * 1024,

  /** Partitions that long polls of one agent may wait for. A long poll beyond it ends with its own time. */
  growthWaitersMax: 1024 * 1024,

  /** Connections per processor; each costs an agent some kilobytes even when it is silent. */
  connectionsPerCpuMax: 32_768,

  /** Requests of one connection that are answered at the same time. */
  requestsInFlightPerConnectionMax: 64,

  /** What is read of a connection behind those, so that its end is seen. It is also counted in the memory of all requests. */
  readAheadBytesPerConnectionMax: 4 * MiB,

  /** Bytes of requests of one connection that wait for their answer, beyond which it is not read. One frame may exceed it. */
  requestBytesInFlightPerConnectionMax: 64 * MiB,

  /**
   * Bytes of requests of all connections that are received or wait for their answer, per processor and at most. Beyond it no
   * connection may begin another frame, and at twice of it a connection whose unfinished frame grows is closed.
   */
  requestBytesInFlightPerCpuMax: 256 * MiB,
  requestBytesInFlightMax: 1024 * MiB,

  /**
   * Bytes of answers of all connections that are put together or wait to be sent, per processor and at most. Beyond it nobody
   * may begin another request, and who does not read is closed after a short time.
   */
  responseBytesPerCpuMax: 128 * MiB,
  responseBytesMax: 1024 * MiB,

  /** Metadata requests of an agent that wait for their turn. Clients of further ones are told to ask again. */
  metadataRequestsWaitingMax: 4096,

  /** Answers of one connection that wait to be sent, beyond which it is not read. One answer may exceed it. */
  responseBytesQueuedPerConnectionMax: 16 * MiB,

  /** What is handed to a socket at once. A reader that does not take this much within the deadline is too slow. */
  socketWriteBytesMax: 512 * KiB,

  /** Partitions of one topic, the most that any published tier of the interface has in a whole cluster. */
  partitionsPerTopicMax: 200_000,

  /** Partitions in one page of DescribeTopicPartitions, whatever the client asks for; Apache Kafka's value. */
  describedPartitionsMax: 2000,

  /** Partitions whose leaders an agent remembers, once for every way to choose them; two bytes each, and a topic counts as 64 more. */
  placedPartitionsMax: 16 * 1024 * 1024,

  /** Producer ids that an agent takes from the cluster at a time. What is left at its end is lost, of 2^53. */
  producerIdBlock: 1000,

  /** Partitions of all topics of a cluster. Each costs its leader about 200 bytes, and 450 more as soon as it has data. */
  partitionsPerClusterMax: 200_000,

  /** Partitions including those of deleted topics whose data is still kept, so that making and deleting topics has an end too. */
  partitionsHeldMax: 400_000,

  /**
   * Partitions that an idempotent producer wrote to, counted per producer, and remembered to recognise what it sends twice.
   * Beyond it the one that was silent longest is forgotten and may go on with any sequence. About 220 bytes each.
   */
  producerStatesMax: 1_000_000,

  /** A producer that wrote nothing to a partition for this long is forgotten there: Kafka's `producer.id.expiration.ms`. */
  producerStateMsMax: 24 * 3_600_000,

  /** Producer ids that are handed out in one call. */
  producerIdsPerCallMax: 1_000_000,

  /**
   * Files whose commit is remembered, so that a repeated one gets its first answer: what 300 agents write in three minutes. A
   * commit whose answer was lost must be repeated before this many others, or not at all.
   */
  recentFilesMax: 256 * 1024,

  /** The answers of those files together; the oldest go first. */
  recentFileReplyBytesMax: 256 * MiB,

  /** Nobody repeats a commit after this long: its producers have given up. */
  recentFileMsMax: 15 * 60_000,

  /** Requests of agents whose answers a cluster remembers, so that one whose answer was lost is not done twice. */
  recentRequestsMax: 64 * 1024,

  /** The answers of those requests together; the oldest go first. */
  recentRequestReplyBytesMax: 64 * MiB,

  /** Nobody repeats a request after this long: it is more than any deadline. */
  recentRequestMsMax: 15 * 60_000,

  /** The id of such a request: the id of a client, and a number. */
  requestIdCharsMax: 128,

  /** Records of a cluster, the small values that coordinators keep: one per group, quota, credential. */
  recordsMax: 1_000_000,

  /** Those records together, in memory and in every snapshot. */
  recordBytesMax: 1024 * MiB,

  /** One record. The largest is a classic group with what all of its members say and are told. */
  kvValueBytesMax: 24 * MiB,

  /** Offsets that all groups of a cluster have committed, about 110 bytes each. */
  committedOffsetsMax: 2_000_000,

  /** Group ids and metadata of those offsets together, in characters. */
  offsetTextCharsMax: 128 * MiB,

  /** Where `offset.metadata.max.bytes` ends. */
  offsetMetadataCharsMax: 64 * KiB,

  /** A group id, a member's id or its name. Apache Kafka takes 32,767 and nobody uses them. */
  groupNameCharsMax: 1024,

  /** Groups that a leader coordinates, those that only have offsets not counted. */
  groupsMax: 100_000,

  /** Members of one group, those with an id who have not joined yet included: where `group.max.size` ends. */
  groupMembersMax: 10_000,

  /** Members and transactional ids of a cluster whose last connection is known, so that late commits are recognised; about 200 bytes each. */
  rememberedCommittersMax: 100_000,

  /** Members of one share group: where `group.share.max.size` ends, as Apache Kafka's does. */
  shareGroupMembersMax: 1000,

  /** Partitions that share groups have begun with, each counted once for every group. About 300 bytes each. */
  sharePartitionsMax: 200_000,

  /** Ranges of records in the windows of all share partitions, some hundred bytes each. Beyond it windows do not grow. */
  shareSpansMax: 2_000_000,

  /** Share sessions of one agent: Apache Kafka's `group.share.max.share.sessions`. */
  shareSessionsMax: 2_000,

  /** Partitions in all share sessions of one agent, some hundred bytes each. */
  shareSessionPartitionsMax: 200_000,

  /** Records that one ShareFetch is given, whatever it asks for. */
  shareFetchRecordsMax: 10_000,

  /** Topics that one member of a consumer group may name. Patterns may match any number. */
  subscribedNamesMax: 10_000,

  /** Ways to assign that one member may offer. Clients have two or three. */
  memberProtocolsMax: 64,

  /** What the members of one group say of themselves, and what they are told, each. A record holds both. */
  groupMetadataBytesMax: 8 * MiB,
  groupAssignmentBytesMax: 8 * MiB,

  /** What the members of all groups of a cluster say of themselves. */
  groupsMetadataBytesMax: 512 * MiB,

  /**
   * Transactional ids of a cluster. Beyond it the one that was silent longest and has no open transaction is forgotten; its
   * producer has to begin anew. About 600 bytes each.
   */
  transactionalIdsMax: 100_000,

  /** The length of a transactional id. Clients make them of the names of applications and of their instances. */
  transactionalIdCharsMax: 2048,

  /** Transactional ids with the partitions and groups of their open transactions, by an estimate of the memory they take. */
  transactionBytesMax: 512 * MiB,

  /** A transactional id that nobody used for this long is forgotten: Kafka's `transactional.id.expiration.ms`. */
  transactionalIdMsMax: 7 * 24 * 3_600_000,

  /** No transaction may be open for longer, whatever its producer wishes: Kafka's `transaction.max.timeout.ms`. */
  transactionTimeoutMsMax: 15 * 60_000,

  /** Transactions that are aborted in one entry because their time is over, and ids that are forgotten in it. */
  expiredTransactionsPerCallMax: 1000,

  /** A config whose value is a list of whatever somebody writes. */
  configTextCharsMax: 16 * KiB,

  /** Groups that have configs of their own. */
  groupConfigsMax: 100_000,

  /** Brokers that have configs of their own. Every agent knows all of them. */
  brokerConfigsMax: 10_000,

  /** Subscriptions to metrics of clients. Every agent knows all of them. */
  clientMetricsMax: 1000,

  /** Entities that have quotas, and users that have credentials. Every agent knows all of them. */
  clientQuotasMax: 20_000,
  scramCredentialsMax: 20_000,

  /**
   * ACLs of a cluster, and what they take together. Every agent knows all of them; a snapshot for agents holds each as a column, with
   * credentials and quotas at most `rpcColumnsMax`.
   */
  aclsMax: 50_000,
  aclBytesMax: 64 * MiB,

  /** Principals that are listed when a caller asks who may do something; those who may come first. */
  explainedPrincipalsMax: 200,

  /** The name in an ACL. Longer ones of transactional ids are meant by a prefix. */
  aclResourceNameCharsMax: 1024,

  /** The host in an ACL: an address with room for its zone, or a name that somebody took for one. */
  aclHostCharsMax: 256,

  /** Topics, users and the like that one request of an administrator may name; with the longest names they fit into one call. */
  namedPerRequestMax: 10_000,

  /** ACLs in one CreateAcls, filters in one DeleteAcls: Apache Kafka's limit of records that one request of a user makes. */
  aclsPerRequestMax: 10_000,

  /** What of them an agent puts into one call, by number and by characters; JSON may write one of those as six. */
  aclsPerCallMax: 1000,
  aclCharsPerCallMax: 512 * KiB,

  /** Filters of one call that leave a field open, for which all ACLs have to be looked at. */
  aclScansPerCallMax: 64,

  /** ACLs that one call deletes, and tells. */
  aclsDeletedPerCallMax: 10_000,

  /** Decisions about clients that an agent remembers until a rule changes, unless a name is longer than this. About 300 bytes each. */
  aclDecisionsMax: 64 * KiB,
  aclDecisionNameCharsMax: 256,

  /** Denials that an agent remembers, so that it logs each of them now and then only. */
  aclDenialsMax: 4096,

  /** Lines about denials that an agent logs per second, whatever happens. */
  aclDenialsLoggedPerSecond: 50,

  /** Rules that can never match of which an agent tells one by one when it hears of them; of others it tells how many. */
  aclInvalidRulesLoggedMax: 20,

  /** Recent changes of records that an agent remembers by their keys, for whoever keeps what it made of them. */
  followedChangesMax: 4096,
  credentialsMax: 20_000,

  /** Users, clients and addresses whose use one agent measures because of a quota; client ids are a client's choice. */
  quotaSensorsMax: 20_000,

  /** Nobody has to wait for longer because of a quota, however much he took. Connections that idle for as long are closed. */
  quotaThrottleMsMax: 3_600_000,

  /** What a client may push of its metrics at a time, as sent and as inflated. Kafka's `telemetry.max.bytes`, and some more. */
  telemetryBytesMax: MiB,
  telemetryInflatedBytesMax: 8 * MiB,

  /** Names of metrics in the line that a push becomes; those beyond are counted and not written. */
  telemetryLoggedCharsMax: 16 * KiB,

  /** Clients whose last push an agent remembers, so that they keep to their interval. */
  telemetryClientsMax: 16_384,

  /** What is remembered of the name or version that a client's software gives. */
  softwareNameCharsMax: 256,

  /** A password of a user. Nobody types as many; a client may send as many in PLAIN. */
  passwordCharsMax: 1024,

  /** A file that an operator writes for the control plane: credentials, bindings of workload identities. */
  settingsFileBytesMax: 8 * MiB,

  /** Bindings of workload identities in such a file, and claim rules of one of them. Every token is held against all of an issuer. */
  workloadBindingsMax: 1000,
  workloadClaimRulesMax: 32,

  /** A request for an agent token, whose largest part is the token of a platform. */
  tokenRequestBytesMax: 64 * KiB,

  /** The answer to it. */
  tokenAnswerBytesMax: 64 * KiB,

  /** Requests for agent tokens that are worked on at a time: whoever asks has proven nothing yet. */
  tokenRequestsMax: 64,

  /** The salt of a credential. Clients make some 26 bytes. */
  scramSaltBytesMax: 1024,

  /** What a server may make a client compute when it logs in: about a second. Kafka's brokers ask for 16,384 at most. */
  scramIterationsMax: 1_000_000,

  /** The name of a user, or a client id or address that a quota is for. */
  principalNameCharsMax: 1024,

  /** Partitions and pointers that one look for old records takes on: some milliseconds. The next goes on from there. */
  retentionPartitionsPerCallMax: 2_000,
  retentionPointersPerCallMax: 10_000,

  /** Configs in one answer to DescribeConfigs, with synonyms and documentation some hundred bytes each. */
  describedConfigsMax: 500_000,

  /** Topics that one question about the sizes of logs may name. */
  logSizesPerCallMax: 10_000,

  /** Topics whose throughput the partition auto-scaler measures. */
  scaledTopicsMax: 10_000,

  /** Pointers in the answer to one question. Who wants more asks again from where the answer ends. */
  pointersPerAnswerMax: 16_384,

  /** What one read of a journal brings, and so what a standby holds while it catches up; one append may exceed it. */
  journalReadBytesMax: 8 * MiB,

  /** What one append to a journal carries. Commands beyond it wait for the next; one larger command goes alone. */
  journalAppendBytesMax: 4 * MiB,

  /** Commands and questions that wait for the journal of one cluster. Beyond, the cluster says that it is unavailable. */
  waitingCallsMax: 20_000,

  /** Entries that wait for the journal of one cluster, in bytes. */
  waitingEntryBytesMax: 64 * MiB,

  /** Changes that one follower of a cluster has not seen yet. Beyond, it starts again from a snapshot. */
  followerChangesMax: 64 * KiB,

  /** Agents of one cluster. The list is sent to each of them, so that it costs their square. */
  agentsPerClusterMax: 2_000,

  /** The highest node id that an agent is given; far below 2^24, where librdkafka crashes. Ids of agents that are gone are used again. */
  nodeIdMax: 50_000,

  /** Batches in one data file, and so partitions in one Produce request: a commit is one frame to the control plane. */
  fileBatchesMax: 64 * KiB,

  /** Batches in one commit call, unless a single file has more. About 80 bytes each. */
  commitBatchesMax: 64 * KiB,

  /**
   * What the batches of one Produce request may have without compression, when headers of their records are to be changed. The
   * batches that a client can send are a fraction of it, and those that they become are held until they are written.
   */
  rewrittenRequestBytesMax: 512 * MiB,

  /** Authors whose rights are remembered while the records of one topic in one request are looked at. */
  impersonatedNamesMax: 1024,

  /** Producers of which an agent remembers for some seconds that it lost a batch; the oldest are forgotten first. */
  lostSequencesMax: 10_000,

  /** A client that names a longer time to wait for its write is answered after this one. */
  produceTimeoutMsMax: 300_000,

  /** Long polls end after this, whatever the client asks. */
  fetchWaitMsMax: 300_000,

  /** Pages that are read from the store at a time; each is a buffer of 4 MiB that no limit of the cache counts. */
  pageReadsMax: 32,

  /** Pages that all readers of an agent together have asked for before they came to them. */
  readaheadPagesMax: 16,

  /**
   * Pages that are read from other agents at a time, and from one of them. Apart from reads of the store, which must go on
   * while two agents wait for each other.
   */
  peerPageReadsMax: 32,
  peerPageReadsPerPeerMax: 8,

  /** The status and headers of an answer of another agent, and what is read of its body with them. */
  peerAnswerHeadBytesMax: 16 * KiB,

  /** Pages that wait for one other agent. Beyond it they come from the store, which has more than eight connections. */
  peerPageReadsWaitingMax: 64,

  /** Pages that are read for other agents or sent to them at a time. Beyond it they are told to ask the store. */
  peerPagesServedMax: 64,

  /** Fetch sessions of one agent. Beyond it clients fetch without one, unless another has been idle for long. */
  fetchSessionsMax: 10_000,

  /** Partitions in all fetch sessions of one agent, some hundred bytes each. */
  fetchSessionPartitionsMax: 1_000_000,

  /** The longest key of an object, prefix included: what S3 takes. */
  objectKeyBytesMax: 1024,

  /** Connections of one agent to one bucket. Beyond it requests wait, and their time limit runs. */
  storeConnectionsMax: 64,

  /** The head of an HTTP response of a store. */
  storeResponseHeadBytesMax: 64 * KiB,

  /** What is read of the text with which a store explains an error. */
  storeErrorBodyBytesMax: 64 * KiB,

  /** The footer of a log file: room for more than a million partitions in one file. */
  logFileFooterBytesMax: 64 * MiB,

  /** Heartbeats, or partitions of offset commits and questions, that an agent puts into one call. About 200 bytes each. */
  gatheredRowsMax: 10_000,

  /** Leases that one statement renews or looks at. Appends of these clusters wait meanwhile, for some milliseconds. */
  gatheredLeasesMax: 512,

  /** The regular expression of a client. */
  patternCharsMax: 4096,

  /**
   * What such an expression may cost, by an estimate of the instructions that it is compiled to. A list of names takes
   * less than two per character; a repetition takes four per copy and character. At this much, on a machine with a load
   * of 8 to 10 on two cores, compiling took up to 130 ms and matching the longest name of a topic up to 57 ms.
   */
  patternCostMax: 8192,

  /**
   * Programs of patterns that a process keeps, and what they take up together. A program grows to some 8 MiB while it matches, however few
   * characters it was made of; one that is not kept is compiled again when it is used.
   */
  patternProgramsMax: 4096,
  patternProgramsBytesMax: 64 * MiB,

  /** A longer text matches no pattern: the longest that has a use is a transactional id. */
  patternTextCharsMax: 2048,

  /** Work of matching, in cost times characters, until others get their turn: some milliseconds at the worst. */
  patternStepsPerTurn: 256 * 1024,

  /**
   * The same for all texts that one request has compared with a pattern: half a minute at the worst, and usually less
   * than a second.
   */
  patternStepsMax: 1_000_000_000,

  /** A PROXY header, with everything that a proxy says in it. Proxies send some dozens of bytes, and rarely some hundreds. */
  proxyHeaderBytesMax: 4 * KiB,

  /** A SPIFFE id, as its standard says. */
  spiffeIdCharsMax: 2048,

  /** A file with certificates. All authorities that browsers trust together take a quarter of it. */
  tlsFileBytesMax: MiB,

  /** Topics that one Metadata request may create by asking for them. */
  autoCreatedTopicsMax: 100,

  /** The answer of a metadata service: the description of a Kubernetes node lists every image that it ever ran. */
  zoneAnswerBytesMax: 4 * MiB,

  /** Warnings about unknown zones: an address that is in no block is told once, and so many addresses tell enough. */
  zoneWarningsMax: 256,

  /** A line that a supervised process writes. A longer one is passed on in pieces. */
  passedLineCharactersMax: 64 * KiB,

  /** Client ids whose features an agent remembers; they are a client's choice. */
  rememberedClientIdsMax: 4096,

  /** What somebody may send at a time who has yet to log in: Kafka's `sasl.server.max.receive.size`. */
  frameBytesBeforeLoginMax: 512 * KiB,

  /** One token of a login. The largest are those of OAuth, with groups and roles. */
  saslTokenBytesMax: 64 * KiB,

  /** Passwords whose check is remembered, right ones and wrong ones each: about 150 bytes. */
  rememberedLoginsMax: 20_000,

  /** Passwords that wait to be checked, of everybody and of one address. Each takes a processor some milliseconds. */
  waitingLoginsMax: 8192,
  waitingLoginsPerAddressMax: 512,

  /** Failed logins whose clients wait to be told. Those beyond lose their connection without a word. */
  delayedRefusalsMax: 10_000,

  /** An answer of the issuer of tokens: its description, or its keys. */
  issuerAnswerBytesMax: MiB,

  /** Issuers whose keys a process remembers. The one that was not asked for the longest is forgotten first, and asked again when needed. */
  rememberedIssuersMax: 1000,

  /** Sign-ins with an identity provider that are worked on at a time: whoever asks has proven nothing yet. */
  ssoSignInsRunningMax: 256,

  /** Values of the claim that names roles. An account has no more roles than that. */
  ssoRoleValuesMax: 1000,

  /** Keys in a file of secret keys: the one in use, and those that it took the place of. */
  secretKeysMax: 16,

  /** Clusters whose federations a process remembers for a moment. */
  federatedClustersMax: 10_000,

  /** Findings that are kept of one diagnostic. A cluster may have a hundred thousand groups, and all may be stuck. */
  diagnosticFindingsMax: 20,

  /** A name or a sentence in a finding, and the reason for which somebody mutes a diagnostic. Names are up to 1,024 characters long. */
  diagnosticTextCharsMax: 2048,

  /** Transitions that are kept of one diagnostic of one cluster; the oldest are forgotten first. */
  diagnosticTransitionsMax: 100,

  /**
   * What an agent reports with a heartbeat, as JSON; usually some hundred characters. The lists in it have limits of their own, and so have
   * names, which are cut off.
   */
  agentReportCharsMax: 96 * KiB,
  reportedNameCharsMax: 128,
  reportedClientsMax: 20,
  reportedBucketsMax: 8,
  reportedDenialsMax: 8,
  reportedMetricsMax: 20,
  reportedLoginsMax: 50,
  reportedExpiriesMax: 8,
  reportedDamagedFilesMax: 8,
  reportedDamagedPartitionsMax: 8,

  /**
   * What a report tells of connected clients, as JSON: kinds of software with the most connections first, and a few principals and client
   * ids of each. Clients choose all of these names. A leader keeps the last of each agent, so much of all agents together.
   */
  reportedSoftwareCharsMax: 16 * KiB,
  reportedSoftwareNamesMax: 5,
  clusterSoftwareCharsMax: 2 * MiB,

  /** Kinds of client software of one cluster that are listed, and the principals, client ids and agents of each. */
  listedSoftwareMax: 500,
  listedSoftwareNamesMax: 20,

  /** Clients and users of which an agent remembers something until it has reported it. */
  notedClientsMax: 256,
  notedLoginsMax: 1_000,

  /** Reports of one agent that a leader keeps, and what those of all agents of a cluster may take as JSON; beyond it new ones are left out. */
  agentReportsKeptMax: 6,
  clusterReportCharsMax: 8 * MiB,

  /** Users of one cluster whose last login a leader remembers; about 100 bytes each. */
  lastLoginsMax: 10_000,

  /** Agents of one cluster that are told of as lost. */
  lostAgentsMax: 100,

  /** Damaged ranges that an agent remembers, about 300 bytes each, and how many of them it looks at again in a round. */
  damagedRangesMax: 1_000,
  damageRechecksMax: 16,

  /** Damaged files of one cluster that a look tells apart, of those that all agents have reported. */
  diagnosedDamagedFilesMax: 100,

  /** Groups of one cluster whose progress is followed from look to look, and their partitions. About 150 bytes each. */
  diagnosedGroupsMax: 5_000,
  diagnosedPartitionsMax: 50_000,

  /** Clients, buckets and metrics of one cluster that a look tells apart, of those that all agents have reported. */
  diagnosedClientsMax: 1_000,
  diagnosedBucketsMax: 100,
  diagnosedMetricsMax: 100,

  /** Groups of a cluster whose figures are published, and the partitions of all of them together. The first by name are. */
  publishedGroupsMax: 5_000,
  publishedGroupPartitionsMax: 100_000,

  /** Series of a cluster that the control plane tells whoever scrapes it; a line is about 150 bytes. What is added last is left out. */
  hostedSeriesMax: 30_000,

  /** Clusters that the control plane measures at a time for those who scrape, and scrapes that wait for their turn. */
  hostedLooksRunningMax: 8,
  hostedLooksWaitingMax: 256,

  /** What it remembers of them for some seconds, so that a second scrape costs no second look. */
  hostedTextsBytesMax: 64 * MiB,

  /** Points in one request to a collector. A point is about 600 bytes. */
  pushedPointsMax: 2_000,

  /** What is read of a collector's answer, which may tell what it rejected. */
  collectorAnswerBytesMax: 16 * KiB,

  /** The body of one call of the API. The largest is a list of ACLs to delete. */
  apiRequestBytesMax: 2 * MiB,
  apiRequestDepthMax: 32,
  apiRequestValuesMax: 200_000,

  /** The body of a call by an unknown caller: an address, a name, a password, a token. It is counted before it is parsed. */
  apiPublicRequestBytesMax: 16 * KiB,
  apiPublicRequestDepthMax: 4,
  apiPublicRequestValuesMax: 32,

  /** All bodies of the API that are being read, and calls that are being answered. Further ones are asked to come again. */
  apiBodiesBytesMax: 128 * MiB,
  apiCallsRunningMax: 1024,

  /** Keys in one call, each for a workspace. */
  apiKeysPerCallMax: 64,

  /** Addresses, names and keys whose calls the API counts, about a hundred bytes each. The longest silent is forgotten first. */
  apiCountedCallersMax: 50_000,

  /** Rows of one page of an answer that comes in pages, and the text that says where the next one begins. */
  apiPageRowsMax: 1000,
  apiCursorCharsMax: 4096,

  /** A text of the API that people write or read and that has no narrower limit: a reason, an explanation, a message. */
  apiTextCharsMax: 4096,

  /** An address that a user gives to the control plane, or is given by it. */
  apiUrlCharsMax: 2048,

  /** An address of electronic mail, as its standard says. */
  emailCharsMax: 254,

  /** Tags of a virtual cluster, and one name or value of them. */
  clusterTagsMax: 50,
  clusterTagCharsMax: 256,

  /** Configs in one call of the API. There are fewer that have a meaning. */
  configsPerRequestMax: 256,

  /** Users, roles, workspaces, keys, invitations and sessions of one account; a console shows them as one list each. */
  usersMax: 10_000,
  userRolesMax: 1000,
  workspacesMax: 1000,
  apiKeysMax: 20_000,

  invitationsMax: 1000,
  invitationsPerRequestMax: 100,
  sessionsPerUserMax: 100,

  /** Keys that one application key has made: a configuration for an assistant makes one, or one per workspace. */
  keysPerKeyMax: 100,

  /** Grants of one key or role: one per workspace. Every call with the key looks at all of them. */
  accessGrantsMax: 1000,

  /** Virtual clusters of one account, deleted ones that can be restored included. */
  virtualClustersMax: 10_000,

  /** Virtual clusters that one control-plane process serves. */
  hostedClustersMax: 10_000,

  /** Clusters led by other processes to which one control-plane process is connected, to answer calls about them. */
  remoteLeadersMax: 256,

  /** Roles of one user. */
  rolesPerUserMax: 100,

  /** The name of a user, and who he is to an identity provider: its issuer or its subject. */
  userNameCharsMax: 128,
  identityCharsMax: 1024,

  /** What is kept of where somebody came from and with what. */
  remoteAddressCharsMax: 64,
  userAgentCharsMax: 256,

  /** What is kept of one call in the audit log: ids and names, what an error said, and how many things it was about. */
  auditTextCharsMax: 256,
  auditMessageCharsMax: 4096,
  auditTargetsMax: 16,

  /** Kinds of refused calls that are counted into one entry of the audit log each, under a kilobyte apiece; as many again for callers together. */
  auditOpenRefusalsMax: 1_000,

  /** Keys that a control plane remembers between calls, about a kilobyte each. */
  verifiedKeysMax: 20_000,

  /** Passwords that are hashed at a time, 19 MiB and a thread of four each, and those that wait. Further ones are sent away. */
  passwordHashesRunningMax: 2,
  passwordHashesWaitingMax: 64,

  /** Diagnostics of one cluster, and the groups of one type of them that are told. */
  diagnosticsMax: 1000,
  diagnosticGroupsMax: 5,

  /** Calls that `weir apply` has under way at a time, and the length of a file that it reads. */
  applyCallsMax: 8,
  applyFileBytesMax: 16 * MiB,

  /**
   * The filter of a search for events: its text, its parentheses within each other, its conditions, the keys of a field, the values of
   * a list, and a pattern of `like`. Every event of a day may be held against all of it.
   */
  filterCharsMax: 32 * KiB,
  filterDepthMax: 32,
  filterConditionsMax: 256,
  filterPathKeysMax: 16,
  filterListValuesMax: 1000,
  filterPatternCharsMax: 1024,

  /** Problems of one filter that are told. */
  filterProblemsMax: 20,

  /** Queries about events that one agent works on at a time; further ones are sent away. */
  queriesPerAgentMax: 4,

  /** Queries of one cluster that wait for an agent to ask for work: those of a moment. */
  queriesWaitingMax: 64,

  /** What a query may ask, as JSON: a filter of any characters, and a few words. */
  queryRequestBytesMax: 256 * KiB,

  /** What an agent may answer to one query, and what the control plane holds of unfinished answers of a cluster. */
  queryAnswerBytesMax: 10 * MiB,
  queryAnswersHeldBytesMax: 64 * MiB,

  /** How long an agent waits for a query before it asks again. */
  queryWaitMsMax: 30_000,

  /** Reads from the bucket that all queries of an agent have under way, and what one query reads ahead. */
  queryReadsMax: 16,
  queryReadAheadBytesMax: 16 * MiB,

  /** Sidecars of one topic of events that are looked at. A day has some dozens. */
  eventSidecarsPerTopicMax: 50_000,

  /** The length of a sidecar, which its writer holds until the bucket has it. */
  eventSidecarBytesMax: 128 * MiB,

  /** Jobs of a cluster of which each is done by one agent at a time. */
  jobLeasesMax: 64,

  /** One event as it is written. Larger ones are dropped. */
  eventBytesMax: 1 * MiB,

  /** Events of one agent that wait to be written, or of which nobody knows yet whether they are. Further ones are dropped. */
  eventQueueBytesMax: 16 * MiB,
  eventQueueCountMax: 50_000,

  /** What an agent writes besides the records of clients, as it waits for a file that takes it along. */
  backgroundBytesMax: 16 * MiB,

  /** Figures of a cluster that are events once a minute. */
  clusterMetricEventsMax: 20_000,

  /** Events of the control plane that wait for an agent which writes them; the oldest make room. One answer has no more than a part. */
  controlPlaneEventsMax: 1_000,
  controlPlaneEventCharsMax: 2 * MiB,
  controlPlaneEventsPerCallMax: 200,

  /**
   * A message of the Model Context Protocol, messages that are being answered, and streams that wait for changes. The largest message has a filter for
   * events or two.
   */
  mcpRequestBytesMax: 256 * KiB,
  mcpRequestDepthMax: 32,
  mcpRequestValuesMax: 2_000,
  mcpRequestsRunningMax: 512,
  mcpSubscriptionsMax: 64,

  /**
   * An answer of a tool, in tokens of four characters: what it has when nobody asks for more, and what it ever has. Counted by any model's own
   * tokens it may be twice as much, which is still less than the 25,000 at which clients refuse answers.
   */
  mcpAnswerTokensUsual: 4_000,
  mcpAnswerTokensMax: 12_000,

  /** Rows of one answer of a tool, and values that one completion offers. */
  mcpRowsMax: 200,
  mcpCompletionsMax: 100,

  /** Pages of the documentation that are served, and one page. */
  docsPagesMax: 500,
  docsPageBytesMax: 2 * MiB,

  /**
   * Pipelines of a cluster, the configurations that each keeps besides the deployed one, and what one configuration may be: its bytes, the
   * parts it comes in, its words and signs, how deep it is nested, its aliases, and its values when every alias is all that it stands for. A
   * parser takes as long over the words as over a whole book of plain text, and it takes the time of a process that leads clusters.
   */
  pipelinesPerClusterMax: 500,
  pipelineConfigurationsMax: 50,
  pipelineConfigurationBytesMax: 128 * KiB,
  pipelinePartsMax: 100,
  pipelineYamlTokensMax: 20_000,
  pipelineYamlDepthMax: 64,
  pipelineYamlAliasesMax: 100,
  pipelineYamlValuesMax: 50_000,

  /** What a summary of such a configuration tells, and how long one line of it is. */
  pipelineSummaryRowsMax: 200,
  pipelineSummaryCharsMax: 256,

  /** What a search for events may reach over: a day. */
  eventsWindowMsMax: 86_400_000,

  /** What one query for events gives back: rows, events around one, and all of them together as JSON. */
  eventRowsMax: 100,
  eventNeighboursMax: 20,
  eventAnswerBytesMax: 8 * MiB,

  /** What one query for events may look at, decompressed, and how long. Beyond it gives what it has, and says so. */
  eventQueryBytesMax: 16 * 1024 * MiB,
  eventQueryMsMax: 30_000,

  /** Series of a timeline, and the values of a field that are told apart while they are counted, before the series are chosen. */
  eventSeriesMax: 50,
  eventGroupsMax: 5000,

  /** The fields of events: how many events are looked at, fields told, values of a field told apart, and values told. */
  eventFieldSampleMax: 2000,
  eventFieldsMax: 500,
  eventFieldDistinctMax: 1000,
  eventFieldValuesMax: 10,

  /** Results about parts of the log that an agent keeps between queries, and what it holds of a query's records at a time. */
  eventQueryCacheBytesMax: 64 * MiB,
  eventScanBytesMax: 4 * MiB,

  /** Threads that look at events, however many cores there are. */
  eventQueryThreadsMax: 8,

  /**
   * Sidecars of events: the events of a stripe, its columns, the keys of a path, the values of a column that has a dictionary, in number and in
   * characters, a chunk when it is unpacked, and the footer of a file.
   */
  sidecarStripeEventsMax: 64 * 1024,
  sidecarColumnsMax: 256,
  sidecarPathKeysMax: 16,
  sidecarDictionaryMax: 4096,
  sidecarDictionaryCharsMax: 64 * KiB,
  sidecarChunkBytesMax: MiB,
  sidecarFooterBytesMax: 32 * MiB,
} as const;
