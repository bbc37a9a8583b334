import { KiB, MiB } from '@weir/core';

/** Limits of the schema registry: what one schema may be, and what all of them may take. */
export const registryLimits = {
  /** The body of a request to the registry, as Confluent's registry limits it by default. */
  registryRequestBytesMax: 1 * MiB,

  /** Schemas that one schema refers to, how deep they nest, and what all their texts take together. */
  referencesPerSchemaMax: 1000,
  referenceDepthMax: 32,
  referencedSchemasMax: 2000,
  referencedBytesMax: 8 * MiB,

  /**
   * Versions of one subject, including those that are only marked as deleted. One write removes them all, with their
   * schemas.
   */
  versionsPerSubjectMax: 5000,

  /** Versions that are removed at once when a context is made ready for an import. */
  clearedVersionsMax: 9000,

  /** One entry of a registry: a schema with its metadata, where JSON may write a character as six. */
  registryEntryBytesMax: 7 * MiB,

  /** The name of a subject with its context, and the name of an exporter or of a key. */
  subjectCharsMax: 1024,
  registryNameCharsMax: 256,

  /** Contexts other than the default one. */
  contextsMax: 10_000,

  /** Metadata of a schema or a config, and its rules, as JSON. */
  metadataBytesMax: 256 * KiB,
  ruleSetBytesMax: 256 * KiB,

  /** Exporters of a registry, and the subjects that one names. */
  exportersMax: 100,
  exporterSubjectsMax: 1000,

  /** Key-encryption keys of a registry. */
  keksMax: 10_000,

  /** Associations of resources with subjects. */
  associationsMax: 10_000,

  /** Requests of one batch of associations, and the schemas that its answer has: JSON is made of it at once. */
  associationBatchMax: 100,
  associationBatchSchemaChars: 4 * MiB,

  /** Keys and values that a replica of the registry asks for at a time. */
  registryReadBytes: 1 * MiB,

  /** Writes of one process that wait for their commit, and how long one waits while others are first. */
  registryWritesWaitingMax: 10_000,
  registryWriteMsMax: 30_000,

  /** Writes that are committed together, up to this many changes and bytes: deciding them takes some milliseconds. */
  registryWritesPerCommit: 64,
  registryCommitChanges: 1_000,
  registryCommitBytes: 1 * MiB,

  /** Subjects of a registry that schema linking reads, and the texts of new schemas that it holds in memory. */
  linkedSubjectsMax: 200_000,
  linkedPlanBytesMax: 64 * MiB,

  /** Schemas that one list returns, whatever its `limit`; the same as Confluent's. */
  listedSchemasMax: 1000,

  /**
   * What the serving thread parses or compares itself, by the characters of all texts. More goes to a worker thread;
   * less takes no longer than the way there and back.
   */
  inlineSchemaCharsMax: 32 * KiB,

  /**
   * How long parsing or comparing may take in a thread, how much may wait for one, in all and of one client, and how
   * many threads there are. One client has at most all but one of them.
   */
  schemaWorkMsMax: 10_000,
  schemaWorkWaitingMax: 256,
  schemaWorkWaitingPerClientMax: 64,
  schemaWorkThreadsMax: 2,

  /** Entries of schemas that are kept parsed, by their bytes. The others are parsed when they are used. */
  parsedEntriesBytesMax: 4 * MiB,

  /** Parsed schemas and results of comparisons that are cached, by the bytes of their texts. */
  schemaWorkCacheBytesMax: 16 * MiB,

  /** Connections of a client to one address of another registry. Further requests wait. */
  clientConnectionsMax: 8,

  /** An answer of another registry. Lists of subjects are the longest. */
  clientAnswerBytesMax: 64 * MiB,

  /** Nesting of the JSON of an answer. Schemas are texts in it and do not count. */
  clientAnswerDepthMax: 64,

  /** Attempts of the client to read something, over all addresses. */
  clientAttemptsMax: 4,

  /** Schemas that one process fetches at a time to validate or decode records, and how many more may wait. */
  schemaFetchesMax: 8,
  schemaFetchesWaitingMax: 1000,

  /** Schemas that one process caches to validate or decode records, by what they take parsed. */
  cachedSchemasBytesMax: 64 * MiB,

  /**
   * What the serving thread decodes or encodes itself, by the bytes of a payload or the characters of a value. More
   * goes to a worker thread.
   */
  inlinePayloadBytesMax: 16 * KiB,

  /**
   * Schemas of records, by the bytes of all their texts, that the serving thread parses, and payloads in JSON that it
   * validates. Those beyond are only known to worker threads, which get as many payloads at a time.
   */
  inlineCodecBytesMax: 64 * KiB,
  inlineValidatedBytesMax: 64 * KiB,
  threadPayloadsMax: 20_000,
  threadPayloadsBytesMax: 16 * MiB,

  /** The JSON of one key or value, decoded or to be encoded. A byte of a payload can stand for a name of any length. */
  decodedJsonCharsMax: 16 * MiB,

  /** Ids of schemas that records were encoded with, by the bytes of what names them. */
  encoderIdsBytesMax: 4 * MiB,

  /** A JSON schema, by characters, levels of nesting, and subschemas including those of its references. */
  jsonSchemaCharsMax: 1 * MiB,
  jsonSchemaDepthMax: 500,
  jsonSubschemasMax: 50_000,

  /** A number in a JSON schema, by characters, as in Jackson, and its exponent. */
  jsonNumberCharsMax: 1000,
  jsonExponentMax: 999_999,

  /**
   * Comparisons of subschemas while two JSON schemas are compared, and pairs of subschemas among them: some seconds at
   * worst. Two lists of 300 alternatives of one type are 90,000 pairs.
   */
  jsonComparisonStepsMax: 4_000_000,
  jsonComparisonPairsMax: 200_000,

  /** Differences between two JSON schemas that are reported. */
  jsonDifferencesMax: 1000,

  /** A payload in JSON that is validated or decoded, and its nesting. */
  jsonPayloadBytesMax: 16 * MiB,
  jsonPayloadDepthMax: 500,

  /**
   * Work for the validation of all payloads of a request, in the time that inflating a byte takes (about two
   * nanoseconds): this much in any case, and so much more for each byte of a payload.
   */
  payloadWorkMax: 16 * MiB,
  payloadWorkPerByteMax: 128,

  /**
   * How deep subschemas nest in the validation of a payload in JSON. A level takes up to 0.9 KiB of the stack, which
   * has 984 KiB, before its code is optimised.
   */
  jsonValidationDepthMax: 640,

  /** Length of the text of a Protobuf schema, and of all files that it imports together. */
  protobufTextCharsMax: 2 * MiB,
  protobufImportedCharsMax: 4 * MiB,

  /** Files that a Protobuf schema imports, directly or through others. */
  protobufFilesMax: 1000,

  /** References of a Protobuf schema and of the schemas that they lead to. */
  protobufReferencesMax: 10_000,

  /** Length of a name in a Protobuf schema, and of a name with the package and messages that contain it. */
  protobufNameCharsMax: 512,
  protobufFullNameCharsMax: 2 * KiB,

  /** Depth of messages in messages in a Protobuf schema, and of the values of options: protoc's limit. */
  protobufNestingMax: 32,

  /** Depth of a Protobuf message in a payload: the limit of Google's implementations. */
  protobufPayloadDepthMax: 100,

  /** Differences that a comparison of two Protobuf schemas reports. */
  protobufDifferencesMax: 1000,

  /** JSON levels in the text of an Avro schema, the same as in Avro's Java library. */
  avroDepthMax: 1000,

  /** Text of an Avro schema, and of all schemas together that it refers to, directly or not. */
  avroTextCharsMax: 8 * MiB,
  avroReferencedCharsMax: 64 * MiB,

  /** Schemas that an Avro schema refers to, directly or not. */
  avroReferencesMax: 10_000,

  /** Steps that the defaults and repeated definitions of an Avro schema may cost to check, which guards unions. */
  avroValidationStepsMax: 1_000_000,

  /** Pairs of types that a comparison of two Avro schemas visits, and how deep they may nest. */
  avroComparedPairsMax: 1_000_000,
  avroComparedDepthMax: 1600,

  /** Differences that a comparison of two Avro schemas lists. */
  avroDifferencesMax: 1000,

  /** Records, arrays and maps inside each other in a payload of a recursive Avro type. */
  avroPayloadDepthMax: 1000,

  /** Values in an Avro payload that take no bytes, such as nulls that are no branch of a union. */
  avroEmptyValuesMax: 1_000_000,

  /** Values of an Avro payload that is decoded: this many in any case, and as many for each of its bytes. */
  avroDecodedValuesMin: 10_000,
  avroDecodedValuesPerByteMax: 8,
} as const;
