/** Limits of pipelines. */
export const pipelineLimits = {
  /** Messages and bytes that a pipeline has read and not yet written. */
  inFlightMessagesMax: 20_000,
  inFlightBytesMax: 64 * 1024 * 1024,
  /** How long a pipeline works before it lets others have a turn. */
  turnMsMax: 10,
  /** How often outputs write what they gathered while the pipeline waits for them. */
  flushEveryMs: 100,
  /** Bytes that a scanner keeps in memory to make one message. */
  scannedMessageBytesMax: 64 * 1024 * 1024,
  /** Components that resources which use others stand for, each counted as often as it is used. */
  resourceUsesMax: 10_000,
  /** Copies of the inputs or the outputs of a broker. */
  copiesMax: 100,
  /** Memory of an instance: its heap, and its buffers. One with more is ended. */
  threadHeapMiBMax: 256,
  threadBufferMiBMax: 512,
  /** An instance whose thread does not yield for this time is ended. */
  silenceMsMax: 30_000,
  /** How long an instance may take to write what it has read when it is stopped. */
  drainMsMax: 300_000,
  /** How long a process without instances waits for the next one. */
  idleHostMs: 60_000,
  /** How long an instance has a process of its own after its last one ended. */
  aloneMs: 10 * 60_000,
  /** How often an instance says what it counted, and how often one that counted nothing says so. */
  beatMs: 1_000,
  idleBeatMs: 5_000,
  /** How long an instance is idle before it gives back memory, which takes some ms. */
  idleMemoryMs: 60_000,
  /** What an instance says about one such time. */
  latenciesPerBeatMax: 200,
  processorLatenciesPerBeatMax: 20,
  stagesPerBeatMax: 50,
  customMetricsPerBeatMax: 100,
  /** Lines of the log of one instance. */
  logLinesPerSecond: 20,
  logLinesBurst: 100,
  logLineFieldsMax: 30,
  logLineCharsMax: 2_000,
  /** Bytes of the rate limit of an agent that an instance asks for at least. */
  allowanceBytesMin: 256 * 1024,
  /** Pauses before an input or an output is tried again. */
  retryMsFirst: 100,
  retryMsMax: 10_000,
  /** Bytes of a failed message that are logged if a configuration asks for them. */
  loggedPayloadBytesMax: 4096,
  /** What one message may become when it is decompressed or taken apart, in bytes and in messages. */
  expandedBytesMax: 64 * 1024 * 1024,
  expandedMessagesMax: 100_000,
  /** What a script may take on one message: time with that of its requests, memory, stack, and an answer. */
  scriptMsMax: 5_000,
  scriptMemoryBytesMax: 64 * 1024 * 1024,
  scriptStackBytesMax: 256 * 1024,
  scriptAnswerBytesMax: 8 * 1024 * 1024,
  /** The heap of a thread that runs an engine; the memory of the engine is not part of it. */
  scriptHeapMiBMax: 64,
  /** The footer of a Parquet file, the elements of its schema, how deep they are, and the values of its pages. */
  parquetFooterBytesMax: 1024 * 1024,
  parquetElementsMax: 10_000,
  parquetDepthMax: 50,
  parquetValuesMax: 5_000_000,
  /** Messages that `jq` works on in one go; if they take too long together, each is tried on its own. */
  jqMessagesAtATime: 16,
  /** Subjects of a registry whose last version a processor remembers. */
  registrySubjectsMax: 10_000,
  /** The answer to an HTTP request, and the parts that it may have. */
  httpAnswerBytesMax: 32 * 1024 * 1024,
  httpRequestBytesMax: 32 * 1024 * 1024,
  httpAnswerPartsMax: 10_000,
  /** The answer of a server that issues tokens. */
  httpTokenBytesMax: 64 * 1024,
  /** Redirects that an HTTP request follows. */
  httpRedirectsMax: 10,
  /** Trials of a configuration: how long one takes, its memory, and how many run and wait. */
  trialMsMax: 10_000,
  trialMiBMax: 256,
  trialsAtATimeMax: 2,
  trialsWaitingMax: 8,
  /** Bytes of a message that a trial shows. */
  triedContentBytesMax: 16 * 1024,
  /** The rows and bytes of a query whose result replaces a message. */
  sqlRowsMax: 100_000,
  sqlResultBytesMax: 64 * 1024 * 1024,
  /** The bytes and items of an answer of Redis. */
  redisReplyBytesMax: 128 * 1024 * 1024,
  redisReplyItemsMax: 1_000_000,
  /** Messages of channels that wait for the pipeline. */
  redisWaitingMessagesMax: 1000,
  /** Of a message of NATS, MQTT or AMQP, with its headers. */
  brokerMessageBytesMax: 64 * 1024 * 1024,
  /** What such a server has sent and the pipeline has not taken; the connection is not read meanwhile. */
  brokerWaitingMessagesMax: 10_000,
  brokerWaitingBytesMax: 64 * 1024 * 1024,
  /** Of a line of the protocol of NATS. */
  natsLineBytesMax: 32 * 1024,
  /** Of an item that a cache keeps in a bucket. */
  cachedObjectBytesMax: 64 * 1024 * 1024,
  /** How much of an object is read at a time. */
  objectPartBytes: 4 * 1024 * 1024,
  /** Rounds of a `while` for one batch, and messages that may become of the batch. */
  loopsMax: 100_000,
  loopMessagesMax: 100_000,
  /** Messages of a batch that `parallel` works on at a time, whatever its `cap`. */
  parallelMessagesMax: 1_000,
  /** Of the caches of a pipeline that are in memory: all together, and entries of each. What is oldest is dropped. */
  cacheBytesMax: 64 * 1024 * 1024,
  cacheEntriesMax: 500_000,
  /** Of a key of a cache. */
  cacheKeyBytesMax: 64 * 1024,
  /** What `log` writes in a line. */
  logCharsMax: 8_192,
  logFieldsMax: 32,
  /** Combinations of labels of one `metric`; others are not counted. */
  metricSeriesMax: 1_000,
  /** Partitions that a Kafka input may name one by one, and that it reads at a time. */
  partitionsMax: 10_000,
  /** A partition whose next batch cannot be read is tried again after so long. */
  damagedRetryMs: 30_000,
} as const;
