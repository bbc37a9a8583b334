/**
 * Values of documents as values of columns, exactly or not at all. A document is what JSON has: records in JSON, and
 * what transforms return. Each column is compiled to a closure once.
 */
import { isUtf8 } from 'node:buffer';
import { Bytes, Float, Timestamp } from '@weir/bloblang';
import { type PrimitiveType, primitiveText, type Type } from '@weir/iceberg';
import type { RowValue } from '../parquet/parquet-writer.ts';
import type { Column, TimeUnit } from '../schemas/columns.ts';
import { unscaledOf } from './decimal-text.ts';
import { exactNumberText, isMarked, unmarkedText } from './exact-json.ts';
import { fail, shown } from './row-fault.ts';
import { microsOf, parseDays, parseTimeMicros, parseTimestampMicros } from './time-text.ts';

/** About the bytes of the row that is being made. */
export interface RowMeter {
  bytes: number;
}

export type Convert = (value: unknown) => RowValue;

export interface ConvertOptions {
  readonly meter: RowMeter;
  /** What integers count in columns of timestamps, by their ids; milliseconds if absent. */
  readonly units: ReadonlyMap<number, TimeUnit>;
}

type PlainObject = Readonly<Record<string, unknown>>;

/** Converts the values of a column, null included. `place` is its name in messages. */
export function converterOf(
  { id, type, isRequired }: Omit<Column, 'name'>,
  options: ConvertOptions,
  place: string,
): Convert {
  const convert = converterOfType(id, type, options, place);
  if (isRequired)
    return (value) => {
      if (value === null || value === undefined)
        fail('convert', `${place}: is required, and there is no value`);
      return convert(value);
    };
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function converterOfType(id: number, type: Type, options: ConvertOptions, place: string): Convert {
  switch (type.kind) {
    case 'struct':
      return structConverter(type.columns, options, place);
    case 'list':
      return listConverter(type, options, place);
    case 'map':
      return mapConverter(type, options, place);
    default:
      return primitiveConverter(id, type, options, place);
  }
}

/** Returns a field of an object: names that every object has are looked up with care. */
export function fieldGetter(name: string): (object: PlainObject) => unknown {
  return name in Object.prototype
    ? (object) => (Object.hasOwn(object, name) ? object[name] : undefined)
    : (object) => object[name];
}

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isWrapped(value);
}

/** Values that mappings have and JSON does not. */
function isWrapped(value: object): boolean {
  return value instanceof Bytes || value instanceof Float || value instanceof Timestamp;
}

function structConverter(columns: readonly Column[], options: ConvertOptions, place: string): Convert {
  const fields = columns.map((column) => ({
    get: fieldGetter(column.name),
    convert: converterOf(column, options, `${place}.${column.name}`),
  }));
  return (value) => {
    if (!isPlainObject(value)) return fail('convert', `${place}: ${shown(value)} is no struct`);
    const row: RowValue[] = new Array(fields.length);
    for (let at = 0; at < fields.length; at++) {
      const { get, convert } = fields[at]!;
      row[at] = convert(get(value));
    }
    return row;
  };
}

function listConverter(
  { elementId: id, element: type, isElementRequired: isRequired }: Extract<Type, { kind: 'list' }>,
  options: ConvertOptions,
  place: string,
): Convert {
  const convert = converterOf({ id, type, isRequired }, options, `${place}.element`);
  const { meter } = options;
  return (value) => {
    if (!Array.isArray(value)) return fail('convert', `${place}: ${shown(value)} is no list`);
    meter.bytes += 8 + value.length;
    const list: RowValue[] = new Array(value.length);
    for (let at = 0; at < value.length; at++) list[at] = convert(value[at]);
    return list;
  };
}

function mapConverter(type: Extract<Type, { kind: 'map' }>, options: ConvertOptions, place: string): Convert {
  const convertKey = keyConverter(type, options, `${place}.key`);
  const convertValue = converterOf(
    { id: type.valueId, type: type.value, isRequired: type.isValueRequired },
    options,
    `${place}.value`,
  );
  const { meter } = options;
  return (value) => {
    if (!isPlainObject(value)) return fail('convert', `${place}: ${shown(value)} is no map`);
    const keys = Object.keys(value);
    meter.bytes += 8 + keys.length;
    const pairs: RowValue[] = new Array(keys.length);
    for (let at = 0; at < keys.length; at++)
      pairs[at] = [convertKey(keys[at]!), convertValue(value[keys[at]!])];
    return pairs;
  };
}

