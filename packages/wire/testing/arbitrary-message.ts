import fc from 'fast-check';
import { type Layout, type LayoutField, type LayoutType, layoutOf } from '../src/schema/layout.ts';
import type { Encodable, Message } from '../src/schema/message.ts';

/**
 * Any message of one version: every field of the version with any value, every other field with its default, so that
 * encoding and decoding gives the same value. Shrinks towards empty messages.
 */
export function arbitraryMessage<M extends Message>(message: M, version: number): fc.Arbitrary<Encodable<M>> {
  return arbitraryStruct(layoutOf(message, version)) as fc.Arbitrary<Encodable<M>>;
}

function arbitraryStruct(layout: Layout): fc.Arbitrary<object> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  const fields = new Map<string, fc.Arbitrary<unknown>>();
  for (const field of layout.fields) fields.set(field.name, arbitraryField(field));
  for (const field of layout.tagged) {
    fields.set(
      field.name,
      fc.oneof(
        fc.constant(null).map(() => defaultOf(field)),
        arbitraryField(field),
      ),
    );
  }
  for (const field of layout.absent)
    fields.set(
      field.name,
      fc.constant(null).map(() => defaultOf(field)),
    );
  for (const name of layout.names) members[name] = fields.get(name)!;
  const struct = fc.record(members, { noNullPrototype: true });
  if (!layout.flexible) return struct;
  const lowestUnknownTag = Math.max(-1, ...layout.tagged.map(({ tag }) => tag)) + 1;
  return fc
    .tuple(struct, arbitraryUnknownTags(lowestUnknownTag))
    .map(([value, unknown]) => (unknown.length === 0 ? value : { ...value, unknownTaggedFields: unknown }));
}

function arbitraryUnknownTags(lowestTag: number): fc.Arbitrary<{ tag: number; data: Buffer }[]> {
  const field = fc.record(
    { tag: fc.integer({ min: lowestTag, max: 0x7fff_ffff }), data: arbitraryBytes },
    { noNullPrototype: true },
  );
  return fc.oneof(
    { arbitrary: fc.constant<{ tag: number; data: Buffer }[]>([]), weight: 9 },
    {
      arbitrary: fc
        .uniqueArray(field, { selector: ({ tag }) => tag, maxLength: 3 })
        .map((list) => list.toSorted((a, b) => a.tag - b.tag)),
      weight: 1,
    },
  );
}

const arbitraryBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const arbitraryText = fc.string({ unit: 'grapheme', maxLength: 12 });

function arbitraryField(field: LayoutField): fc.Arbitrary<unknown> {
  const value = arbitraryType(field.type);
  return field.nullable ? fc.option(value, { nil: null, freq: 4 }) : value;
}

function arbitraryType(type: LayoutType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'bool':
      return fc.boolean();
    case 'int8':
      return fc.integer({ min: -0x80, max: 0x7f });
    case 'int16':
      return fc.integer({ min: -0x8000, max: 0x7fff });
    case 'uint16':
      return fc.integer({ min: 0, max: 0xffff });
    case 'int32':
      return fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
    case 'uint32':
      return fc.integer({ min: 0, max: 0xffff_ffff });
    case 'int64':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case 'float64':
      return fc.double({ noNaN: true });
    case 'uuid':
      return fc
        .uint8Array({ minLength: 16, maxLength: 16 })
        .map((bytes) => Buffer.from(bytes).toString('base64url'));
    case 'string':
      return arbitraryText;
    case 'bytes':
    case 'records':
      return arbitraryBytes;
    case 'array':
      return fc.array(arbitraryType(type.element), { maxLength: 3 });
    case 'struct':
      return arbitraryStruct(type.layout);
  }
}

function defaultOf(field: LayoutField): unknown {
  if (field.default !== 'empty') return field.default;
  switch (field.type.kind) {
    case 'array':
      return [];
    case 'struct':
      return defaultStruct(field.type.layout);
    default:
      return Buffer.alloc(0);
  }
}

function defaultStruct(layout: Layout): object {
  const fields = new Map(
    [...layout.fields, ...layout.tagged, ...layout.absent].map((field) => [field.name, field]),
  );
  return Object.fromEntries(layout.names.map((name) => [name, defaultOf(fields.get(name)!)]));
}
