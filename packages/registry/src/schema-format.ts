import type { PayloadWork } from './payload-work.ts';

/** Types of schemas, as in the registry's API. */
export const schemaTypes = ['AVRO', 'PROTOBUF', 'JSON'] as const;
export type SchemaType = (typeof schemaTypes)[number];

/** How a schema refers to another one. The name is what the text uses: a type, an import path or a `$ref`. */
export interface SchemaReference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** A reference with the schema that it stands for. */
export interface ResolvedReference extends SchemaReference {
  readonly source: SchemaSource;
}

/** The text of a schema, with everything that it refers to. Schemas that are referred to twice are the same object. */
export interface SchemaSource {
  readonly text: string;
  readonly references: readonly ResolvedReference[];
}

/** The only error that the text of a schema may cause. The message is for users. */
export class InvalidSchema extends Error {
  override name = 'InvalidSchema';
}

/** A schema that was parsed. Each format adds its own fields. */
export interface ParsedSchema {
  readonly type: SchemaType;
  /** The text that the registry stores, returns and compares. */
  readonly canonicalText: string;
  /** Why the schema is refused if it is new. One that a registry has already, or imports, is taken with it. */
  readonly problemIfNew?: string | undefined;
  /** Why the schema is refused where the config says `validateFields`. */
  readonly problemOfFields?: string | undefined;
}

interface ParseOptions {
  /** The schema is in a registry already, or is imported from one. Default: it is new. */
  readonly isStored?: boolean;
}

/** A difference that makes two schemas incompatible. */
export interface Incompatibility {
  readonly type: string;
  /** Where in the schema, in the notation of the format: a JSON pointer for Avro. */
  readonly path: string;
  /** The entry of the list of messages, in the format's own shape. */
  readonly message: string;
}

export interface CompatibilityOptions {
  /** Messages name the schemas by it. */
  readonly reader: 'new' | 'old';
  /** Only JSON Schema knows a difference. */
  readonly policy: 'STRICT' | 'LENIENT';
}

/** Tags of a record or a field inside of a schema. */
export interface SchemaTags {
  readonly schemaEntity: { readonly entityPath: string; readonly entityType: 'sr_record' | 'sr_field' };
  readonly tags: readonly string[];
}

export interface TagChanges {
  readonly add: readonly SchemaTags[];
  readonly remove: readonly SchemaTags[];
}

/** A record or a field that can have tags. */
export interface TagPlace {
  readonly type: 'sr_record' | 'sr_field';
  /** Its names, the one that answers show first. */
  readonly paths: readonly string[];
  /** Whether lists of tags have it; an object that is a property is listed as the property. */
  readonly isListed: boolean;
  tags(): readonly string[];
  setTags(tags: readonly string[]): void;
}

/** Decodes and encodes payloads: what follows the magic byte and the id. */
export interface PayloadCodec {
  /**
   * Returns what is wrong with the payload between `start` and `end` (all bytes if absent), without decoding more than
   * that needs. Spends what it costs of `work`; if that is exceeded, the payload was not checked to its end. Without
   * `work`, the payload may cost what its bytes allow.
   */
  problemOf(bytes: Uint8Array, start?: number, end?: number, work?: PayloadWork): string | undefined;
  /** Decodes a payload as a JSON value. Throws `InvalidPayload`. */
  decode(payload: Uint8Array): unknown;
  /**
   * Encodes a JSON value, as `decode` returns it; bigints are integers too. `recordName` selects a message of a
   * Protobuf schema, of which the first one is the default. Spends what checking the value costs of `work`, as
   * `problemOf` does. Throws `InvalidPayload`.
   */
  encode(value: unknown, recordName?: string, work?: PayloadWork): Uint8Array;
  /** The full name of the record in a payload, for naming strategies by record; the root's name without a payload. */
  recordName(payload?: Uint8Array): string | undefined;
}

/** The only error that a payload may cause. */
export class InvalidPayload extends Error {
  override name = 'InvalidPayload';
}

/** One language of schemas. Every function is bounded and linear, or nearly, in what it is given. */
export interface SchemaFormat<Parsed extends ParsedSchema = ParsedSchema> {
  readonly type: SchemaType;
  /** Parses and validates a schema. Throws `InvalidSchema`. */
  parse(source: SchemaSource, options?: ParseOptions): Parsed;
  /** The canonical text of the normalised schema: what only differs in spelling has the same. */
  normalizedText(schema: Parsed): string;
  /** All differences that prevent `reader` from reading data of `writer`. */
  incompatibilities(
    reader: Parsed,
    writer: Parsed,
    options: CompatibilityOptions,
  ): readonly Incompatibility[];
  /** Those of some names that fields at the top of the schema have. */
  usedNames(schema: Parsed, names: readonly string[]): readonly string[];
  /** Reads a schema anew for its tags; `text` prints it with those that were set. Throws `InvalidSchema`. */
  readTags(source: SchemaSource): { readonly places: readonly TagPlace[]; text(): string };
  /**
   * The text in another form: `resolved` for Avro, `serialized` and `ignore_extensions` for Protobuf; the canonical
   * text for any other format name.
   */
  formattedText(schema: Parsed, format: string): string;
  codec(schema: Parsed): PayloadCodec;
}