/** Keys of documents are texts. */
function keyConverter(
  { keyId: id, key: type }: Extract<Type, { kind: 'map' }>,
  options: ConvertOptions,
  place: string,
): Convert {
  const convert = converterOf({ id, type, isRequired: true }, options, place);
  switch (type.kind) {
    case 'boolean':
      return (key) => convert(key === 'true' ? true : key === 'false' ? false : key);
    case 'int':
      return (key) => convert(typeof key === 'string' && /^-?\d{1,10}$/.test(key) ? Number(key) : key);
    default:
      return convert;
  }
}

const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;
const uuidPattern = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;
const integerPattern = /^-?\d{1,20}$/;
/** Up to 15 digits, a double has one shortest text. The powers of ten up to this one are exact as doubles. */
const quickDecimalLimit = 1e15;
const otherFloats: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function primitiveConverter(
  id: number,
  type: PrimitiveType,
  { meter, units }: ConvertOptions,
  place: string,
): Convert {
  const refuse = (value: unknown, why = `is no ${primitiveText(type)}`): never =>
    fail('convert', `${place}: ${exactNumberText(value)?.slice(0, 50) ?? shown(plain(value))} ${why}`);
  switch (type.kind) {
    case 'boolean':
      return (value) => {
        if (typeof value !== 'boolean') refuse(value);
        meter.bytes += 1;
        return value as boolean;
      };
    case 'int':
      return (value) => {
        meter.bytes += 4;
        // In one step for nearly all: also -0 becomes 0.
        if (typeof value === 'number' && (value | 0) === value) return value | 0;
        const number = integerOf(value) ?? refuse(value);
        if (BigInt.asIntN(32, number) !== number) refuse(value, 'is out of the range of an int');
        return Number(number);
      };
    case 'long':
      return (value) => {
        meter.bytes += 8;
        if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
        const number = integerOf(value) ?? integerOfText(value) ?? refuse(value);
        if (number < longMin || number > longMax) refuse(value, 'is out of the range of a long');
        return number;
      };
    case 'float':
      return (value) => {
        meter.bytes += 4;
        const number = floatOf(value) ?? refuse(value);
        const float = Math.fround(number);
        if (!Number.isFinite(float) && !isMeant(value)) refuse(value, 'is out of the range of a float');
        return float;
      };
    case 'double':
      return (value) => {
        meter.bytes += 8;
        if (typeof value === 'number' && Number.isFinite(value)) return value;
        const number = floatOf(value) ?? refuse(value);
        if (!Number.isFinite(number) && !isMeant(value)) refuse(value, 'is out of the range of a double');
        return number;
      };
    case 'decimal': {
      const { precision, scale } = type;
      const bytes = precision > 18 ? 16 : 8;
      const factor = 10 ** scale;
      const limit = Math.min(10 ** precision, quickDecimalLimit);
      return (value) => {
        meter.bytes += bytes;
        if (typeof value === 'number') {
          const unscaled = Math.round(value * factor);
          // The division is rounded correctly, so that the number is the double of these digits and of no others.
          if (unscaled / factor === value && unscaled < limit && unscaled > -limit) return BigInt(unscaled);
        }
        const unscaled = unscaledOf(decimalTextOf(value) ?? refuse(value), precision, scale);
        if (typeof unscaled === 'bigint') return unscaled;
        if (unscaled === 'no-number') return refuse(value);
        return refuse(
          value,
          unscaled === 'too-large'
            ? `has more digits than ${primitiveText(type)}`
            : `has more digits after the point than ${primitiveText(type)}`,
        );
      };
    }
    case 'date':
      return (value) => {
        meter.bytes += 4;
        if (typeof value === 'string') return parseDays(value) ?? refuse(value);
        if (typeof value === 'number' && (value | 0) === value) return value | 0;
        return refuse(value);
      };
    case 'time':
      return (value) => {
        meter.bytes += 8;
        return (typeof value === 'string' ? parseTimeMicros(value) : undefined) ?? refuse(value);
      };
    case 'timestamp':
    case 'timestamptz': {
      const unit = units.get(id) ?? 'millis';
      const isZoned = type.kind === 'timestamptz';
      return (value) => {
        meter.bytes += 8;
        if (typeof value === 'string' && !isMarked(value)) {
          const micros = parseTimestampMicros(value, isZoned);
          if (typeof micros === 'bigint') return micros;
          if (micros === undefined) refuse(value);
          refuse(value, isZoned ? 'has no offset from UTC; add one, such as Z' : 'has an offset from UTC');
        }
        if (value instanceof Timestamp) return microsOf(value.unixSeconds, Math.floor(value.nanos / 1000));
        const micros = microsOfCount(integerOf(value) ?? refuse(value), unit);
        if (micros < longMin || micros > longMax) refuse(value, `is out of the range of a ${type.kind}`);
        return micros;
      };
    }
    case 'string':
      return (value) => {
        const text = typeof value === 'string' && !isMarked(value) ? value : (textOf(value) ?? refuse(value));
        if (!text.isWellFormed()) refuse(value, 'has half of a surrogate pair, which is no text');
        meter.bytes += textBytes(text);
        return text;
      };
    case 'uuid':
      return (value) => {
        if (typeof value !== 'string' || !uuidPattern.test(value)) return refuse(value);
        meter.bytes += 16;
        return value.toLowerCase();
      };
    case 'fixed':
    case 'binary': {
      const length = type.kind === 'fixed' ? type.bytes : undefined;
      return (value) => {
        const bytes = bytesOf(value) ?? refuse(value, `is no ${primitiveText(type)} in base64`);
        if (length !== undefined && bytes.length !== length)
          refuse(value, `has ${bytes.length} bytes, and ${primitiveText(type)} has ${length}`);
        meter.bytes += 4 + bytes.length;
        return bytes;
      };
    }
  }
}

