import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { decodeMessage } from './decode-message.ts';
import { type FieldValue, MessageValue } from './message-value.ts';
import type { ExtensionTable, FieldType, MessageType } from './types.ts';
import { wellKnownName } from './well-known-shape.ts';
import { durationText, isSpecialInAny, maskText, timestampText, wrapperTypes } from './well-known-types.ts';

const depthMax = registryLimits.protobufPayloadDepthMax;

/** What the conversion needs beside the message. */
export interface JsonContext {
  readonly extensions: ExtensionTable;
  /** A message of the schema by its full name, for an `Any`. */
  messageNamed(fullName: string): MessageType | undefined;
}

export interface PrintOptions {
  /** Names of fields are those of the schema, and not those in camel case. */
  readonly usesProtoNames?: boolean;
  /** Fields that are not set have their defaults; messages, and scalars that know whether they are set, are null. */
  readonly emitsUnpopulated?: boolean;
}

/** Sets a property, also one with the name `__proto__`. */
const setOwn = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
};

/** The JSON of a message, by protobuf's mapping. Fields that are not set are absent. Throws `InvalidPayload`. */
export const jsonOfMessage = (
  message: MessageValue,
  context: JsonContext,
  options: PrintOptions = {},
): unknown => new MessagePrinter(context, options).json(message);

class MessagePrinter {
  readonly #context: JsonContext;
  readonly #options: PrintOptions;
  #depth = 0;

  constructor(context: JsonContext, options: PrintOptions) {
    this.#context = context;
    this.#options = options;
  }

