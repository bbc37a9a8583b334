import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { checkRequired, type JsonContext } from './json-of-message.ts';
import { encodeMessage, type FieldValue, MessageValue } from './message-value.ts';
import { fitsInteger } from './option-numbers.ts';
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

export interface ParseOptions {
  /** Unknown fields, and names that an enum does not have, are left out. Otherwise they are errors. */
  readonly discardsUnknown?: boolean;
}

/** The message of a JSON value, by protobuf's mapping. Throws `InvalidPayload`. */
export const messageOfJson = (
  type: MessageType,
  json: unknown,
  context: JsonContext,
  options: ParseOptions = {},
): MessageValue => new MessageParser(context, options).message(type, json);

/** Whether a value of an enum is a name that it does not have. */
const isUnknownName = ({ type }: FieldType, json: unknown): boolean =>
  typeof type !== 'string' &&
  type.kind === 'enum' &&
  typeof json === 'string' &&
  !type.node.values.some(({ name }) => name === json);

const objectOf = (json: unknown, what: string): Readonly<Record<string, unknown>> => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new InvalidPayload(`${what} needs an object`);
  }
  return json as Readonly<Record<string, unknown>>;
};

class MessageParser {
  readonly #context: JsonContext;
  readonly #discardsUnknown: boolean;
  #depth = 0;

  constructor(context: JsonContext, { discardsUnknown = false }: ParseOptions) {
    this.#context = context;
    this.#discardsUnknown = discardsUnknown;
  }

