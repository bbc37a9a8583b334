/** Values of primitive types as the package holds them, and their order. */
import type { PrimitiveType } from '../schema/types.ts';

/**
 * | type | value |
 * |---|---|
 * | boolean | boolean |
 * | int, date (days since 1970), float, double | number |
 * | long, time, timestamp, timestamptz (microseconds), decimal (unscaled) | bigint |
 * | string, uuid (lower case, with dashes) | string |
 * | fixed, binary | Uint8Array |
 */
export type Value = boolean | number | bigint | string | Uint8Array;

/** Less than, equal to or greater than 0. -0 is before 0, and NaN after all numbers. */
export function compareValues(type: PrimitiveType, one: Value, other: Value): number {
  switch (type.kind) {
    case 'float':
    case 'double':
      return compareNumbers(one as number, other as number);
    case 'string':
      return compareText(one as string, other as string);
    case 'fixed':
    case 'binary':
      return Buffer.compare(one as Uint8Array, other as Uint8Array);
    default:
      return one < other ? -1 : one > other ? 1 : 0;
  }
}

function compareNumbers(one: number, other: number): number {
  if (one < other) return -1;
  if (one > other) return 1;
  if (Object.is(one, other)) return 0;
  if (one === other) return Object.is(one, -0) ? -1 : 1;
  return Number.isNaN(one) ? 1 : -1;
}

/** By code points, which is the order of UTF-8 bytes; `<` compares UTF-16 units and puts U+1F600 before U+FF5E. */
function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates are parts of code points beyond all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const integerBounds: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  date: [-(2n ** 31n), 2n ** 31n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  timestamp: [-(2n ** 63n), 2n ** 63n - 1n],
  timestamptz: [-(2n ** 63n), 2n ** 63n - 1n],
  time: [0n, 86_400_000_000n - 1n],
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a value is one of the type: its form, range, digits and length. */
export function isValueOf(type: PrimitiveType, value: unknown): value is Value {
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
    case 'date':
      return Number.isInteger(value) && isWithin(type.kind, BigInt(value as number));
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return typeof value === 'bigint' && isWithin(type.kind, value);
    case 'decimal': {
      const limit = 10n ** BigInt(type.precision);
      return typeof value === 'bigint' && value < limit && value > -limit;
    }
    case 'float':
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'uuid':
      return typeof value === 'string' && uuidPattern.test(value);
    case 'fixed':
      return value instanceof Uint8Array && value.length === type.bytes;
    case 'binary':
      return value instanceof Uint8Array;
  }
}

function isWithin(kind: string, value: bigint): boolean {
  const [least, most] = integerBounds[kind]!;
  return value >= least && value <= most;
}
