/**
 * Values of columns from the text of a JSON object, without the object. It knows the usual: what it does not know, such
 * as escapes in texts, exponents, keys that occur twice or values of another type, is left to `JSON.parse` and the
 * converters, which also say what is wrong. What it returns is what these would return, and it never takes a text that
 * is no JSON.
 */
import type { Type } from '@weir/iceberg';
import type { RowValue } from '../parquet/parquet-writer.ts';
import type { Column } from '../schemas/columns.ts';
import { type ConvertOptions, converterOf, microsOfCount, textBytes } from './convert-values.ts';
import { parseTimestampMicros } from './time-text.ts';

class Cursor {
  text = '';
  at = 0;
  /** Of the number that was read last: its digits as an integer, if there are not too many. */
  mantissa = 0;
  digits = 0;
  fractionDigits = 0;
  isNegative = false;
  hasExponent = false;
  start = 0;
}

/** Reads a value and moves behind it; `undefined` if it is unusual. */
type Scan = (cursor: Cursor) => RowValue | undefined;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const backslash = 0x5c;
const minus = 0x2d;

/** Integers of so many digits are exact as numbers, and so is the quotient of one and a small power of ten. */
const exactDigitsMax = 15;
const exactPowerMax = 22;
const powers = Array.from({ length: 39 }, (_, exponent) => 10 ** exponent);
/** Fields that are no columns are skipped to this depth. */
const skippedDepthMax = 32;

/**
 * Puts the values of an object into an array, one for each column. Returns `false` if there is anything unusual; the
 * array and the meter then have any values.
 */
export type ObjectScan = (text: string, values: (RowValue | undefined)[]) => boolean;

/** A scan for some columns; `undefined` if they have types that it does not know. */
export function objectScanOf(columns: readonly Column[], options: ConvertOptions): ObjectScan | undefined {
  const scan = fieldsScan(columns, options);
  if (scan === undefined) return undefined;
  const cursor = new Cursor();
  return (text, values) => {
    cursor.text = text;
    cursor.at = 0;
    skipSpace(cursor);
    values.fill(undefined);
    if (!scan(cursor, values)) return false;
    skipSpace(cursor);
    return cursor.at === text.length;
  };
}

function skipSpace(cursor: Cursor): void {
  // Most texts have none, and a call that is small is no call.
  if (cursor.text.charCodeAt(cursor.at) <= 0x20) skipSpaces(cursor);
}

function skipSpaces(cursor: Cursor): void {
  const { text } = cursor;
  for (let code = text.charCodeAt(cursor.at); code <= 0x20; code = text.charCodeAt(++cursor.at))
    // Other control characters are no JSON.
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
}

type FieldsScan = (cursor: Cursor, values: (RowValue | undefined)[]) => boolean;

function fieldsScan(columns: readonly Column[], options: ConvertOptions): FieldsScan | undefined {
  const scans: Scan[] = [];
  for (const { id, type } of columns) {
    const scan = scanOf(id, type, options);
    if (scan === undefined) return undefined;
    scans.push(scan);
  }
  const count = columns.length;
  const required = columns.map(({ isRequired }) => isRequired);
  /** As most writers print them. */
  const tokens = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const indexes = new Map(columns.map(({ name }, index) => [name, index]));
  return (cursor, values) => {
    const { text } = cursor;
    if (text.charCodeAt(cursor.at) !== openBrace) return false;
    cursor.at++;
    skipSpace(cursor);
    if (text.charCodeAt(cursor.at) === closeBrace) cursor.at++;
    else {
      // Records of a topic have their fields in one order, which often is that of the schema.
      let likely = 0;
      for (;;) {
        let index = likely;
        if (likely < count && text.startsWith(tokens[likely]!, cursor.at))
          cursor.at += tokens[likely]!.length;
        else {
          const name = scanText(cursor);
          if (name === undefined) return false;
          skipSpace(cursor);
          if (text.charCodeAt(cursor.at) !== colon) return false;
          cursor.at++;
          index = indexes.get(name) ?? -1;
        }
        skipSpace(cursor);
        if (index < 0) {
          if (!skipValue(cursor, 0)) return false;
        } else {
          if (values[index] !== undefined) return false;
          const value = scanNull(cursor) ? null : scans[index]!(cursor);
          if (value === undefined || (value === null && required[index]!)) return false;
          values[index] = value;
          likely = index + 1;
        }
        skipSpace(cursor);
        const code = text.charCodeAt(cursor.at++);
        if (code === closeBrace) break;
        if (code !== comma) return false;
        skipSpace(cursor);
      }
    }
    for (let index = 0; index < count; index++) {
      if (values[index] !== undefined) continue;
      if (required[index]!) return false;
      values[index] = null;
    }
    return true;
  };
}

function scanNull(cursor: Cursor): boolean {
  // Most values are not null, which the first character says.
  if (cursor.text.charCodeAt(cursor.at) !== 0x6e || !cursor.text.startsWith('null', cursor.at)) return false;
  cursor.at += 4;
  return true;
}

