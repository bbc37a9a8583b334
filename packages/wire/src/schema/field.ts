import type { VersionText } from './versions.ts';

/**
 * The vocabulary in which messages are defined. Each function returns a `Field`: its wire format, its versions, and
 * (only in the type parameters) its TypeScript types for reading and writing.
 *
 * One object type serves every version of a message: a field that the current version does not have gets its default.
 */
export interface Field<Read = unknown, Write = unknown, Optional extends boolean = boolean> {
  readonly shape: Shape;
  readonly options: FieldOptions;
  /** Never present at run time; it carries the types. */
  readonly types?: { readonly read: Read; readonly write: Write; readonly optional: Optional };
}

export type Fields = Readonly<Record<string, Field>>;

export type ScalarKind =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'float64'
  | 'uuid'
  | 'string'
  | 'bytes'
  | 'records';

export type Shape =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'array'; readonly element: Shape }
  | { readonly kind: 'struct'; readonly fields: Fields };

export interface FieldOptions<Value = unknown> {
  /** Versions that have the field; all of them if absent. */
  readonly versions?: VersionText;
  /** `true`, or the versions in which null is allowed. */
  readonly nullable?: true | VersionText;
  /** The value in versions that do not have the field; also makes the field optional when writing. */
  readonly default?: Value;
  /** Makes it a tagged field: only values other than the default are on the wire. */
  readonly tag?: number;
  /**
   * When writing a version that does not have the field, drop a value other than the default. Without it such a value
   * is an `EncodeError`, because the peer would do something else than was requested.
   */
  readonly ignorable?: true;
  /** `false` uses the classic length prefix even in flexible versions, as the client id of request headers requires. */
  readonly compact?: false;
}

/** Bytes to write: one slice, or several that are concatenated on the wire. None of them is copied. */
export type Slices = Uint8Array | readonly Uint8Array[];

type Nullable<Options> = Options extends { nullable: true | string } | { default: null } ? null : never;
type MayBeLeftOut<Options> = Options extends { default: unknown } | { versions: string } | { tag: number }
  ? true
  : false;
type OptionsOf<Value> = FieldOptions<Value | null>;

type ScalarField<Read, Write, Options> = Field<
  Read | Nullable<Options>,
  Write | Nullable<Options>,
  MayBeLeftOut<Options>
>;

const noOptions: FieldOptions = {};

function scalar<Read, Write = Read>(kind: ScalarKind) {
  return function field<const Options extends OptionsOf<Write> = Record<never, never>>(
    options?: Options,
  ): ScalarField<Read, Write, Options> {
    return { shape: { kind }, options: options ?? noOptions };
  };
}

export const bool = scalar<boolean>('bool');
export const int8 = scalar<number>('int8');
export const int16 = scalar<number>('int16');
export const uint16 = scalar<number>('uint16');
export const int32 = scalar<number>('int32');
export const uint32 = scalar<number>('uint32');
/** A `bigint`, because a timestamp or an offset from a client may have any of the 2^64 values and must be preserved. */
export const int64 = scalar<bigint>('int64');
export const float64 = scalar<number>('float64');
/** 128 bits in Kafka's own text form: URL-safe base64 of 22 characters, usable as a map key. */
export const uuid = scalar<string>('uuid');
export const string = scalar<string>('string');
/** Reading gives a view of the frame, not a copy. */
export const bytes = scalar<Buffer, Slices>('bytes');
/** Record batches, as `bytes`; a separate kind because the rules for emptiness and size differ. */
export const records = scalar<Buffer, Slices>('records');

type ReadOf<F> = F extends Field<infer Read, unknown, boolean> ? Read : never;
type WriteOf<F> = F extends Field<unknown, infer Write, boolean> ? Write : never;

/** Tagged fields that this release does not know. They are retained and written back, so that a relay loses nothing. */
export interface UnknownTaggedField {
  readonly tag: number;
  readonly data: Buffer;
}

interface KeepsUnknownTags {
  readonly unknownTaggedFields?: readonly UnknownTaggedField[];
}

type LeftOutKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, unknown, true> ? K : never;
}[keyof F];

/** The result of decoding: every field is present, and everything is read-only, because parts of it may be shared. */
export type ReadStruct<F extends Fields> = { readonly [K in keyof F]: ReadOf<F[K]> } & KeepsUnknownTags;

/** The input of encoding: fields that have a default or are missing in some version are optional. */
export type WriteStruct<F extends Fields> = {
  readonly [K in Exclude<keyof F, LeftOutKeys<F>>]: WriteOf<F[K]>;
} & { readonly [K in LeftOutKeys<F>]?: WriteOf<F[K]> } & KeepsUnknownTags;

/** A nested structure. If it is nullable, one byte precedes it. */
export function struct<const F extends Fields, const Options extends FieldOptions = Record<never, never>>(
  fields: F,
  options?: Options,
): ScalarField<ReadStruct<F>, WriteStruct<F>, Options> {
  return { shape: { kind: 'struct', fields }, options: options ?? noOptions };
}

/** A list of structures, the most common shape of the protocol. */
export function structs<const F extends Fields, const Options extends FieldOptions = Record<never, never>>(
  fields: F,
  options?: Options,
): ScalarField<readonly ReadStruct<F>[], readonly WriteStruct<F>[], Options> {
  return {
    shape: { kind: 'array', element: { kind: 'struct', fields } },
    options: options ?? noOptions,
  };
}

/** A list of scalars: `listOf(int32)`. */
export function listOf<Read, Write, const Options extends FieldOptions = Record<never, never>>(
  element: () => Field<Read, Write, false>,
  options?: Options,
): ScalarField<readonly Read[], readonly Write[], Options> {
  return { shape: { kind: 'array', element: element().shape }, options: options ?? noOptions };
}
