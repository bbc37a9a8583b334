import type { Nanoseconds } from '@weir/api';

/** Values as the interface writes them. */

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A duration; -1 stays -1, which is for ever. */
export function nanosecondsOfMs(ms: number): Nanoseconds {
  return ms < 0 ? -1 : shortest(BigInt(Math.trunc(ms)) * 1_000_000n);
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

/** Splits a list into parts that one call takes. */
export function partsOf<T>(items: readonly T[], itemsMax: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += itemsMax) parts.push(items.slice(at, at + itemsMax));
  return parts;
}
