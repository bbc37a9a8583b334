/**
 * Bounds of a column: of all values in a file, the lower one is less or equal and the upper one greater or equal. Long
 * texts are cut to a prefix, so that a manifest stays small. A wrong bound loses rows without any error; a missing one
 * only costs speed.
 */
import type { PrimitiveType } from '../schema/types.ts';
import type { Value } from './value.ts';

/** The bound of the least value; `undefined` if there can be none. */
export function lowerBoundOf(type: PrimitiveType, least: Value, lengthMax: number): Value | undefined {
  if (typeof least === 'number' && Number.isNaN(least)) return undefined;
  // A writer for which 0 equals -0 may have seen both.
  if ((type.kind === 'float' || type.kind === 'double') && least === 0) return -0;
  if (typeof least === 'string' && type.kind === 'string') return prefix(least, lengthMax);
  if (least instanceof Uint8Array && type.kind === 'binary') return least.subarray(0, lengthMax);
  return least;
}

/** The bound of the greatest value; `undefined` if there can be none. */
export function upperBoundOf(type: PrimitiveType, greatest: Value, lengthMax: number): Value | undefined {
  if (typeof greatest === 'number' && Number.isNaN(greatest)) return undefined;
  if ((type.kind === 'float' || type.kind === 'double') && greatest === 0) return 0;
  if (typeof greatest === 'string' && type.kind === 'string') {
    const cut = prefix(greatest, lengthMax);
    return cut.length === greatest.length ? greatest : textAfter(cut);
  }
  if (greatest instanceof Uint8Array && type.kind === 'binary') {
    const cut = greatest.subarray(0, lengthMax);
    return cut.length === greatest.length ? greatest : bytesAfter(cut);
  }
  return greatest;
}

/** The first code points of a text. */
export function prefix(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  let end = 0;
  for (let count = 0; count < codePoints && end < text.length; count++)
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/**
 * The least text that is greater than all texts with this prefix: the last code point that can be raised is, and the
 * rest is left out. `undefined` if none can.
 */
export function textAfter(text: string): string | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0)!);
  for (let at = points.length - 1; at >= 0; at--) {
    const point = points[at]!;
    if (point === 0x10ffff) continue;
    // Surrogates are no characters.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return String.fromCodePoint(...points.slice(0, at), next);
  }
  return undefined;
}

function bytesAfter(bytes: Uint8Array): Uint8Array | undefined {
  for (let at = bytes.length - 1; at >= 0; at--) {
    if (bytes[at] === 0xff) continue;
    const next = Buffer.from(bytes.subarray(0, at + 1));
    next[at]!++;
    return next;
  }
  return undefined;
}
