import type { JsonNode, JsonObject } from '../exact-json.ts';

const primitiveNames = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
export type PrimitiveName = (typeof primitiveNames)[number];

export type AvroType = PrimitiveType | NamedType | ArrayType | MapType | UnionType;
export type NamedType = RecordType | EnumType | FixedType;

/** Properties that Avro does not define itself, `logicalType` among them. In the order of the text. */
type Properties = JsonObject;

interface PrimitiveType {
  readonly kind: PrimitiveName;
  readonly properties: Properties;
}

/** A name of a type, or an alias. */
export interface AvroName {
  readonly name: string;
  /** Undefined is the empty namespace. */
  readonly namespace: string | undefined;
  readonly fullName: string;
}

interface Named extends AvroName {
  readonly doc: string | undefined;
  readonly aliases: readonly AvroName[];
  readonly properties: Properties;
}

export interface RecordType extends Named {
  readonly kind: 'record';
  readonly isError: boolean;
  readonly fields: readonly AvroField[];
  readonly fieldByName: ReadonlyMap<string, AvroField>;
}

export interface AvroField {
  readonly name: string;
  readonly position: number;
  readonly type: AvroType;
  readonly doc: string | undefined;
  /** Undefined if the field has none; null is a default. */
  readonly default: JsonNode | undefined;
  readonly order: 'ascending' | 'descending' | 'ignore';
  readonly aliases: readonly string[];
  readonly properties: Properties;
}

export interface EnumType extends Named {
  readonly kind: 'enum';
  readonly symbols: readonly string[];
  readonly default: string | undefined;
}

interface FixedType extends Named {
  readonly kind: 'fixed';
  readonly sizeBytes: number;
}

interface ArrayType {
  readonly kind: 'array';
  readonly items: AvroType;
  readonly properties: Properties;
}

interface MapType {
  readonly kind: 'map';
  readonly values: AvroType;
  readonly properties: Properties;
}

export interface UnionType {
  readonly kind: 'union';
  readonly branches: readonly AvroType[];
}

/** A name that is used before its type is complete: of a type that follows, or of the record around it. */
export interface UnresolvedType {
  readonly kind: 'unresolved';
  readonly fullName: string;
  readonly path: string;
}

/** Types while a text is read. */
export type PendingType = AvroType | UnresolvedType;

const primitives: ReadonlySet<string> = new Set(primitiveNames);

export function isPrimitiveName(name: string): name is PrimitiveName {
  return primitives.has(name);
}

export function isNamed(type: AvroType): type is NamedType {
  return type.kind === 'record' || type.kind === 'enum' || type.kind === 'fixed';
}

/** What the branches of a union differ by, and what the JSON encoding calls them. */
export function branchName(type: AvroType): string {
  return isNamed(type) ? type.fullName : type.kind;
}

/** Splits a name that may have dots; without any it is in `namespace`. */
export function avroName(text: string, namespace: string | undefined): AvroName {
  const dot = text.lastIndexOf('.');
  const name = text.slice(dot + 1);
  const space = (dot < 0 ? namespace : text.slice(0, dot)) || undefined;
  return { name, namespace: space, fullName: space === undefined ? name : `${space}.${name}` };
}

/** A letter or underscore, then letters, digits and underscores. Letters of any alphabet, as Confluent takes them. */
const validName = /^[\p{L}_][\p{L}\p{Nd}_]*$/u;
/** Java looks at UTF-16 units and so takes no letters beyond the basic plane. */
const surrogate = /[\ud800-\udfff]/;

export function isValidName(name: string): boolean {
  return validName.test(name) && !surrogate.test(name);
}
