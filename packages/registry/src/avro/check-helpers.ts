/** Beyond any end of a payload. */
const nowhere = 2 ** 31 - 1;

/** Reads an unsigned number of up to three bytes. Returns four times the number plus its bytes, or -1. */
function countAt(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return -1;
  const first = bytes[at]!;
  if (first < 0x80) return (first << 2) | 1;
  if (at + 1 >= end) return -1;
  const second = bytes[at + 1]!;
  if (second < 0x80) return (((second << 7) | (first & 0x7f)) << 2) | 2;
  if (at + 2 >= end) return -1;
  const third = bytes[at + 2]!;
  if (third >= 0x80) return -1;
  return (((third << 14) | ((second & 0x7f) << 7) | (first & 0x7f)) << 2) | 3;
}

/** Where a text ends whose length takes several bytes or is negative. */
function textEnd(bytes: Uint8Array, at: number, end: number): number {
  const count = countAt(bytes, at, end);
  return count < 0 || (count & 4) !== 0 ? nowhere : at + (count & 3) + (count >> 3);
}

/** Where a number of 32 bits ends that takes several bytes. */
function intEnd(bytes: Uint8Array, start: number, end: number): number {
  const last = start + 4;
  let at = start + 1;
  while (at < end && at < last && bytes[at]! >= 0x80) at += 1;
  return at >= end || bytes[at]! > (at === last ? 0x0f : 0x7f) ? nowhere : at + 1;
}

/** Where a number of 64 bits ends that takes several bytes. */
function longEnd(bytes: Uint8Array, start: number, end: number): number {
  const last = start + 9;
  let at = start + 1;
  while (at < end && at < last && bytes[at]! >= 0x80) at += 1;
  return at >= end || bytes[at]! > (at === last ? 1 : 0x7f) ? nowhere : at + 1;
}

/** What generated checks call for numbers of several bytes. */
export const checkHelpers = { countAt, textEnd, intEnd, longEnd };