/** The end of a text without escapes; -1 if it has some, or is none. The cursor is at its first quote. */
function textEnd({ text, at }: Cursor): number {
  if (text.charCodeAt(at) !== quote) return -1;
  for (let end = at + 1; ; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) return end;
    // Also if there is no more character.
    if (code === backslash || !(code >= 0x20)) return -1;
  }
}

function scanText(cursor: Cursor): string | undefined {
  const end = textEnd(cursor);
  if (end < 0) return undefined;
  const start = cursor.at + 1;
  cursor.at = end + 1;
  return cursor.text.slice(start, end);
}

/** Reads a number as JSON has it. */
function scanNumber(cursor: Cursor): boolean {
  const { text } = cursor;
  let at = cursor.at;
  cursor.start = at;
  cursor.isNegative = text.charCodeAt(at) === minus;
  if (cursor.isNegative) at++;
  const first = at;
  let mantissa = 0;
  let digit = text.charCodeAt(at) - 0x30;
  while (digit >= 0 && digit <= 9) {
    mantissa = mantissa * 10 + digit;
    digit = text.charCodeAt(++at) - 0x30;
  }
  let digits = at - first;
  if (digits === 0 || (digits > 1 && text.charCodeAt(first) === 0x30)) return false;
  let fractionDigits = 0;
  if (text.charCodeAt(at) === 0x2e) {
    const point = at;
    digit = text.charCodeAt(++at) - 0x30;
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digit = text.charCodeAt(++at) - 0x30;
    }
    fractionDigits = at - point - 1;
    if (fractionDigits === 0) return false;
    digits += fractionDigits;
  }
  cursor.hasExponent = (text.charCodeAt(at) | 0x20) === 0x65;
  if (cursor.hasExponent) {
    const sign = text.charCodeAt(++at);
    if (sign === minus || sign === 0x2b) at++;
    const power = at;
    for (digit = text.charCodeAt(at) - 0x30; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 0x30)
      at++;
    if (at === power) return false;
  }
  cursor.at = at;
  cursor.mantissa = mantissa;
  cursor.digits = digits;
  cursor.fractionDigits = fractionDigits;
  return true;
}

/** Moves behind a value, if it is JSON. */
function skipValue(cursor: Cursor, depth: number): boolean {
  const { text } = cursor;
  switch (text.charCodeAt(cursor.at)) {
    case quote: {
      const end = textEnd(cursor);
      if (end < 0) return false;
      cursor.at = end + 1;
      return true;
    }
    case openBrace:
    case openBracket:
      return depth < skippedDepthMax && skipInside(cursor, depth + 1);
    case 0x74:
      return skipWord(cursor, 'true');
    case 0x66:
      return skipWord(cursor, 'false');
    case 0x6e:
      return skipWord(cursor, 'null');
    default:
      return scanNumber(cursor);
  }
}

function skipWord(cursor: Cursor, word: string): boolean {
  if (!cursor.text.startsWith(word, cursor.at)) return false;
  cursor.at += word.length;
  return true;
}

function skipInside(cursor: Cursor, depth: number): boolean {
  const { text } = cursor;
  const isObject = text.charCodeAt(cursor.at++) === openBrace;
  const close = isObject ? closeBrace : closeBracket;
  skipSpace(cursor);
  if (text.charCodeAt(cursor.at) === close) {
    cursor.at++;
    return true;
  }
  for (;;) {
    if (isObject) {
      const end = textEnd(cursor);
      if (end < 0) return false;
      cursor.at = end + 1;
      skipSpace(cursor);
      if (text.charCodeAt(cursor.at++) !== colon) return false;
      skipSpace(cursor);
    }
    if (!skipValue(cursor, depth)) return false;
    skipSpace(cursor);
    const code = text.charCodeAt(cursor.at++);
    if (code === close) return true;
    if (code !== comma) return false;
    skipSpace(cursor);
  }
}