  message(type: MessageType, json: unknown): MessageValue {
    return this.#nested(type, (message) => {
      if (!this.#setSpecial(message, json)) this.#setFields(message, objectOf(json, type.fullName));
    });
  }

  #nested(type: MessageType, fill: (message: MessageValue) => void): MessageValue {
    if (this.#depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
    const message = new MessageValue(type);
    this.#depth += 1;
    fill(message);
    this.#depth -= 1;
    return message;
  }

  #setFields(message: MessageValue, json: Readonly<Record<string, unknown>>, ignored?: string): void {
    const { type } = message;
    for (const key of Object.keys(json)) {
      if (key === ignored) continue;
      const field = this.#fieldNamed(type, key);
      if (field === undefined) {
        if (this.#discardsUnknown) continue;
        throw new InvalidPayload(`${type.fullName} has no field ${JSON.stringify(key)}`);
      }
      const value = json[key];
      if (this.#discardsUnknown && isUnknownName(field, value)) continue;
      if (value === null && !acceptsNull(field)) continue;
      if (message.fields.has(field)) throw new InvalidPayload(`field ${field.fullName} is set twice`);
      if (field.oneof?.fields.some((other) => message.fields.has(other)) === true) {
        throw new InvalidPayload(`two fields of oneof ${field.oneof.name} of ${type.fullName} are set`);
      }
      this.#setField(message, field, value);
    }
    checkRequired(message);
  }

  #fieldNamed(type: MessageType, key: string): FieldType | undefined {
    if (!key.startsWith('[') || !key.endsWith(']')) return type.byName.get(key);
    const name = key.slice(1, -1);
    return [...(this.#context.extensions.get(type)?.values() ?? [])].find((field) => field.fullName === name);
  }

  #setField(message: MessageValue, field: FieldType, json: unknown): void {
    const entry = field.mapEntry;
    if (entry !== undefined) {
      const [keyField, valueField] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
      const entries = objectOf(json, `map ${field.fullName}`);
      for (const key of Object.keys(entries)) {
        const item = new MessageValue(entry);
        item.add(keyField, mapKeyOf(keyField, key));
        item.add(valueField, this.#value(valueField, entries[key]));
        message.add(field, item);
      }
    } else if (field.label === 'repeated') {
      if (!Array.isArray(json)) throw new InvalidPayload(`field ${field.fullName} needs an array`);
      for (const item of json)
        if (!this.#discardsUnknown || !isUnknownName(field, item))
          message.add(field, this.#value(field, item));
    } else {
      message.fields.set(field, [this.#value(field, json)]);
    }
  }

  #value(field: FieldType, json: unknown): FieldValue {
    const { type } = field;
    if (typeof type === 'string') return scalarOf(field, json);
    if (type.kind === 'enum') return enumOf(field, type, json);
    return this.message(type, json);
  }

  /** Sets what has a JSON of its own. Returns whether the type is such a one. */
  #setSpecial(message: MessageValue, json: unknown): boolean {
    const { type } = message;
    const fullName = wellKnownName(type);
    if (fullName === undefined) return false;
    const first = type.byNumber.get(1)!;
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
        message.add(first, parsed.seconds);
        message.add(type.byNumber.get(2)!, parsed.nanos);
        return true;
      }
      case 'google.protobuf.FieldMask': {
        const paths = typeof json === 'string' ? parseMask(json) : undefined;
        if (paths === undefined) throw fail('paths in camel case, with commas between them');
        for (const path of paths) message.add(first, path);
        return true;
      }
      case 'google.protobuf.Struct':
      case 'google.protobuf.ListValue':
        this.#setField(message, first, json);
        return true;
      case 'google.protobuf.Value': {
        const field = type.byNumber.get(numberOfDynamicValue(json))!;
        message.add(field, this.#value(field, json));
        return true;
      }
      case 'google.protobuf.Any':
        this.#setAny(message, objectOf(json, fullName));
        return true;
      default:
        if (!wrapperTypes.has(fullName)) return false;
        message.add(first, scalarOf(first, json));
        return true;
    }
  }

  #setAny(message: MessageValue, json: Readonly<Record<string, unknown>>): void {
    const url = Object.hasOwn(json, '@type') ? json['@type'] : undefined;
    if (url === undefined && Object.keys(json).length === 0) return;
    if (typeof url !== 'string') throw new InvalidPayload('a google.protobuf.Any needs an "@type"');
    const type = this.#context.messageNamed(url.slice(url.lastIndexOf('/') + 1));
    const [urlField, valueField] = [message.type.byNumber.get(1)!, message.type.byNumber.get(2)!];
    message.add(urlField, url);
    if (type === undefined) {
      message.add(valueField, scalarOf(valueField, json.value ?? ''));
      return;
    }
    const inner = isSpecialInAny(wellKnownName(type))
      ? this.message(type, json.value)
      : this.#nested(type, (value) => this.#setFields(value, json, '@type'));
    message.add(valueField, encodeMessage(inner));
  }
}

/** The field of a `google.protobuf.Value` that a JSON value is in. */
const numberOfDynamicValue = (json: unknown): number => {
  if (json === null) return 1;
  if (typeof json === 'number' || typeof json === 'bigint') return 2;
  if (typeof json === 'string') return 3;
  if (typeof json === 'boolean') return 4;
  return Array.isArray(json) ? 6 : 5;
};

/** Fields that are `null` are not set, unless `null` is a value. */
const acceptsNull = ({ type, label }: FieldType): boolean =>
  typeof type !== 'string' &&
  label !== 'repeated' &&
  (type.kind === 'message'
    ? wellKnownName(type) === 'google.protobuf.Value'
    : type.fullName === 'google.protobuf.NullValue');

const mapKeyOf = (field: FieldType, key: string): FieldValue => {
  if (field.type !== 'bool') return scalarOf(field, key);
  if (key !== 'true' && key !== 'false')
    throw new InvalidPayload(`key ${field.fullName} needs true or false`);
  return key === 'true';
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
      const number = integerOfJson(json);
      if (number === undefined || !fitsInteger(number, type)) throw fail(`an integer that fits ${type}`);
      return type.endsWith('64') ? BigInt(number) : Number(number);
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
const integerOfJson = (json: unknown): number | bigint | undefined => {
  if (typeof json === 'bigint') return json;
  const isText = typeof json === 'string' && json.length <= 64 && decimal.test(json);
  if (isText && /^-?[0-9]+$/.test(json)) return BigInt(json);
  const number = isText ? Number(json) : json;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
};
