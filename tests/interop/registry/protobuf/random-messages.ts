import { pick, type Random } from '@weir/registry/testing';

/** The parts of descriptors of `@bufbuild/protobuf` that the tests use. */
export interface MessageDescriptor {
  readonly typeName: string;
  readonly fields: readonly FieldDescriptor[];
}

export interface FieldDescriptor {
  readonly number: number;
  readonly name: string;
  readonly localName: string;
  readonly jsonName: string;
  readonly fieldKind: 'scalar' | 'enum' | 'message' | 'list' | 'map';
  readonly listKind?: 'scalar' | 'enum' | 'message';
  readonly mapKind?: 'scalar' | 'enum' | 'message';
  readonly mapKey?: number;
  /** A number of `FieldDescriptorProto.Type`. */
  readonly scalar?: number;
  readonly enum?: { readonly open: boolean; readonly values: readonly { name: string; number: number }[] };
  readonly message?: MessageDescriptor;
  readonly oneof?: { readonly localName: string };
  readonly presence: number;
}

const required = 3;

/** Texts and bytes are ASCII, as bytes may be read as a text. */
const valuesByScalar: Readonly<Record<number, readonly unknown[]>> = {
  1: [0, 1.5, -1e300, 'NaN', 'Infinity'],
  2: [0, 0.5, -3, 'NaN', '-Infinity'],
  3: ['0', '1', '-1', '9007199254740993', '-9223372036854775808'],
  4: ['0', '1', '18446744073709551615'],
  5: [0, 1, -1, 5, 2_147_483_647, -2_147_483_648],
  6: ['0', '7', '18446744073709551615'],
  7: [0, 7, 4_294_967_295],
  8: [true, false],
  9: ['', 'a', 'text'],
  12: ['', 'YQ==', 'dGV4dA=='],
  13: [0, 1, 4_294_967_295],
  15: [0, 7, -7],
  16: ['0', '7', '-7'],
  17: [0, 1, -1, 2_147_483_647],
  18: ['0', '1', '-1', '2147483647'],
};

const wellKnown: Readonly<Record<string, readonly unknown[]>> = {
  'google.protobuf.Timestamp': ['2026-01-31T12:00:00.500Z', '1970-01-01T00:00:00Z'],
  'google.protobuf.Struct': [{}, { a: [1, null, 'b', { c: true }] }],
  'google.protobuf.Int64Value': ['0', '-5'],
};

/** Messages nest no deeper, unless a field is required. */
const depthMax = 3;

/** A random message in the JSON of protobuf; none if required fields make it endless. */
export const randomMessage = (type: MessageDescriptor, random: Random, depth = 0): unknown => {
  const known = wellKnown[type.typeName];
  if (known !== undefined) return pick(random, known);
  if (depth > 2 * depthMax) return undefined;
  const result: Record<string, unknown> = {};
  const taken = new Set<unknown>();
  for (const field of type.fields) {
    const isRequired = field.presence === required;
    if (!isRequired && (random() < 0.35 || taken.has(field.oneof?.localName ?? field))) continue;
    if (!isRequired && field.message !== undefined && depth >= depthMax) continue;
    const value = randomField(field, random, depth);
    if (value === undefined) return undefined;
    taken.add(field.oneof?.localName ?? field);
    result[field.jsonName] = value;
  }
  return result;
};

const randomField = (field: FieldDescriptor, random: Random, depth: number): unknown => {
  const one = () => {
    if (field.message !== undefined) return randomMessage(field.message, random, depth + 1);
    if (field.enum !== undefined) return pick(random, field.enum.values).name;
    return pick(random, valuesByScalar[field.scalar!]!);
  };
  if (field.fieldKind === 'list') {
    const items = Array.from({ length: Math.floor(random() * 3) }, one);
    return items.includes(undefined) ? undefined : items;
  }
  if (field.fieldKind !== 'map') return one();
  const keys = Array.from({ length: Math.floor(random() * 3) }, () =>
    String(pick(random, valuesByScalar[field.mapKey!]!)),
  );
  const entries = keys.map((key) => [key, one()] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
};
