/** Headers of a record that name the schema of its key or value, instead of the payload. */
export const schemaIdHeaders = { key: '__key_schema_id', value: '__value_schema_id' } as const;

/** How a payload names its schema: an id, or a GUID as text. */
export type SchemaRef = number | string;

export interface SchemaPrefix {
  readonly ref: SchemaRef;
  /** The length of the prefix. */
  readonly bytes: number;
}

const idMagic = 0;
export const idPrefixBytes = 5;
const guidMagic = 1;
const guidPrefixBytes = 17;

/**
 * The id of the payload between `start` and `end` that begins with the magic byte 0 and an id, as nearly all do; -1 for
 * any other.
 */
export function schemaIdOf(bytes: Uint8Array, start = 0, end = bytes.length): number {
  if (end - start < idPrefixBytes || bytes[start] !== idMagic) return -1;
  return (bytes[start + 1]! << 24) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 8) | bytes[start + 4]!;
}

/**
 * Reads what names the schema: the magic byte 0 and an id of four bytes, or the magic byte 1 and a GUID. Both occur at
 * the beginning of a payload and in a header.
 */
export function schemaPrefixOf(payload: Uint8Array): SchemaPrefix | undefined {
  const id = schemaIdOf(payload);
  if (id >= 0) return { ref: id, bytes: idPrefixBytes };
  if (payload.length < guidPrefixBytes || payload[0] !== guidMagic) return undefined;
  const hex = Buffer.from(payload.subarray(1, guidPrefixBytes)).toString('hex');
  const guid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { ref: guid, bytes: guidPrefixBytes };
}

/** The part of a record that may name the schemas of its key and value. */
export interface RecordPayloads {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

/** How a key or value names its schema. */
export interface NamedSchema {
  readonly ref: SchemaRef;
  /** 0 before an id, 1 before a GUID. */
  readonly magicByte: number;
  /** The header that names it. Absent if the payload does. */
  readonly header: string | undefined;
  /** The payload without the prefix, and with what follows the prefix in the header before it. */
  readonly payload: Uint8Array;
}

/** The schema that a key or value names. A header counts before the payload, and the last one of several. */
export function namedSchema(part: 'key' | 'value', record: RecordPayloads): NamedSchema | undefined {
  const payload = record[part];
  if (payload === null) return undefined;
  const name = schemaIdHeaders[part];
  const header = record.headers.findLast(({ key }) => key === name)?.value ?? undefined;
  const inHeader = header && schemaPrefixOf(header);
  const prefix = inHeader ?? schemaPrefixOf(payload);
  if (prefix === undefined) return undefined;
  const where = inHeader === undefined ? undefined : header;
  return {
    ref: prefix.ref,
    magicByte: (where ?? payload)[0]!,
    header: where && name,
    payload: payloadAfter(prefix, payload, where),
  };
}

/** What follows the prefix. The indexes of a Protobuf message follow the prefix in the header, if there is one. */
export function payloadAfter(
  prefix: SchemaPrefix,
  payload: Uint8Array,
  header: Uint8Array | undefined,
): Uint8Array {
  if (header === undefined) return payload.subarray(prefix.bytes);
  return header.length === prefix.bytes ? payload : Buffer.concat([header.subarray(prefix.bytes), payload]);
}

/** A payload with the magic byte and the id of its schema before it. */
export function framed(id: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(idPrefixBytes + payload.length);
  bytes[0] = idMagic;
  bytes.writeInt32BE(id, 1);
  bytes.set(payload, idPrefixBytes);
  return bytes;
}