  json(message: MessageValue): unknown {
    if (this.#depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
    this.#depth += 1;
    const special = this.#special(message);
    const json = special === undefined ? this.#fields(message) : special.json;
    this.#depth -= 1;
    return json;
  }

  #fields(message: MessageValue): unknown {
    const json: Record<string, unknown> = {};
    const fields = [...message.fields].sort(([left], [right]) => left.number - right.number);
    for (const [field, values] of fields) {
      if (!field.hasPresence && field.label !== 'repeated' && isDefault(values[0]!)) continue;
      setOwn(json, this.#keyOf(field), this.#field(field, values));
    }
    checkRequired(message);
    if (this.#options.emitsUnpopulated) this.#addUnpopulated(json, message.type);
    return json;
  }

  #keyOf({ extendee, fullName, name, jsonName }: FieldType): string {
    if (extendee !== undefined) return `[${fullName}]`;
    return this.#options.usesProtoNames ? name : jsonName;
  }

  #addUnpopulated(json: Record<string, unknown>, { fields }: MessageType): void {
    for (const field of fields) {
      const key = this.#keyOf(field);
      if (Object.hasOwn(json, key) || field.oneof !== undefined || field.isProto3Optional) continue;
      if (field.mapEntry !== undefined) setOwn(json, key, {});
      else if (field.label === 'repeated') setOwn(json, key, []);
      else setOwn(json, key, field.hasPresence ? null : this.#value(field, defaultOf(field)));
    }
  }

  #field(field: FieldType, values: readonly FieldValue[]): unknown {
    const entry = field.mapEntry;
    if (entry !== undefined) return this.#map(entry, values as readonly MessageValue[]);
    if (field.label === 'repeated') return values.map((value) => this.#value(field, value));
    return this.#value(field, values.at(-1)!);
  }

  #map(entry: MessageType, entries: readonly MessageValue[]): unknown {
    const [keyField, valueField] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
    const json: Record<string, unknown> = {};
    for (const item of entries) {
      const key = item.get(1) ?? defaultOf(keyField);
      setOwn(json, String(key), this.#value(valueField, item.get(2) ?? defaultOf(valueField)));
    }
    return json;
  }

  #value(field: FieldType, value: FieldValue): unknown {
    if (value instanceof MessageValue) return this.json(value);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'number') return value;
    const { type } = field;
    if (typeof type !== 'string') {
      if (type.fullName === 'google.protobuf.NullValue') return null;
      return (type as { nameOf: ReadonlyMap<number, string> }).nameOf.get(value) ?? value;
    }
    if (Number.isNaN(value)) return 'NaN';
    if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
    return type === 'float' ? shortestFloat(value) : value;
  }

  /** The JSON of a message that has one of its own. */
  #special(message: MessageValue): { readonly json: unknown } | undefined {
    const fullName = wellKnownName(message.type);
    if (fullName === undefined) return undefined;
    const first = message.type.byNumber.get(1)!;
    switch (fullName) {
      case 'google.protobuf.Timestamp':
      case 'google.protobuf.Duration': {
        const seconds = (message.get(1) as bigint | undefined) ?? 0n;
        const nanos = (message.get(2) as number | undefined) ?? 0;
        const text = (fullName === 'google.protobuf.Timestamp' ? timestampText : durationText)(
          seconds,
          nanos,
        );
        if (text === undefined) throw new InvalidPayload(`a ${fullName} is out of range`);
        return { json: text };
      }
      case 'google.protobuf.FieldMask': {
        const text = maskText(message.all(1) as readonly string[]);
        if (text === undefined) throw new InvalidPayload('a path of a field mask has no name in JSON');
        return { json: text };
      }
      case 'google.protobuf.Struct':
      case 'google.protobuf.ListValue':
        return { json: this.#field(first, message.all(1)) };
      case 'google.protobuf.Value':
        return { json: this.#dynamicValue(message) };
      case 'google.protobuf.Any':
        return { json: this.#any(message) };
      default:
        if (!wrapperTypes.has(fullName)) return undefined;
        return { json: this.#value(first, message.get(1) ?? defaultOf(first)) };
    }
  }

  #dynamicValue(message: MessageValue): unknown {
    const [set] = message.fields;
    if (set === undefined) throw new InvalidPayload('a google.protobuf.Value has no value');
    const [field, [value]] = set;
    if (field.number === 2 && !Number.isFinite(value)) {
      throw new InvalidPayload('a google.protobuf.Value is a number that JSON does not have');
    }
    return this.#value(field, value!);
  }

  #any(message: MessageValue): unknown {
    const url = message.get(1) as string | undefined;
    const bytes = (message.get(2) as Uint8Array | undefined) ?? new Uint8Array(0);
    if (url === undefined || url === '') {
      if (bytes.length > 0) throw new InvalidPayload('a google.protobuf.Any has a value without a type');
      return {};
    }
    const type = this.#context.messageNamed(url.slice(url.lastIndexOf('/') + 1));
    // Types of other schemas cannot be decoded, which is not an error.
    if (type === undefined) return { '@type': url, value: Buffer.from(bytes).toString('base64') };
    const inner = this.json(decodeMessage(type, bytes, this.#context.extensions));
    return isSpecialInAny(wellKnownName(type))
      ? { '@type': url, value: inner }
      : { '@type': url, ...(inner as Record<string, unknown>) };
  }
}

/** Throws if a required field is not set. */
export const checkRequired = (message: MessageValue): void => {
  for (const field of message.type.requiredFields) {
    if (!message.fields.has(field)) {
      throw new InvalidPayload(`required field ${field.fullName} is missing`);
    }
  }
};

const isDefault = (value: FieldValue): boolean =>
  value === 0
    ? !Object.is(value, -0)
    : value === 0n || value === '' || value === false || isEmptyBytes(value);

const isEmptyBytes = (value: FieldValue): boolean => value instanceof Uint8Array && value.length === 0;

/** The value of a field that is not set. */
const defaultOf = ({ type }: FieldType): FieldValue => {
  if (typeof type !== 'string') {
    return type.kind === 'message' ? new MessageValue(type) : type.node.values[0]!.number;
  }
  if (type === 'string') return '';
  if (type === 'bytes') return new Uint8Array(0);
  if (type === 'bool') return false;
  return type.endsWith('64') ? 0n : 0;
};

/** The shortest decimal that is the same float: 0.1, not 0.10000000149011612. */
const shortestFloat = (value: number): number => {
  for (let digits = 6; digits < 10; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
};
