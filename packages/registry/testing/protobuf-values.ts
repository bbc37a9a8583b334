import type { FieldType, MessageType, ScalarType } from '../src/protobuf/types.ts';
import { pick, type Random } from './protobuf-schemas.ts';

/** Values of scalars as decoding returns them. The first one is the default, which is absent without presence. */
const scalars: Readonly<Record<ScalarType, readonly [unknown, ...unknown[]]>> = {
  double: [0, 1.5, -1e300, 5e-324, 'NaN', '-Infinity', 0.1],
  float: [0, 1.5, 0.1, 3.4028235e38, 1.4013e-45, 'NaN', 'Infinity'],
  int32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  sint32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  sfixed32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  uint32: [0, 1, 2 ** 32 - 1],
  fixed32: [0, 1, 2 ** 32 - 1],
  int64: ['0', '1', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  sint64: ['0', '1', '-1', '9223372036854775807', '-9223372036854775808'],
  sfixed64: ['0', '1', '-1', '9223372036854775807', '-9223372036854775808'],
  uint64: ['0', '1', '18446744073709551615'],
  fixed64: ['0', '1', '18446744073709551615'],
  bool: [false, true],
  string: ['', 'x', 'üñ😀', '\u0000"\\', '\ufeff'],
  bytes: ['', 'AA==', 'AQL/', 'AQID'],
};

const wellKnown: Readonly<Record<string, readonly unknown[]>> = {
  'google.protobuf.Timestamp': [
    '1970-01-01T00:00:00Z',
    '2026-01-31T12:00:00.500Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
  ],
  'google.protobuf.Struct': [{}, { a: null, b: [1.5, 'x', { c: true }] }, { '': [], x: -1e300 }],
  'google.protobuf.Int64Value': ['0', '-1', '9223372036854775807'],
};

/** A message as JSON, as decoding returns it. Undefined where required fields would nest without end. */
export function protobufValue(
  random: Random,
  type: MessageType,
  depth = 4,
): Record<string, unknown> | undefined {
  const value: Record<string, unknown> = {};
  for (const field of type.fields) {
    const isOther = field.oneof?.fields.some(
      (other) => other !== field && Object.hasOwn(value, other.jsonName),
    );
    const isWanted = field.isRequired || (random() < 0.7 && isOther !== true);
    const content = isWanted ? fieldValue(random, field, depth) : undefined;
    if (content !== undefined) value[field.jsonName] = content;
    else if (field.isRequired) return undefined;
  }
  return value;
}

function fieldValue(random: Random, field: FieldType, depth: number): unknown {
  const count = Math.floor(random() * 4);
  const { mapEntry } = field;
  if (mapEntry !== undefined) {
    const [keyField, valueField] = [mapEntry.byNumber.get(1)!, mapEntry.byNumber.get(2)!];
    const entries = Array.from({ length: count }, () => [
      String(single(random, keyField, depth)),
      single(random, valueField, depth),
    ]).filter(([, content]) => content !== undefined);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  if (field.label === 'repeated') {
    const items = Array.from({ length: count }, () => single(random, field, depth));
    return items.length === 0 || items.includes(undefined) ? undefined : items;
  }
  const content = single(random, field, depth);
  return !field.hasPresence && content === defaultOf(field) ? undefined : content;
}

function single(random: Random, { type }: FieldType, depth: number): unknown {
  if (typeof type === 'string') return pick(random, scalars[type]);
  // The first name of a number: others mean the same.
  if (type.kind === 'enum') return type.nameOf.get(pick(random, [...type.nameOf.keys()]));
  const known = wellKnown[type.fullName];
  if (known !== undefined) return pick(random, known);
  return depth === 0 ? undefined : protobufValue(random, type, depth - 1);
}

function defaultOf({ type }: FieldType): unknown {
  if (typeof type === 'string') return scalars[type][0];
  return type.kind === 'enum' ? type.nameOf.get(0) : undefined;
}
