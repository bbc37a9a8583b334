import { storageLimits } from '../limits.ts';
import { compareKeys } from '../store/key.ts';

/** Between these two are no characters. */
const surrogatesStart = 0xd800;
const surrogatesEnd = 0xe000;
const codePointMax = 0x10ffff;

/** Greater than every key. */
const afterAllKeys = String.fromCodePoint(codePointMax).repeat(storageLimits.objectKeyBytesMax / 4 + 1);

/**
 * The smallest text that is greater than all that begin with `prefix`, by bytes of UTF-8, whose order is that of code
 * points.
 */
export function endOfPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === codePointMax) points.pop();
  const last = points.pop();
  if (last === undefined) return afterAllKeys;
  const next = last + 1 === surrogatesStart ? surrogatesEnd : last + 1;
  return String.fromCodePoint(...points, next);
}

/** Not greater than any key after `key`: keys have no control characters. PostgreSQL takes no U+0000. */
export function firstAfter(key: string): string {
  return `${key}\u0001`;
}

export function laterKey(a: string, b: string): string {
  return compareKeys(a, b) < 0 ? b : a;
}
