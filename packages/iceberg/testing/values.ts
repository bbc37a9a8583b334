import fc from 'fast-check';
import { type PrimitiveType, parsePrimitive } from '../src/schema/types.ts';
import type { Value } from '../src/values/value.ts';

/** Texts of all primitive types. */
export const primitiveTexts = [
  ...[
    'boolean',
    'int',
    'long',
    'float',
    'double',
    'date',
    'time',
    'timestamp',
    'timestamptz',
    'string',
    'uuid',
  ],
  ...['fixed[3]', 'binary', 'decimal(9, 2)', 'decimal(38, 10)'],
] as const;

export const primitiveTypes: readonly PrimitiveType[] = primitiveTexts.map((text) =>
  parsePrimitive(text, 'test'),
);

const int = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -(2 ** 31) + 10, max: 2 ** 31 - 1 }),
);
// Truncation of the least numbers is refused; partitions.test.ts has them.
const long = fc.oneof(fc.bigInt({ min: -50n, max: 50n }), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }));
/** About 500 years around 1970, and near 1970. */
const micros = fc.oneof(
  fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
  fc.bigInt({ min: -200_000_000_000n, max: 200_000_000_000n }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.string({
    unit: fc.constantFrom('a', 'b', '\u{ff5e}', '\u{1f600}', '\u{10ffff}', '\ud7ff'),
    maxLength: 24,
  }),
);

export function valueOfType(type: PrimitiveType): fc.Arbitrary<Value> {
  switch (type.kind) {
    case 'boolean':
      return fc.boolean();
    case 'int':
      return int;
    case 'date':
      return fc.integer({ min: -200_000, max: 200_000 });
    case 'long':
      return long;
    case 'time':
      return fc.bigInt({ min: 0n, max: 86_399_999_999n });
    case 'timestamp':
    case 'timestamptz':
      return micros;
    case 'float':
      return fc.oneof(fc.float(), fc.constantFrom(0, -0, 1, Number.NaN));
    case 'double':
      return fc.oneof(fc.double(), fc.constantFrom(0, -0, 1, Number.NaN));
    case 'decimal': {
      const most = 10n ** BigInt(type.precision) - 10n;
      return fc.oneof(fc.bigInt({ min: -200n, max: 200n }), fc.bigInt({ min: -most, max: most }));
    }
    case 'string':
      return text;
    case 'uuid':
      return fc.uuid();
    case 'fixed':
      return fc.uint8Array({ minLength: type.bytes, maxLength: type.bytes });
    case 'binary':
      return fc.uint8Array({ maxLength: 24 });
  }
}
