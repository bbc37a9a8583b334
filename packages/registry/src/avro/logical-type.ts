import { type JsonNode, JsonNumber, type JsonObject } from '../exact-json.ts';
import type { AvroType } from './avro-type.ts';

type PropertyType = Exclude<AvroType, { kind: 'union' }>;

/** Java's own properties, which a logical type excludes. */
const excludedProperties = ['avro.java.string', 'java-class', 'java-key-class', 'java-element-class'];

const byKind: Readonly<Record<string, PropertyType['kind']>> = {
  date: 'int',
  'time-millis': 'int',
  'time-micros': 'long',
  'timestamp-millis': 'long',
  'timestamp-micros': 'long',
  'timestamp-nanos': 'long',
  'local-timestamp-millis': 'long',
  'local-timestamp-micros': 'long',
  'local-timestamp-nanos': 'long',
  'big-decimal': 'bytes',
};

/** The properties that make up the logical type of a type, in order; none if it has no valid one. */
export function logicalProperties(type: PropertyType): JsonObject {
  const name = type.properties.get('logicalType');
  if (typeof name !== 'string' || excludedProperties.some((key) => type.properties.has(key)))
    return new Map();
  if (!isValid(name, type)) return new Map();
  const properties = new Map<string, JsonNode>([['logicalType', name]]);
  if (name === 'decimal') {
    properties.set('precision', type.properties.get('precision')!);
    if (intOf(type, 'scale') !== 0) properties.set('scale', type.properties.get('scale')!);
  }
  return properties;
}

function isValid(name: string, type: PropertyType): boolean {
  switch (name) {
    case 'uuid':
      return type.kind === 'string' || (type.kind === 'fixed' && type.sizeBytes === 16);
    case 'duration':
      return type.kind === 'fixed' && type.sizeBytes === 12;
    case 'decimal': {
      const precision = intOf(type, 'precision') ?? 0;
      const scale = intOf(type, 'scale');
      if (scale === undefined || precision <= 0 || scale < 0 || scale > precision) return false;
      return type.kind === 'bytes' || (type.kind === 'fixed' && precision <= digitsMax(type.sizeBytes));
    }
    default:
      return Object.hasOwn(byKind, name) && byKind[name] === type.kind;
  }
}

/** Decimal digits that every number of so many bytes has room for. */
function digitsMax(sizeBytes: number): number {
  return Math.floor(Math.log10(2) * (8 * sizeBytes - 1));
}

/** An integer of 32 bits; 0 if it is absent, undefined if it is something else. */
function intOf(type: PropertyType, key: string): number | undefined {
  const node = type.properties.get(key);
  if (node === undefined) return 0;
  if (!(node instanceof JsonNumber) || !node.isInteger) return undefined;
  const value = Number(node.text);
  return Math.abs(value) < 2 ** 31 ? value : undefined;
}