/** What a message shows of a value that mappings have and JSON does not. */
function plain(value: unknown): unknown {
  if (value instanceof Float) return value.value;
  if (value instanceof Bytes) return value.buffer;
  if (value instanceof Timestamp) return value.toJSON();
  return typeof value === 'string' ? (unmarkedText(value) ?? value) : value;
}

/** About as many bytes as the text has in UTF-8; for short ones in characters, which costs nothing. */
export function textBytes(text: string): number {
  return 4 + (text.length < 1024 ? text.length : Buffer.byteLength(text));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return unmarkedText(value);
  if (value instanceof Timestamp) return value.toJSON();
  return value instanceof Bytes && isUtf8(value.buffer) ? value.buffer.toString() : undefined;
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Bytes) return value.buffer;
  if (typeof value !== 'string' || value.length % 4 !== 0 || !base64Pattern.test(value)) return undefined;
  return Buffer.from(value, 'base64');
}

/** The integer that a number is; `1.0` and `1e3` are integers too. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (value instanceof Float) return Number.isInteger(value.value) ? BigInt(value.value) : undefined;
  const text = exactNumberText(value);
  if (text === undefined) return undefined;
  const integer = unscaledOf(text, 38, 0);
  // Beyond 38 digits, it is out of every range too.
  return typeof integer === 'bigint' ? integer : integer === 'too-large' ? 10n ** 38n : undefined;
}

/** Those who write JSON send long integers as texts, so that no reader rounds them. */
function integerOfText(value: unknown): bigint | undefined {
  return typeof value === 'string' && integerPattern.test(value) ? BigInt(value) : undefined;
}

function floatOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Float) return value.value;
  if (typeof value !== 'string') return undefined;
  const text = exactNumberText(value);
  if (text !== undefined) return Number(text);
  return Object.hasOwn(otherFloats, value) ? otherFloats[value] : undefined;
}

/** Whether a float that is not finite was written as such, and is not a number beyond the range. */
function isMeant(value: unknown): boolean {
  return (typeof value === 'string' && Object.hasOwn(otherFloats, value)) || value instanceof Float;
}

function decimalTextOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Float) return String(value.value);
  return exactNumberText(value) ?? (typeof value === 'string' ? value : undefined);
}

const perUnit: Readonly<Record<'seconds' | 'millis' | 'micros', bigint>> = {
  seconds: 1_000_000n,
  millis: 1000n,
  micros: 1n,
};

export function microsOfCount(count: bigint, unit: TimeUnit): bigint {
  if (unit !== 'nanos') return count * perUnit[unit];
  const micros = count / 1000n;
  return count % 1000n < 0n ? micros - 1n : micros;
}