function scanOf(id: number, type: Type, options: ConvertOptions): Scan | undefined {
  const { meter } = options;
  switch (type.kind) {
    case 'boolean':
      return (cursor) => {
        meter.bytes += 1;
        if (skipWord(cursor, 'true')) return true;
        return skipWord(cursor, 'false') ? false : undefined;
      };
    case 'int':
      return (cursor) => {
        if (!scanInteger(cursor)) return undefined;
        meter.bytes += 4;
        const value = cursor.isNegative ? -cursor.mantissa : cursor.mantissa;
        return (value | 0) === value ? value | 0 : undefined;
      };
    case 'long':
      return (cursor) => {
        if (!scanQuoted(cursor, scanInteger)) return undefined;
        meter.bytes += 8;
        return BigInt(cursor.isNegative ? -cursor.mantissa : cursor.mantissa);
      };
    case 'float':
    case 'double': {
      const isFloat = type.kind === 'float';
      return (cursor) => {
        if (!scanNumber(cursor)) return undefined;
        meter.bytes += isFloat ? 4 : 8;
        const number = isFloat ? Math.fround(doubleOf(cursor)) : doubleOf(cursor);
        return Number.isFinite(number) ? number : undefined;
      };
    }
    case 'decimal':
      return decimalScan(type, options);
    case 'string':
      return (cursor) => {
        const text = scanText(cursor);
        if (text !== undefined) meter.bytes += textBytes(text);
        return text;
      };
    case 'timestamp':
    case 'timestamptz': {
      const isZoned = type.kind === 'timestamptz';
      const unit = options.units.get(id) ?? 'millis';
      return (cursor) => {
        meter.bytes += 8;
        const end = textEnd(cursor);
        if (end < 0) return scanInteger(cursor) ? microsOfInteger(cursor, unit) : undefined;
        const micros = parseTimestampMicros(cursor.text, isZoned, cursor.at + 1, end);
        cursor.at = end + 1;
        return typeof micros === 'bigint' ? micros : undefined;
      };
    }
    case 'struct': {
      const scan = fieldsScan(type.columns, options);
      if (scan === undefined) return undefined;
      const count = type.columns.length;
      return (cursor) => {
        const values: (RowValue | undefined)[] = new Array(count).fill(undefined);
        return scan(cursor, values) ? (values as RowValue[]) : undefined;
      };
    }
    case 'list':
      return listScan(type, options);
    case 'map':
      return undefined;
    default: {
      // Texts of a form, which is looked at as in any document.
      const convert = converterOf({ id, type, isRequired: true }, options, '');
      return (cursor) => {
        const text = scanText(cursor);
        return text === undefined ? undefined : convert(text);
      };
    }
  }
}

/** An integer that is exact as a number. */
function scanInteger(cursor: Cursor): boolean {
  return (
    scanNumber(cursor) &&
    cursor.digits <= exactDigitsMax &&
    cursor.fractionDigits === 0 &&
    !cursor.hasExponent
  );
}

/** A number, or one in quotes: many writers send those that have to be exact as texts. */
function scanQuoted(cursor: Cursor, scan: (cursor: Cursor) => boolean): boolean {
  if (cursor.text.charCodeAt(cursor.at) !== quote) return scan(cursor);
  cursor.at++;
  return scan(cursor) && cursor.text.charCodeAt(cursor.at++) === quote;
}

function microsOfInteger(
  { mantissa, isNegative }: Cursor,
  unit: Parameters<typeof microsOfCount>[1],
): bigint {
  return microsOfCount(BigInt(isNegative ? -mantissa : mantissa), unit);
}

function doubleOf({
  text,
  start,
  at,
  mantissa,
  digits,
  fractionDigits,
  isNegative,
  hasExponent,
}: Cursor): number {
  // Both are exact, so that the quotient is rounded as the number would be.
  if (digits > exactDigitsMax || fractionDigits > exactPowerMax || hasExponent)
    return Number(text.slice(start, at));
  const absolute = fractionDigits === 0 ? mantissa : mantissa / powers[fractionDigits]!;
  return isNegative ? -absolute : absolute;
}

function decimalScan(
  { precision, scale }: Extract<Type, { kind: 'decimal' }>,
  { meter }: ConvertOptions,
): Scan {
  const bytes = precision > 18 ? 16 : 8;
  const limit = Math.min(10 ** precision, 10 ** exactDigitsMax);
  return (cursor) => {
    if (!scanQuoted(cursor, scanNumber)) return undefined;
    const { fractionDigits, digits, mantissa } = cursor;
    if (digits > exactDigitsMax || fractionDigits > scale || cursor.hasExponent) return undefined;
    const unscaled = mantissa * powers[scale - fractionDigits]!;
    if (unscaled >= limit) return undefined;
    meter.bytes += bytes;
    return BigInt(cursor.isNegative ? -unscaled : unscaled);
  };
}

function listScan(type: Extract<Type, { kind: 'list' }>, options: ConvertOptions): Scan | undefined {
  const scan = scanOf(type.elementId, type.element, options);
  if (scan === undefined) return undefined;
  const { meter } = options;
  const { isElementRequired } = type;
  return (cursor) => {
    const { text } = cursor;
    if (text.charCodeAt(cursor.at) !== openBracket) return undefined;
    cursor.at++;
    skipSpace(cursor);
    const list: RowValue[] = [];
    meter.bytes += 8;
    if (text.charCodeAt(cursor.at) === closeBracket) {
      cursor.at++;
      return list;
    }
    for (;;) {
      const value = scanNull(cursor) ? null : scan(cursor);
      if (value === undefined || (value === null && isElementRequired)) return undefined;
      list.push(value);
      meter.bytes += 1;
      skipSpace(cursor);
      const code = text.charCodeAt(cursor.at++);
      if (code === closeBracket) return list;
      if (code !== comma) return undefined;
      skipSpace(cursor);
    }
  };
}
