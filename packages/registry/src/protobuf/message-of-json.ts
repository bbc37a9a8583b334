import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { checkRequired, type JsonContext } from './json-of-message.ts';
import { encodeMessage, type FieldValue, MessageValue } from './message-value.ts';
import { integerOf } from './option-numbers.ts';
import type { EnumType, FieldType, MessageType, ScalarType } from './types.ts';
import { wellKnownName } from './well-known-shape.ts';
import {
  isSpecialInAny,
  parseDuration,
  parseMask,
  parseTimestamp,
  wrapperTypes,
} from './well-known-types.ts';

const depthMax = registryLimits.protobufPayloadDepthMax;

/** The message of a JSON value, by protobuf's mapping. Unknown fields are errors. Throws `InvalidPayload`. */
export const messageOfJson = (
  type: MessageType,
  json: unknown,
  context: JsonContext,
  depth = 0,
): MessageValue => {
  if (depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
  const message = new MessageValue(type);
  if (setSpecial(message, json, context, depth)) return message;
  setFields(message, objectOf(json, type.fullName), context, depth, []);
  return message;
};

const objectOf = (json: unknown, what: string): Readonly<Record<string, unknown>> => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new InvalidPayload(`${what} needs an object`);
  }
  return json as Readonly<Record<string, unknown>>;
};

const setFields = (
  message: MessageValue,
  json: Readonly<Record<string, unknown>>,
  context: JsonContext,
  depth: number,
  ignored: readonly string[],
): void => {
  const { type } = message;
  for (const key of Object.keys(json)) {
    if (ignored.includes(key)) continue;
    const field = fieldOf(type, key, context);
    if (field === undefined) throw new InvalidPayload(`${type.fullName} has no field ${JSON.stringify(key)}`);
    const value = json[key];
    if (value === null && !acceptsNull(field)) continue;
    if (message.fields.has(field)) throw new InvalidPayload(`field ${field.fullName} is set twice`);
    if (field.oneof?.fields.some((other) => message.fields.has(other)) === true) {
      throw new InvalidPayload(`two fields of oneof ${field.oneof.name} of ${type.fullName} are set`);
    }
    setField(message, field, value, context, depth);
  }
  checkRequired(message);
};

const fieldOf = (type: MessageType, key: string, context: JsonContext): FieldType | undefined => {
  if (!key.startsWith('[') || !key.endsWith(']')) return type.byName.get(key);
  const name = key.slice(1, -1);
  return [...(context.extensions.get(type)?.values() ?? [])].find((field) => field.fullName === name);
};

/** Fields that are `null` are not set, unless `null` is a value. */
const acceptsNull = ({ type, label }: FieldType): boolean =>
  typeof type !== 'string' &&
  label !== 'repeated' &&
  (type.kind === 'message'
    ? wellKnownName(type) === 'google.protobuf.Value'
    : type.fullName === 'google.protobuf.NullValue');

const setField = (
  message: MessageValue,
  field: FieldType,
  json: unknown,
  context: JsonContext,
  depth: number,
): void => {
  const entry = field.mapEntry;
  if (entry !== undefined) {
    const entries = objectOf(json, `map ${field.fullName}`);
    for (const key of Object.keys(entries)) {
      message.add(field, mapEntryOf(entry, key, entries[key], context, depth));
    }
    return;
  }
  if (field.label !== 'repeated') {
    message.fields.set(field, [fieldValueOf(field, json, context, depth)]);
    return;
  }
  if (!Array.isArray(json)) throw new InvalidPayload(`field ${field.fullName} needs an array`);
  for (const item of json) message.add(field, fieldValueOf(field, item, context, depth));
};

const mapEntryOf = (
  entry: MessageType,
  key: string,
  json: unknown,
  context: JsonContext,
  depth: number,
): MessageValue => {
  const message = new MessageValue(entry);
  const [keyField, valueField] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
  message.add(keyField, mapKeyOf(keyField, key));
  message.add(valueField, fieldValueOf(valueField, json, context, depth));
  return message;
};

const mapKeyOf = (field: FieldType, key: string): FieldValue => {
  if (field.type !== 'bool') return scalarOf(field, key);
  if (key !== 'true' && key !== 'false')
    throw new InvalidPayload(`key ${field.fullName} needs true or false`);
  return key === 'true';
};

const fieldValueOf = (field: FieldType, json: unknown, context: JsonContext, depth: number): FieldValue => {
  const { type } = field;
  if (typeof type === 'string') return scalarOf(field, json);
  if (type.kind === 'enum') return enumOf(field, type, json);
  return messageOfJson(type, json, context, depth + 1);
};

const enumOf = (field: FieldType, type: EnumType, json: unknown): number => {
  if (json === null && type.fullName === 'google.protobuf.NullValue') return 0;
  const number =
    typeof json === 'string' ? type.numberOf.get(json) : isInt32(json) ? (json as number) : undefined;
  if (number === undefined)
    throw new InvalidPayload(`field ${field.fullName} needs a value of ${type.fullName}`);
  return number;
};

const isInt32 = (json: unknown): boolean => typeof json === 'number' && (json | 0) === json;

