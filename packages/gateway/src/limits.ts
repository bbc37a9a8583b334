import { KiB, MiB } from '@weir/core';

/** Limits of the HTTP data plane, log intake, the record browser, debugging and the schema registry. */
export const gatewayLimits = {
  /** Nesting and values of a body of a request to the schema registry. A schema is one string of it. */
  registryRequestDepthMax: 64,
  registryRequestValuesMax: 100_000,

  /** How often a parameter of its query may be repeated. */
  registryListedParametersMax: 100,

  /** How long a body may take to arrive. */
  registryBodyMsMax: 15_000,

  /**
   * Requests to the schema registry that run at a time, bodies of such requests, and long answers that are being read;
   * beyond, requests get 503. One client, or one address, has at most half of each.
   */
  registryRequestsMax: 512,
  registryBodiesBytesMax: 64 * MiB,
  registryAnswersBytesMax: 64 * MiB,

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
  /** A larger key or value of a topic with masked fields is masked whole: looking through it takes too long. */
  maskedFieldsBytesMax: 512 * KiB,

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
} as const;
