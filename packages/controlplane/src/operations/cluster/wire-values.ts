import type { Nanoseconds } from '@weir/api';

/** Values in the format of the API. */

const int64Max = 2n ** 63n - 1n;

/** Converts a duration; -1 stays -1, which is unlimited. The maximum is a signed 64-bit integer, 292 years. */
export function nanosecondsOfMs(ms: number): Nanoseconds {
  if (ms < 0) return -1;
  const exact = BigInt(Math.trunc(ms)) * 1_000_000n;
  return shortest(exact < int64Max ? exact : int64Max);
}

/** A number while that is exact, and a bigint beyond. */
export function shortest(value: bigint): Nanoseconds {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** By code units, so that the order is the same everywhere. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Splits a list into parts for one call each. */
export function partsOf<T>(items: readonly T[], itemsMax: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += itemsMax) parts.push(items.slice(at, at + itemsMax));
  return parts;
}
