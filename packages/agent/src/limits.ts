import { KiB, MiB } from '@weir/core';

/** Limits of one agent: connections, requests, memory, security, and what it reports. */
export const agentLimits = {
  /** An object that is written to find out whether a bucket that refused writes takes them again. */
  writeProbeBytesMax: MiB,

  /** Input of one merge of files in memory; its windows and what is read ahead. */
  mergeReadBytesMax: 128 * MiB,

  /**
   * Memory for the keys of a partition that is compacted, 24 bytes each. A job that meets more keys ends before them,
   * and the next one continues.
   */
  keyMapBytesMax: 64 * MiB,

  /** The same, and input in memory, where the bucket is in memory and keys are compacted between requests. */
  localKeyMapBytesMax: 8 * MiB,
  localKeyReadBytesMax: 16 * MiB,

  /** A merge closes a file before it is larger. Positions in files have 32 bits. */
  mergedFileBytesMax: 1024 * MiB,

  /** What one pointer into a merged file covers, unless a batch is larger: so precise are retention and seeks. */
  mergedPointerBytesMax: 4 * MiB,

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
   * Pages share pieces of memory of this size, each used again when none of its pages is in use. They lie one behind
   * the other, and usually leave the cache in the same order. A few pages fit, so that little is left at the end.
   */
  pageSlabBytes: 16 * MiB,

  /**
   * All pieces of `pageSlabBytes`, beyond the size of the page cache: for pages that are being read, or that the cache
   * dropped before the answers with them were sent. Pages that find no room get memory of their own.
   */
  uncachedPageBytesMax: 96 * MiB,

  /**
   * Pointers of one partition that an agent remembers of the commit stream: a few seconds of a partition that fifty
   * agents write.
   */
  recentPointersPerPartitionMax: 4096,

  /** Pointers of all partitions that an agent remembers of the commit stream, about 50 bytes each. */
  recentPointersMax: 512 * 1024,

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
   * in one turn. The connection of a longer request is closed, as Apache Kafka closes that of one with too many bytes.
   */
  entriesPerRequestMax: 400_000,
  entriesAtOnceMax: 50_000,
  entriesPerTurnMax: 2_000,

  /**
   * ACLs in one CreateAcls, filters in one DeleteAcls: Apache Kafka's limit of records that one request of a user
   * makes.
   */
  aclsPerRequestMax: 10_000,

  /**
   * Decisions about clients that an agent remembers until a rule changes, unless a name is longer than this. About
   * 300 bytes each.
   */
  aclDecisionsMax: 64 * KiB,
  aclDecisionNameCharsMax: 256,

  /** Denials that an agent remembers, so that it logs each of them now and then only. */
  aclDenialsMax: 4096,

  /** Lines about denials that an agent logs per second, whatever happens. */
  aclDenialsLoggedPerSecond: 50,

  /** Events about what ACLs allowed that an agent emits per second, while those events are on. */
  aclAllowancesPerSecond: 20,

  /**
   * Rules that can never match which an agent logs one by one when it learns of them; it logs the number of the
   * others.
   */
  aclInvalidRulesLoggedMax: 20,

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

  /** The answer to a request for an agent token. */
  tokenAnswerBytesMax: 64 * KiB,

  /** The salt of a credential. Clients make some 26 bytes. */
  scramSaltBytesMax: 1024,

  /** A salted password that a client sends; only keys that are derived from it are stored. */
  scramSaltedPasswordBytesMax: 4 * KiB,

  /** Configs in one answer to DescribeConfigs, with synonyms and documentation some hundred bytes each. */
  describedConfigsMax: 500_000,

  /**
   * Batches in one data file, and so partitions in one Produce request: a commit is one frame to the control plane.
   */
  fileBatchesMax: 64 * KiB,

  /** Batches in one commit call, unless a single file has more. About 80 bytes each. */
  commitBatchesMax: 64 * KiB,

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
   * Pages that are read from other agents at a time, and from one of them. Apart from reads of the store, which must
   * go on while two agents wait for each other.
   */
  peerPageReadsMax: 32,
  peerPageReadsPerPeerMax: 8,

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

  /** A PROXY header with all its fields. Proxies send some dozens of bytes, and rarely some hundreds. */
  proxyHeaderBytesMax: 4 * KiB,

  /** A SPIFFE id, by its standard. */
  spiffeIdCharsMax: 2048,

  /** A file with certificates. All authorities that browsers trust together take a quarter of it. */
  tlsFileBytesMax: MiB,

  /** Topics that one Metadata request may create by asking for them. */
  autoCreatedTopicsMax: 100,

  /** The answer of a metadata service: the description of a Kubernetes node lists every image that it ever ran. */
  zoneAnswerBytesMax: 4 * MiB,

  /** Addresses in unknown zones that are logged, once each. */
  zoneWarningsMax: 256,

  /** Client ids whose features an agent remembers; they are a client's choice. */
  rememberedClientIdsMax: 4096,

  /** A frame of a client that has not logged in yet: Kafka's `sasl.server.max.receive.size`. */
  frameBytesBeforeLoginMax: 512 * KiB,

  /** One token of a login. The largest are those of OAuth, with groups and roles. */
  saslTokenBytesMax: 64 * KiB,

  /** Passwords whose check is remembered, right ones and wrong ones each: about 150 bytes. */
  rememberedLoginsMax: 20_000,

  /**
   * Passwords that wait to be checked, of all clients and of one address. Each takes a processor some milliseconds.
   */
  waitingLoginsMax: 8192,
  waitingLoginsPerAddressMax: 512,

  /** Failed logins whose answer is delayed. The connections of further ones are closed without an answer. */
  delayedRefusalsMax: 10_000,

  /** Clients, users and topics with invalid records that an agent remembers until it has reported them. */
  notedClientsMax: 256,
  notedTopicsMax: 256,
  notedLoginsMax: 1_000,

  /**
   * Damaged ranges that an agent remembers, about 300 bytes each, and how many of them it checks again in a round.
   */
  damagedRangesMax: 1_000,
  damageRechecksMax: 16,

  /** Points in one request to a collector. A point is about 600 bytes. */
  pushedPointsMax: 2_000,

  /** What is read of a collector's answer, which may list what it rejected. */
  collectorAnswerBytesMax: 16 * KiB,

  /** Sidecars of one topic of events that are looked at. A day has some dozens. */
  eventSidecarsPerTopicMax: 50_000,

  /** The length of a sidecar, which its writer holds until the bucket has it. */
  eventSidecarBytesMax: 128 * MiB,

  /** Events of one agent that wait to be written, or whose outcome is unknown yet. Further ones are dropped. */
  eventQueueBytesMax: 16 * MiB,
  eventQueueCountMax: 50_000,

  /** What a batch of events may inflate to: all that a writer holds, with what is around each event. */
  eventBatchInflatedBytesMax: 32 * MiB,

  /** Background appends that wait for the next file. */
  backgroundBytesMax: 16 * MiB,

  /** Metrics of a cluster that become events once a minute. */
  clusterMetricEventsMax: 20_000,

  /**
   * An upload in parts that was begun this long ago belongs to a process that died: a plan of a merge is given up after
   * two hours.
   */
  incompleteUploadAgeMsMin: 24 * 3_600_000,

  /** Nesting and values of a body of a request to the schema registry. A schema is one string of it. */
  registryRequestDepthMax: 64,
  registryRequestValuesMax: 100_000,
  /** How often a parameter of its query may be repeated. */
  registryListedParametersMax: 100,
  /** How long a body may take to arrive. */
  registryBodyMsMax: 15_000,

  /**
   * Connections of an HTTP port of an agent: its own, that of the schema registry, and that of other agents. A port
   * that has so many takes a new one in place of one that is half-sent or idle, of the address with the most; a few
   * more are for addresses that have hardly any, such as those of probes.
   */
  httpConnectionsMax: 4096,
  httpReservedConnectionsMax: 64,

  /** Requests that an HTTP connection may send before it has read the answer to the first. They wait their turn. */
  httpRequestsWaitingMax: 16,

  /** How long a peer of an HTTP port may leave a part of an answer unread, and what all of them may leave, about. */
  httpUnreadMsMax: 300_000,
  httpUnreadBytesMax: 1024 * MiB,

  /**
   * Requests to the schema registry that run at a time, bodies of such requests, and long answers that are being read;
   * beyond, requests get 503. One client, or one address, has at most half of each.
   */
  registryRequestsMax: 512,
  registryBodiesBytesMax: 64 * MiB,
  registryAnswersBytesMax: 64 * MiB,

  /** Syncs of schema linking and jobs of exporters that run at a time on an agent of a schema registry cluster. */
  registryJobsMax: 4,

  /** How long a request to the schema registry may run, and how long a client may take to read its answer. */
  registryRequestMsMax: 30_000,
  registryAnswerMsMax: 60_000,

  /** A list is sent in pieces of this size, so that a long one is never in memory as a whole. */
  registryAnswerPieceBytes: 64 * KiB,

  /**
   * Bodies of requests for records over HTTP: the size of one, of all in memory, and their nesting and values. JSON is
   * parsed on the serving thread, since to pass its values between threads takes as long as to parse them; the number
   * of values bounds how long.
   */
  httpBodyBytesMax: 8 * MiB,
  httpBodiesBytesMax: 64 * MiB,
  httpBodyDepthMax: 32,
  httpBodyValuesMax: 200_000,

  /**
   * Bodies of this size are parsed with other work between two of them, and their values are counted in parts of so
   * many characters.
   */
  httpLargeBodyBytesMin: 256 * KiB,

  /** Values of a body whose numbers keep more digits than a double has, which takes many times as long to parse. */
  httpExactBodyValuesMax: 20_000,

  /** Partitions, or topics, that one produce or fetch over HTTP may have. */
  httpPartitionsMax: 10_000,

  /** Requests for records over HTTP that run at a time; further ones get 503. */
  httpDataRequestsMax: 512,

  /**
   * Requests over HTTP of clients that have exceeded a quota: how long one may wait to be served, how many wait, and
   * how many of those that share a quota. Further ones, and those that would wait longer, get 429.
   */
  httpThrottleWaitMsMax: 10_000,
  httpThrottledRequestsMax: 256,
  httpThrottledRequestsPerQuotaMax: 32,

  /** How long a fetch over HTTP may wait for records: less than the time after which a silent connection is closed. */
  httpWaitMsMax: 10_000,

  /** What a batch, and the batches of a partition in one answer, may inflate to in a fetch over HTTP. */
  httpBatchInflatedBytesMax: 128 * MiB,
  httpFetchInflatedBytesMax: 64 * MiB,

  /** What all batches that are inflated for answers over HTTP may take before further ones wait, and then get 503. */
  httpInflatedBytesMax: 128 * MiB,

  /** A record in an answer over HTTP: its key, value and headers, the number of these, and what is decoded of it. */
  httpRecordBytesMax: 32 * MiB,
  httpRecordHeadersMax: 10_000,
  httpFormattedRecordBytesMax: 4 * MiB,

  /**
   * Characters of records in one answer whose keys or values are decoded, after which no further record is begun: a
   * small payload can be large as JSON.
   */
  httpFetchFormattedCharsMax: 16 * MiB,

  /** Answers over HTTP that are compressed at a time, others being sent as they are, and the shortest such. */
  httpCompressedAnswersMax: 16,
  httpCompressedCharsMin: 1 * KiB,

  /** A key or value that is shown as the JSON that it is, and its nesting. It is parsed on the serving thread. */
  httpJsonPayloadBytesMax: 1 * MiB,
  httpJsonPayloadDepthMax: 500,

  /**
   * Records that a person reads in the console: partitions of one read, the size of a value in a list and alone, of a
   * key, and of all headers, and the size of the answer, beyond which the rest is left to the next read.
   */
  browsedPartitionsMax: 500,
  browsedValueBytesMax: 64 * KiB,
  browsedWholeBytesMax: 1 * MiB,
  browsedKeyBytesMax: 4 * KiB,
  browsedHeadersBytesMax: 16 * KiB,
  browsedAnswerBytesMax: 4 * MiB,

  /** Lines of one request of log intake, and the bytes of one record and of all that they become. */
  logIntakeLinesMax: 50_000,
  logIntakeRecordBytesMax: MiB,
  logIntakeRecordsBytesMax: 32 * MiB,

  /** Attributes, labels or tags of a line or of what it belongs to, and the text of the labels of a stream. */
  logIntakeAttributesMax: 256,
  logIntakeLabelsBytesMax: 64 * KiB,

  /** Values in a line, their nesting, and that of a body that has each of them in several objects and lists. */
  logIntakeValuesMax: 10_000,
  logIntakeDepthMax: 16,
  logIntakeBodyDepthMax: 80,

  /**
   * Steps of parsing one request of log intake: fields, values, and lines, blank and empty ones too. It is more than
   * the largest batches of shippers take; a small compressed body can be of many times as many.
   */
  logIntakeStepsMax: 4_000_000,

  /** How long a profile and a trace of an agent may take, and how much JSON a trace may be before it ends. */
  debugProfileSecondsMax: 60,
  debugTraceSecondsMax: 30,
  debugTraceCharsMax: 32 * MiB,

  /** A speed test: its size, how many run at a time, and how long one may take. */
  speedTestBytesMax: 1024 * MiB,
  speedTestsMax: 2,
  speedTestMsMax: 60_000,

  /** Consumer instances of the REST proxy: all of an agent, and those of one principal; further ones get 429. */
  httpConsumersMax: 1_000,
  httpConsumersPerPrincipalMax: 100,

  /** Topics or partitions that one request about a consumer instance may name. */
  httpConsumerEntriesMax: 1_000,

  /** Characters of the name of a consumer instance. */
  httpConsumerNameCharsMax: 256,

  /** How long a consumer instance without requests stays, as in Confluent's REST proxy. */
  httpConsumerIdleMsMax: 300_000,

  /** Requests about one consumer instance that wait for the one that runs; further ones get 503. */
  httpConsumerWaitingMax: 8,

  /** Keys and values in one answer of a consumer instance, and the JSON of all such answers in memory. */
  httpConsumerAnswerBytesMax: 8 * MiB,
  httpConsumerAnswersBytesMax: 64 * MiB,

  /** Orphans that a scan holds back while they are a suspicious share of the files. Beyond it the scan stops. */
  heldOrphansMax: 1_000,

  /** Ranges of partitions in one commit of a merge, and old pointers that these may have: some milliseconds each. */
  compactionRangesPerCommitMax: 500,
  compactionPointersPerCommitMax: 16_384,
} as const;
