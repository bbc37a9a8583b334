import { fail, MappingError } from './mapping-error.ts';
import type { Value } from './value.ts';

/** Only texts with that many digits in a row can have integers that lose digits as a number. */
const longDigits = 16;
const digitsMax = 1000;
const integer = /^-?\d+$/;

/** Parses a JSON document. Integers keep all their digits. */
export function parseJson(text: string, describe: (why: string) => string): Value {
  try {
    return hasLongDigits(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
  } catch (error) {
    if (error instanceof MappingError) return fail(describe(error.message));
    return fail(describe(whyNot(text, error)));
  }
}

/** Looks at every sixteenth character: so many digits in a row cannot be between them. */
function hasLongDigits(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (start > 0 && isDigit(text, start - 1)) if (at - --start >= longDigits) return true;
    let end = at + 1;
    while (end < text.length && isDigit(text, end)) end++;
    if (end - start >= longDigits) return true;
    at = Math.max(at, end - longDigits);
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function exactIntegers(_key: string, value: Value, context?: { source?: string }): Value {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  if (source === undefined || !integer.test(source)) return value;
  // Reading and printing an integer takes more than its digits.
  if (source.length > digitsMax) fail(`an integer has more than ${digitsMax} digits`);
  return BigInt(source);
}

function whyNot(text: string, error: unknown): string {
  if (text.trim() === '') return 'EOF';
  const message = error instanceof Error ? error.message : String(error);
  if (/end of JSON input|Unterminated/.test(message)) return 'unexpected EOF';
  const at = /position (\d+)/.exec(message);
  if (!at) return 'invalid JSON';
  const character = text[Number(at[1])];
  return character === undefined
    ? 'unexpected end of JSON input'
    : `invalid character '${character}' at position ${at[1]}`;
}