const scalarOf = (field: FieldType, json: unknown): FieldValue => {
  const type = field.type as ScalarType;
  const fail = (what: string) => new InvalidPayload(`field ${field.fullName} needs ${what}`);
  switch (type) {
    case 'string':
      if (typeof json !== 'string') throw fail('a string');
      if (!json.isWellFormed()) throw fail('a string of whole Unicode characters');
      return json;
    case 'bytes': {
      if (typeof json !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(json))
        throw fail('a string in base64');
      return Buffer.from(json, 'base64');
    }
    case 'bool':
      if (typeof json !== 'boolean') throw fail('true or false');
      return json;
    case 'double':
    case 'float': {
      const number = floatOfJson(json);
      if (number === undefined) throw fail('a number');
      if (type === 'float' && Number.isFinite(number) && !Number.isFinite(Math.fround(number))) {
        throw fail('a number that fits float');
      }
      return number;
    }
    default: {
      const number = integerOfJson(json, type);
      if (number === undefined) throw fail(`an integer that fits ${type}`);
      return type.endsWith('64') ? number : Number(number);
    }
  }
};

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const floatOfJson = (json: unknown): number | undefined => {
  if (typeof json === 'number' || typeof json === 'bigint') return Number(json);
  if (json === 'NaN') return Number.NaN;
  if (json === 'Infinity') return Number.POSITIVE_INFINITY;
  if (json === '-Infinity') return Number.NEGATIVE_INFINITY;
  if (typeof json !== 'string' || !decimal.test(json)) return undefined;
  const number = Number(json);
  return Number.isFinite(number) ? number : undefined;
};

/**
 * Integers are numbers or strings, also with a fraction or an exponent as long as the value is whole. Numbers beyond
 * 2^53 have lost their last digits and are refused; strings and bigints are exact.
 */
const integerOfJson = (json: unknown, type: ScalarType): bigint | undefined => {
  if (typeof json === 'bigint') return integerOf(String(json), type);
  if (typeof json === 'number') return Number.isSafeInteger(json) ? integerOf(String(json), type) : undefined;
  if (typeof json !== 'string' || json.length > 64 || !decimal.test(json)) return undefined;
  if (/^-?[0-9]+$/.test(json)) return integerOf(json, type);
  const number = Number(json);
  return Number.isSafeInteger(number) ? integerOf(String(number), type) : undefined;
};

/** Sets what has a JSON of its own. Returns whether the type is such a one. */
const setSpecial = (message: MessageValue, json: unknown, context: JsonContext, depth: number): boolean => {
  const { type } = message;
  const fullName = wellKnownName(type);
  if (fullName === undefined) return false;
  const set = (number: number, value: FieldValue) => message.add(type.byNumber.get(number)!, value);
  if (wrapperTypes.has(fullName)) {
    set(1, scalarOf(type.byNumber.get(1)!, json));
    return true;
  }
  const fail = (what: string) => new InvalidPayload(`a ${fullName} needs ${what}`);
  switch (fullName) {
    case 'google.protobuf.Timestamp':
    case 'google.protobuf.Duration': {
      const parse = fullName === 'google.protobuf.Timestamp' ? parseTimestamp : parseDuration;
      const parsed = typeof json === 'string' ? parse(json) : undefined;
      if (parsed === undefined) {
        throw fail(
          parse === parseTimestamp
            ? 'a time such as 2026-01-31T12:00:00Z'
            : 'a number of seconds such as 1.5s',
        );
      }
      set(1, parsed.seconds);
      set(2, parsed.nanos);
      return true;
    }
    case 'google.protobuf.FieldMask': {
      const paths = typeof json === 'string' ? parseMask(json) : undefined;
      if (paths === undefined) throw fail('paths in camel case, with commas between them');
      for (const path of paths) set(1, path);
      return true;
    }
    case 'google.protobuf.Struct':
      setField(message, type.byNumber.get(1)!, json, context, depth);
      return true;
    case 'google.protobuf.ListValue':
      setField(message, type.byNumber.get(1)!, json, context, depth);
      return true;
    case 'google.protobuf.Value':
      setDynamicValue(message, json, context, depth);
      return true;
    case 'google.protobuf.Any':
      setAny(message, objectOf(json, fullName), context, depth);
      return true;
    default:
      return false;
  }
};

const setDynamicValue = (message: MessageValue, json: unknown, context: JsonContext, depth: number): void => {
  const number =
    json === null
      ? 1
      : typeof json === 'number' || typeof json === 'bigint'
        ? 2
        : typeof json === 'string'
          ? 3
          : typeof json === 'boolean'
            ? 4
            : Array.isArray(json)
              ? 6
              : 5;
  const field = message.type.byNumber.get(number)!;
  message.add(field, fieldValueOf(field, json, context, depth));
};

const setAny = (
  message: MessageValue,
  json: Readonly<Record<string, unknown>>,
  context: JsonContext,
  depth: number,
): void => {
  const url = Object.hasOwn(json, '@type') ? json['@type'] : undefined;
  if (url === undefined && Object.keys(json).length === 0) return;
  if (typeof url !== 'string') throw new InvalidPayload('a google.protobuf.Any needs an "@type"');
  const fullName = url.slice(url.lastIndexOf('/') + 1);
  const type = context.messageNamed(fullName);
  const [urlField, valueField] = [message.type.byNumber.get(1)!, message.type.byNumber.get(2)!];
  message.add(urlField, url);
  if (type === undefined) {
    message.add(valueField, scalarOf(valueField, json.value ?? ''));
    return;
  }
  let inner: MessageValue;
  if (isSpecialInAny(wellKnownName(type))) {
    inner = messageOfJson(type, json.value, context, depth + 1);
  } else {
    inner = new MessageValue(type);
    if (depth >= depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
    setFields(inner, json, context, depth + 1, ['@type']);
  }
  message.add(valueField, encodeMessage(inner));
};
