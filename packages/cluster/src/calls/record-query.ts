import * as s from '../shapes/shape.ts';

/**
 * Queries that agents answer beside those about events: reading records of a topic, and writing one, for a person. They
 * have kinds that no query about events has.
 */
export const readRecordsKind = 'readRecords';
export const produceRecordKind = 'produceRecord';

/** On whose behalf an agent reads or writes. */
const caller = s.struct({
  /**
   * Whether the control plane has checked that the caller may read records of all topics. A read without a login is
   * then not subject to ACLs; a write always is.
   */
  mayReadAll: s.optional(s.flag),
  /** Of the person. ACLs may name hosts. */
  remoteAddress: s.text,
  /** A Kafka credential of the person. It is neither stored nor logged. */
  login: s.optional(s.struct({ username: s.text, password: s.text })),
});
export type RecordCaller = s.TypeOf<typeof caller>;

/** A partition and an offset in it. */
const recordPosition = s.struct({
  partition: s.whole,
  offset: s.whole,
});
export type RecordPosition = s.TypeOf<typeof recordPosition>;

const recordFormats = ['auto', 'string', 'json', 'schema', 'base64'] as const;
export type RecordFormat = (typeof recordFormats)[number];

const readRecordsQuery = s.struct({
  kind: s.oneOf(readRecordsKind),
  caller,
  topic: s.text,
  partitions: s.list(s.whole),
  /** `positions` continues an earlier read. Older records are those below a position, newer ones from it on. */
  start: s.oneOf('newest', 'oldest', 'offset', 'time', 'positions'),
  offset: s.optional(s.whole),
  timestampMs: s.optional(s.number),
  positions: s.optional(s.list(recordPosition)),
  direction: s.oneOf('older', 'newer'),
  limit: s.whole,
  contains: s.text,
  /** Whether `contains` is found in any case. */
  ignoresCase: s.optional(s.flag),
  /** In the language of event filters. */
  filter: s.text,
  keyFormat: s.oneOf(...recordFormats),
  valueFormat: s.oneOf(...recordFormats),
  /** Fields whose values the answer must not have, in the notation of `service.record.masks`. */
  masks: s.optional(s.list(s.text)),
  /** Whether keys and values are not cut as early as in a list. */
  isWhole: s.flag,
  scannedRecordsMax: s.whole,
  scannedBytesMax: s.whole,
  scanMsMax: s.whole,
});
export type ReadRecordsQuery = s.TypeOf<typeof readRecordsQuery>;

/** A key, value or value of a header. */
export interface ShownPart {
  readonly text: string;
  readonly format: Exclude<RecordFormat, 'auto'>;
  /** The size of the payload in the log. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** Whether something in it, or all of it, is masked. */
  readonly isMasked?: boolean | undefined;
  readonly schemaId?: number | undefined;
  readonly schemaGuid?: string | undefined;
  readonly schemaType?: string | undefined;
  readonly subjects?: readonly string[] | undefined;
  /** Why it is not in the format that was asked for. */
  readonly problem?: string | undefined;
}

export interface ShownRecord extends RecordPosition {
  readonly timestampMs: number;
  readonly key: ShownPart | null;
  readonly value: ShownPart | null;
  readonly headers: readonly { readonly name: string; readonly value: ShownPart | null }[];
  /** With those that are not shown. */
  readonly headerCount: number;
  readonly bytes: number;
}

/** Why an agent did not read or write. */
export type RecordRefusal =
  | 'loginRequired'
  | 'loginWrong'
  | 'denied'
  | 'notFound'
  | 'invalid'
  | 'refused'
  | 'unavailable';

interface RefusedRecords {
  readonly kind: 'refused';
  readonly reason: RecordRefusal;
  /** One sentence for the person. */
  readonly message: string;
}

export interface ReadRecords {
  readonly kind: 'read';
  readonly records: readonly ShownRecord[];
  readonly scanned: number;
  readonly scannedBytes: number;
  readonly matched: number;
  readonly ms: number;
  /** Where older and newer records are; `null` if there are none. */
  readonly older: readonly RecordPosition[] | null;
  readonly newer: readonly RecordPosition[] | null;
  /** Which bound ended it early. */
  readonly cut: 'records' | 'bytes' | 'time' | 'answer_bytes' | null;
  /** Whether the masks of the query were applied, which agents of earlier releases do not do. */
  readonly areMasksApplied?: boolean | undefined;
  /** A part of a partition that cannot be read, as one sentence. */
  readonly problem: string | null;
}

export type ReadRecordsAnswer = ReadRecords | RefusedRecords;

/** A key or value to write. */
const partToWrite = s.struct({
  text: s.text,
  format: s.oneOf('string', 'json', 'schema', 'base64'),
  schemaId: s.optional(s.whole),
});
export type PartToWrite = s.TypeOf<typeof partToWrite>;

const produceRecordQuery = s.struct({
  kind: s.oneOf(produceRecordKind),
  caller,
  topic: s.text,
  partitionCount: s.whole,
  partition: s.nullable(s.whole),
  key: s.nullable(partToWrite),
  value: s.nullable(partToWrite),
  headers: s.list(s.struct({ name: s.text, value: s.nullable(partToWrite) })),
  timestampMs: s.number,
  /** An id that no other producer has: an agent that repeats the query writes nothing twice. */
  producerId: s.whole,
});
export type ProduceRecordQuery = s.TypeOf<typeof produceRecordQuery>;

export interface ProducedRecord extends RecordPosition {
  readonly kind: 'produced';
  readonly timestampMs: number;
}

export type ProduceRecordAnswer = ProducedRecord | RefusedRecords;

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readRecordQuery(value: unknown): ReadRecordsQuery | ProduceRecordQuery | undefined {
  const kind = (value as { readonly kind?: unknown } | null)?.kind;
  if (kind !== readRecordsKind && kind !== produceRecordKind) return undefined;
  const problem =
    kind === readRecordsKind ? readRecordsQuery(value, 'query') : produceRecordQuery(value, 'query');
  if (problem !== undefined) throw new TypeError(problem);
  return value as ReadRecordsQuery | ProduceRecordQuery;
}
