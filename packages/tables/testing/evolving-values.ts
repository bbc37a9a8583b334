import type { Random } from '@weir/core';
import { type PrimitiveType, parsePrimitive, type Type } from '@weir/iceberg';
import type { RowValue } from '../src/parquet/parquet-writer.ts';

const primitive = (text: string) => parsePrimitive(text, 'test');

const primitiveTexts = [
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
  ...['fixed[3]', 'binary', 'decimal(9, 2)', 'decimal(18, 4)', 'decimal(38, 10)'],
];

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/** Ids are given by the table. */
export function randomType(random: Random, depth = 0): Type {
  const kind = depth < 2 ? random.below(8) : 0;
  switch (kind) {
    case 5:
      return { kind: 'list', elementId: 0, isElementRequired: false, element: randomType(random, depth + 1) };
    case 6:
      return {
        kind: 'map',
        keyId: 0,
        key: primitive(oneOf(random, ['string', 'int'])),
        valueId: 0,
        isValueRequired: false,
        value: randomType(random, depth + 1),
      };
    case 7:
      return {
        kind: 'struct',
        columns: ['a', 'B', 'ä"\'x'].map((name) => ({
          id: 0,
          name,
          isRequired: false,
          type: randomType(random, depth + 1),
        })),
      };
    default:
      return primitive(oneOf(random, primitiveTexts));
  }
}

/** Values that are hard to get right, and nulls at every level. */
export function randomValue(random: Random, type: Type, isRequired = false): RowValue {
  if (!isRequired && random.below(5) === 0) return null;
  switch (type.kind) {
    case 'struct':
      return type.columns.map((column) => randomValue(random, column.type));
    case 'list':
      return Array.from({ length: random.below(4) }, () => randomValue(random, type.element));
    case 'map':
      return Array.from({ length: random.below(4) }, (_, at) => [
        type.key.kind === 'int' ? at - 1 : `${oneOf(random, ['', 'k', '😀'])}${at}`,
        randomValue(random, type.value),
      ]);
    default:
      return primitiveValue(random, type);
  }
}

function primitiveValue(random: Random, type: PrimitiveType): RowValue {
  switch (type.kind) {
    case 'boolean':
      return random.below(2) === 1;
    case 'int':
      return oneOf(random, [0, -1, 2 ** 31 - 1, -(2 ** 31), random.below(1000)]);
    case 'date':
      return oneOf(random, [0, -1, -200_000, 200_000, random.below(20_000)]);
    case 'long':
      return oneOf(random, [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n]);
    case 'float':
      return oneOf(random, [0, -0, Number.NaN, Number.POSITIVE_INFINITY, -1.5, Math.fround(0.1)]);
    case 'double':
      return oneOf(random, [0, -0, Number.NaN, Number.NEGATIVE_INFINITY, 0.1, 5e-324]);
    case 'time':
      return oneOf(random, [0n, 86_399_999_999n, 1n]);
    case 'timestamp':
    case 'timestamptz':
      return oneOf(random, [0n, -1n, -2_208_988_800_000_000n, 1_700_000_000_123_456n]);
    case 'decimal': {
      const most = 10n ** BigInt(type.precision) - 1n;
      return oneOf(random, [0n, -1n, most, -most, BigInt(random.below(10_000))]);
    }
    case 'string':
      return oneOf(random, ['', 'a', '😀\u{10ffff}', '\u{ff5e}', 'null', 'it\'s "x"', 'x'.repeat(40)]);
    case 'uuid':
      return oneOf(random, ['00000000-0000-0000-0000-000000000000', 'f79c3e09-677c-4bbd-a479-3f349cb785e7']);
    case 'fixed':
      return Uint8Array.from({ length: type.bytes }, () => random.below(256));
    case 'binary':
      return Uint8Array.from({ length: random.below(5) }, () => random.below(256));
  }
}

/** A wider type, if evolution allows one. */
export function widened(type: Type): PrimitiveType | undefined {
  if (type.kind === 'int') return { kind: 'long' };
  if (type.kind === 'float') return { kind: 'double' };
  if (type.kind === 'decimal' && type.precision < 38)
    return { ...type, precision: type.precision < 18 ? type.precision + 5 : 38 };
  return undefined;
}
