import { fail, MappingError } from './mapping-error.ts';
import type { Value } from './value.ts';

/** Only texts with that many digits in a row can have integers that lose digits as a number. */
const longDigits = /\d{16}/;
const digitsMax = 1000;
const integer = /^-?\d+$/;

/** Parses a JSON document. Integers keep all their digits. */
export function parseJson(text: string, describe: (why: string) => string): Value {
  try {
    return longDigits.test(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
  } catch (error) {
    if (error instanceof MappingError) return fail(describe(error.message));
    return fail(describe(whyNot(text, error)));
  }
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
