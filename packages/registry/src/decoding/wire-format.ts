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
const idPrefixBytes = 5;
const guidMagic = 1;
const guidPrefixBytes = 17;

/** The id of a payload that begins with the magic byte 0 and an id, as nearly all do; -1 for any other. */
export function schemaIdOf(payload: Uint8Array): number {
  if (payload.length < idPrefixBytes || payload[0] !== idMagic) return -1;
  return (payload[1]! << 24) | (payload[2]! << 16) | (payload[3]! << 8) | payload[4]!;
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

/** What follows the prefix. The indexes of a Protobuf message follow the prefix in the header, if there is one. */
export function payloadAfter(
  prefix: SchemaPrefix,
  payload: Uint8Array,
  header: Uint8Array | undefined,
): Uint8Array {
  if (header === undefined) return payload.subarray(prefix.bytes);
  return header.length === prefix.bytes ? payload : Buffer.concat([header.subarray(prefix.bytes), payload]);
}
