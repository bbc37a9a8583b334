/**
 * The types of Iceberg (format versions 1 and 2) as plain data, and their text in JSON: `long`, `decimal(9,2)`,
 * `fixed[16]`.
 */
import { InvalidTable } from '../table-errors.ts';

const simpleKinds = [
  'boolean',
  'int',
  'long',
  'float',
  'double',
  /** Days since 1970. */
  'date',
  /** Microseconds since midnight. */
  'time',
  /** Microseconds since 1970, without a zone. */
  'timestamp',
  /** Microseconds since 1970, UTC. */
  'timestamptz',
  'string',
  'uuid',
  'binary',
] as const;

type SimpleKind = (typeof simpleKinds)[number];

export type PrimitiveType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** A column, at the top or within a struct. Columns are known by their id; names may change. */
export interface Column {
  readonly id: number;
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: Type;
  readonly doc?: string | undefined;
}

interface StructType {
  readonly kind: 'struct';
  readonly columns: readonly Column[];
}

interface ListType {
  readonly kind: 'list';
  readonly elementId: number;
  readonly isElementRequired: boolean;
  readonly element: Type;
}

/** Keys are always required. */
export interface MapType {
  readonly kind: 'map';
  readonly keyId: number;
  readonly key: Type;
  readonly valueId: number;
  readonly isValueRequired: boolean;
  readonly value: Type;
}

export type Type = PrimitiveType | StructType | ListType | MapType;

const decimalDigitsMax = 38;

export function isPrimitive(type: Type): type is PrimitiveType {
  return type.kind !== 'struct' && type.kind !== 'list' && type.kind !== 'map';
}

export function primitiveText(type: PrimitiveType): string {
  if (type.kind === 'fixed') return `fixed[${type.bytes}]`;
  if (type.kind === 'decimal') return `decimal(${type.precision}, ${type.scale})`;
  return type.kind;
}

export function parsePrimitive(text: string, place: string): PrimitiveType {
  const simple = simpleKinds.find((kind) => kind === text);
  if (simple !== undefined) return { kind: simple };
  const bytes = /^fixed\[\s*(\d{1,9})\s*\]$/.exec(text)?.[1];
  if (bytes !== undefined) return { kind: 'fixed', bytes: Number(bytes) };
  const [, precisionText, scaleText] = /^decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/.exec(text) ?? [];
  if (precisionText === undefined)
    throw new InvalidTable(
      `${place}: unknown type "${text.slice(0, 100)}"; format version 2 has ${simpleKinds.join(', ')}, fixed[L], decimal(P, S)`,
    );
  const [precision, scale] = [Number(precisionText), Number(scaleText)];
  if (precision < 1 || precision > decimalDigitsMax || scale > precision)
    throw new InvalidTable(
      `${place}: ${text}: a decimal has 1 to ${decimalDigitsMax} digits, and no more after the point`,
    );
  return { kind: 'decimal', precision, scale };
}

/** A type in words, for messages: `struct<1: a: optional int>`. */
export function typeText(type: Type): string {
  const needed = (isRequired: boolean) => (isRequired ? 'required' : 'optional');
  switch (type.kind) {
    case 'struct':
      return `struct<${type.columns.map((one) => `${one.id}: ${one.name}: ${needed(one.isRequired)} ${typeText(one.type)}`).join(', ')}>`;
    case 'list':
      return `list<${type.elementId}: ${needed(type.isElementRequired)} ${typeText(type.element)}>`;
    case 'map':
      return `map<${type.keyId}: ${typeText(type.key)}, ${type.valueId}: ${needed(type.isValueRequired)} ${typeText(type.value)}>`;
    default:
      return primitiveText(type);
  }
}
