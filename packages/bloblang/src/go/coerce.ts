import { fail, MappingError, wrongType } from '../values/mapping-error.ts';
import { asFloat, asInt, floatValue, intValue, isFloat, isNumber, uintValue } from '../values/numbers.ts';
import { printFloat } from '../values/print-float.ts';
import { printJson } from '../values/print-json.ts';
import { Bytes, Float, Timestamp, type Value } from '../values/value.ts';
import { parseFloatText, parseIntText } from './parse-number.ts';
import { parseRfc3339 } from './time-layout.ts';
import { utcZone } from './zones.ts';

/** Strings, byte arrays and timestamps as a string; other types fail. */
export function getString(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Bytes) return value.buffer.toString('utf8');
  if (value instanceof Timestamp) return Timestamp.print(value);
  throw wrongType(value, 'string');
}

export function getBytes(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Bytes) return value.buffer;
  if (value instanceof Timestamp) return Buffer.from(Timestamp.print(value));
  throw wrongType(value, 'bytes');
}

/** A number as a float64; other types fail. */
export function getFloat(value: Value): number {
  if (typeof value === 'number') return value;
  if (isNumber(value)) return asFloat(value);
  throw wrongType(value, 'number');
}

export function getInt(value: Value): bigint {
  if (isNumber(value)) return asInt(value);
  throw wrongType(value, 'number');
}

/** Booleans, and numbers that are not 0. */
export function getBool(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return isNonZero(value);
  throw wrongType(value, 'bool');
}

function isNonZero(value: number | bigint | Float): boolean {
  return value instanceof Float ? value.value !== 0 : value !== 0 && value !== 0n;
}

/** Timestamps, seconds since 1970, and texts of RFC 3339. */
export function getTimestamp(value: Value): Timestamp {
  if (value instanceof Timestamp) return value;
  if (isNumber(value)) {
    if (!isFloat(value)) return new Timestamp(Number(asInt(value)), 0, utcZone);
    const seconds = Math.trunc(asFloat(value));
    const nanos = Math.trunc((asFloat(value) - seconds) * 1e9);
    return nanos < 0
      ? new Timestamp(seconds - 1, nanos + 1e9, utcZone)
      : new Timestamp(seconds, nanos, utcZone);
  }
  if (typeof value === 'string') return parseRfc3339(value);
  if (value instanceof Bytes) return parseRfc3339(value.buffer.toString('utf8'));
  throw wrongType(value, 'number', 'string');
}

/** Any value as a string; arrays and objects as JSON. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Bytes) return value.buffer.toString('utf8');
  if (isNumber(value)) return numberText(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null) return 'null';
  if (value instanceof Timestamp) return Timestamp.print(value);
  return printJson(value, { escapesHtml: true });
}

export function toBytes(value: Value): Buffer {
  return value instanceof Bytes ? value.buffer : Buffer.from(toText(value), 'utf8');
}

/** Numbers of documents are printed without an exponent; computed floats as Go prints them. */
function numberText(value: number | bigint | Float): string {
  return value instanceof Float ? printFloat(value.value) : String(value);
}

/** A number, or a text of one, as a float64. */
export function toFloat(value: Value): number {
  if (isNumber(value)) return asFloat(value);
  if (typeof value === 'string') return parseFloatText(value);
  if (value instanceof Bytes) return parseFloatText(value.buffer.toString('utf8'));
  throw wrongType(value, 'number');
}

export function toBool(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return isNonZero(value);
  const text = value instanceof Bytes ? value.buffer.toString('utf8') : value;
  if (typeof text === 'string') {
    if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
    if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  }
  throw wrongType(value, 'bool');
}

const decimalsHint = 'if you intend to round the value then call `.round()` explicitly before this cast';

/** A whole number of at most 64 bits; what does not fit fails. */
export function toInt(value: Value): bigint {
  if (isNumber(value)) {
    if (typeof value === 'bigint' && value > 2n ** 63n - 1n)
      return fail('unsigned integer value is too large to be cast as a signed integer');
    if (!isFloat(value)) return asInt(value);
    return wholeOf(asFloat(value), 'a signed integer', -(2 ** 63), 2 ** 63);
  }
  if (typeof value === 'string') return parseIntText(value, true);
  if (value instanceof Bytes) return parseIntText(value.buffer.toString('utf8'), true);
  throw wrongType(value, 'number');
}

export function toUint(value: Value): bigint {
  if (isNumber(value)) {
    if (!isFloat(value)) {
      const whole = typeof value === 'bigint' ? value : asInt(value);
      if (whole < 0n) fail('signed integer value is negative and cannot be cast as an unsigned integer');
      return whole;
    }
    if (asFloat(value) < 0) fail('float value is negative and cannot be cast as an unsigned integer');
    return wholeOf(asFloat(value), 'an unsigned integer', 0, 2 ** 64);
  }
  if (typeof value === 'string') return parseIntText(value, false);
  if (value instanceof Bytes) return parseIntText(value.buffer.toString('utf8'), false);
  throw wrongType(value, 'number');
}

function wholeOf(float: number, kind: string, min: number, max: number): bigint {
  const plain = kind.replace(/^an? /, '');
  if (Number.isNaN(float)) fail(`cannot convert NAN to an ${plain.replace('signed integer', 'integer')}`);
  if (!Number.isFinite(float))
    fail(`cannot convert +/-INF to an ${plain.replace('signed integer', 'integer')}`);
  if (float > max) fail(`float value is too large to be cast as ${kind}`);
  if (float < min) fail(`float value is too small to be cast as ${kind}`);
  if (!Number.isInteger(float))
    fail(`float value contains decimals and therefore cannot be cast as ${kind}, ${decimalsHint}`);
  return BigInt(float);
}

/** A signed integer of fewer bits. */
export function toIntOf(value: Value, bits: number): number | bigint {
  const whole = toInt(value);
  const article = bits === 8 ? 'an' : 'a';
  const max = 2n ** BigInt(bits - 1);
  if (whole >= max) fail(`value is too large to be cast as ${article} ${bits}-bit signed integer`);
  if (whole < -max) fail(`value is too small to be cast as ${article} ${bits}-bit signed integer`);
  return intValue(whole);
}

export function toUintOf(value: Value, bits: number): number | bigint {
  const whole = toUint(value);
  const article = bits === 8 ? 'an' : 'a';
  if (whole >= 2n ** BigInt(bits))
    fail(`value is too large to be cast as ${article} ${bits}-bit unsigned integer`);
  return uintValue(whole);
}

/** The int64 of a float if it has one, else the float. */
export function intIfItFits(float: number): Value {
  try {
    return intValue(wholeOf(float, 'a signed integer', -(2 ** 63), 2 ** 63 - 1025));
  } catch (error) {
    if (error instanceof MappingError) return floatValue(float);
    throw error;
  }
}
