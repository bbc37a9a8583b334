/** Limits of pipelines. */
export const pipelineLimits = {
  /** Messages and bytes that a pipeline has read and not yet written. */
  inFlightMessagesMax: 20_000,
  inFlightBytesMax: 64 * 1024 * 1024,
  /** How often outputs write what they gathered while the pipeline waits for them. */
  flushEveryMs: 100,
  /** Pauses before an input or an output is tried again. */
  retryMsFirst: 100,
  retryMsMax: 10_000,
  /** Bytes of a failed message that are logged if a configuration asks for them. */
  loggedPayloadBytesMax: 4096,
  /** What one message may become when it is decompressed or taken apart, in bytes and in messages. */
  expandedBytesMax: 64 * 1024 * 1024,
  expandedMessagesMax: 100_000,
  /** Subjects of a registry whose last version a processor remembers. */
  registrySubjectsMax: 10_000,
  /** The answer to an HTTP request, and the parts that it may have. */
  httpAnswerBytesMax: 32 * 1024 * 1024,
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
  /** Of an item that a cache keeps in a bucket. */
  cachedObjectBytesMax: 64 * 1024 * 1024,
  /** How much of an object is read at a time. */
  objectPartBytes: 4 * 1024 * 1024,
} as const;
