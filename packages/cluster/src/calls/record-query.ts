import { flag, list, nullable, number, object, oneOf, optional, text, whole } from '../shapes/shape.ts';

/**
 * Queries that agents answer beside those about events: reading records of a topic, and writing one, for a person. They
 * have kinds that no query about events has.
 */
export const readRecordsKind = 'readRecords';
export const produceRecordKind = 'produceRecord';

/** On whose behalf an agent reads or writes. */
export interface RecordCaller {
  /** Of the person. ACLs may name hosts. */
  readonly remoteAddress: string;
  /** A Kafka credential of the person. It is neither stored nor logged. */
  readonly login?: { readonly username: string; readonly password: string } | undefined;
}

/** A partition and an offset in it. */
export interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

const recordFormats = ['auto', 'string', 'json', 'schema', 'base64'] as const;
export type RecordFormat = (typeof recordFormats)[number];

export interface ReadRecordsQuery {
  readonly kind: typeof readRecordsKind;
  readonly caller: RecordCaller;
  readonly topic: string;
  readonly partitions: readonly number[];
  /** `positions` continues an earlier read. Older records are those below a position, newer ones from it on. */
  readonly start: 'newest' | 'oldest' | 'offset' | 'time' | 'positions';
  readonly offset?: number | undefined;
  readonly timestampMs?: number | undefined;
  readonly positions?: readonly RecordPosition[] | undefined;
  readonly direction: 'older' | 'newer';
  readonly limit: number;
  readonly contains: string;
  /** In the language of event filters. */
  readonly filter: string;
  readonly keyFormat: RecordFormat;
  readonly valueFormat: RecordFormat;
  /** Whether keys and values are not cut as early as in a list. */
  readonly isWhole: boolean;
  readonly scannedRecordsMax: number;
  readonly scannedBytesMax: number;
  readonly scanMsMax: number;
}

/** A key, value or value of a header. */
export interface ShownPart {
  readonly text: string;
  readonly format: Exclude<RecordFormat, 'auto'>;
  /** The size of the payload in the log. */
  readonly bytes: number;
  readonly isCut: boolean;
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
  /** A part of a partition that cannot be read, as one sentence. */
  readonly problem: string | null;
}

export type ReadRecordsAnswer = ReadRecords | RefusedRecords;

/** A key or value to write. */
export interface PartToWrite {
  readonly text: string;
  readonly format: 'string' | 'json' | 'schema' | 'base64';
  readonly schemaId?: number | undefined;
}

export interface ProduceRecordQuery {
  readonly kind: typeof produceRecordKind;
  readonly caller: RecordCaller;
  readonly topic: string;
  readonly partitionCount: number;
  readonly partition: number | null;
  readonly key: PartToWrite | null;
  readonly value: PartToWrite | null;
  readonly headers: readonly { readonly name: string; readonly value: PartToWrite | null }[];
  readonly timestampMs: number;
  /** An id that no other producer has: an agent that repeats the query writes nothing twice. */
  readonly producerId: number;
}

export interface ProducedRecord extends RecordPosition {
  readonly kind: 'produced';
  readonly timestampMs: number;
}

export type ProduceRecordAnswer = ProducedRecord | RefusedRecords;

const caller = object<RecordCaller>({
  remoteAddress: text,
  login: optional(object<NonNullable<RecordCaller['login']>>({ username: text, password: text })),
});

const partToWrite = object<PartToWrite>({
  text,
  format: oneOf('string', 'json', 'schema', 'base64'),
  schemaId: optional(whole),
});

const readRecordsQuery = object<ReadRecordsQuery>({
  kind: oneOf(readRecordsKind),
  caller,
  topic: text,
  partitions: list(whole),
  start: oneOf('newest', 'oldest', 'offset', 'time', 'positions'),
  offset: optional(whole),
  timestampMs: optional(number),
  positions: optional(list(object<RecordPosition>({ partition: whole, offset: whole }))),
  direction: oneOf('older', 'newer'),
  limit: whole,
  contains: text,
  filter: text,
  keyFormat: oneOf(...recordFormats),
  valueFormat: oneOf(...recordFormats),
  isWhole: flag,
  scannedRecordsMax: whole,
  scannedBytesMax: whole,
  scanMsMax: whole,
});

const produceRecordQuery = object<ProduceRecordQuery>({
  kind: oneOf(produceRecordKind),
  caller,
  topic: text,
  partitionCount: whole,
  partition: nullable(whole),
  key: nullable(partToWrite),
  value: nullable(partToWrite),
  headers: list(object<ProduceRecordQuery['headers'][number]>({ name: text, value: nullable(partToWrite) })),
  timestampMs: number,
  producerId: whole,
});

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readRecordQuery(value: unknown): ReadRecordsQuery | ProduceRecordQuery | undefined {
  const kind = (value as { readonly kind?: unknown } | null)?.kind;
  if (kind !== readRecordsKind && kind !== produceRecordKind) return undefined;
  const problem =
    kind === readRecordsKind ? readRecordsQuery(value, 'query') : produceRecordQuery(value, 'query');
  if (problem !== undefined) throw new TypeError(problem);
  return value as ReadRecordsQuery | ProduceRecordQuery;
}
