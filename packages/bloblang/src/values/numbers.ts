import { Float, type Value } from './value.ts';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;
export const int64 = { min: int64Min, max: int64Max };

/** A float64 that was computed, as a value. */
export function floatValue(value: number): number | Float {
  const absolute = Math.abs(value);
  // Outside of these bounds its text has an exponent, unlike that of a number of a document.
  const isPlain = absolute < 1e6 && absolute >= 1e-4 && !Number.isSafeInteger(value);
  return isPlain ? value : new Float(value);
}

/** An integer as a value, wrapped at 64 bits as Go does. */
export function intValue(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  return wrapped >= -9007199254740991n && wrapped <= 9007199254740991n ? Number(wrapped) : wrapped;
}

/** An unsigned integer as a value. */
export function uintValue(value: bigint): number | bigint {
  const wrapped = BigInt.asUintN(64, value);
  return wrapped <= 9007199254740991n ? Number(wrapped) : wrapped;
}

export function isNumber(value: Value): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

/** Whether a number is a float64, not an integer. Integers beyond 64 bits count as floats, as Go reads them. */
export function isFloat(value: number | bigint | Float): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  if (typeof value === 'bigint') return value < int64Min || value > uint64Max;
  return true;
}

/** The number as a float64. */
export function asFloat(value: number | bigint | Float): number {
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : value.value;
}

/** The number as an int64: floats are cut, and what does not fit becomes the least int64, as on amd64. */
export function asInt(value: number | bigint | Float): bigint {
  if (typeof value === 'bigint') {
    if (value >= int64Min && value <= uint64Max) return BigInt.asIntN(64, value);
    return int64Min;
  }
  const float = typeof value === 'number' ? value : value.value;
  if (!Number.isFinite(float)) return int64Min;
  const whole = BigInt(Math.trunc(float));
  return whole < int64Min || whole > int64Max ? int64Min : whole;
}
