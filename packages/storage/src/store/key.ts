import { storageLimits } from '../limits.ts';
import { StoreError } from './store-error.ts';

/**
 * Checks a key, with the same rules for every driver: segments between slashes, none of them empty, `.` or `..`,
 * without control characters. So a key is always the same path on a disk, path in a URL and name in a bucket.
 */
export function checkKey(key: string): void {
  const problem = problemWithKey(key);
  if (problem !== undefined) throw new StoreError('invalid', JSON.stringify(key), problem);
}

/** Checks the keys of one call for many. */
export function checkKeys(keys: readonly string[]): void {
  if (keys.length > storageLimits.deletedKeysMax)
    throw new StoreError('invalid', `${keys.length} keys`, `one call takes ${storageLimits.deletedKeysMax}`);
  for (const key of keys) checkKey(key);
}

function problemWithKey(key: string): string | undefined {
  if (key === '') return 'a key may not be empty';
  // A segment that is empty, `.` or `..`.
  if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(key)) return 'a segment of a key may not be empty, . or ..';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  if (/[\u0000-\u001f\u007f]/.test(key)) return 'a key may not hold control characters';
  if (!key.isWellFormed()) return 'a key must be well-formed Unicode';
  if (
    key.length * 3 > storageLimits.objectKeyBytesMax &&
    Buffer.byteLength(key) > storageLimits.objectKeyBytesMax
  ) {
    return `a key may have ${storageLimits.objectKeyBytesMax} bytes`;
  }
  return undefined;
}

export function checkRange(key: string, start: number, end: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new StoreError('invalid', key, `${start} to ${end} is not a range of bytes`);
  }
}

/** Compares by UTF-8 bytes. JavaScript compares UTF-16, where surrogates come before U+E000 to U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/** Ranks surrogates after all other code units. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
