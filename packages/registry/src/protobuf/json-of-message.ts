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

/** Sets a property, also one with the name `__proto__`. */
const setOwn = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
};

/** The JSON of a message, by protobuf's mapping. Fields that are not set are absent. Throws `InvalidPayload`. */
export const jsonOfMessage = (message: MessageValue, context: JsonContext, depth = 0): unknown => {
  if (depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
  const special = specialJson(message, context, depth);
  if (special !== undefined) return special.json;
  const json: Record<string, unknown> = {};
  const fields = [...message.fields].sort(([left], [right]) => left.number - right.number);
  for (const [field, values] of fields) {
    if (!field.hasPresence && field.label !== 'repeated' && isDefault(values[0]!)) continue;
    const key = field.extendee === undefined ? field.jsonName : `[${field.fullName}]`;
    setOwn(json, key, jsonOfField(field, values, context, depth));
  }
  checkRequired(message);
  return json;
};

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

const jsonOfField = (
  field: FieldType,
  values: readonly FieldValue[],
  context: JsonContext,
  depth: number,
): unknown => {
  const entry = field.mapEntry;
  if (entry !== undefined) return jsonOfMap(entry, values as readonly MessageValue[], context, depth);
  if (field.label === 'repeated') return values.map((value) => jsonOfValue(field, value, context, depth));
  return jsonOfValue(field, values.at(-1)!, context, depth);
};

const jsonOfMap = (
  entry: MessageType,
  entries: readonly MessageValue[],
  context: JsonContext,
  depth: number,
): unknown => {
  const [keyField, valueField] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
  const json: Record<string, unknown> = {};
  for (const item of entries) {
    const key = item.get(1) ?? defaultOf(keyField);
    const value = item.get(2) ?? defaultOf(valueField);
    setOwn(json, String(key), jsonOfValue(valueField, value, context, depth));
  }
  return json;
};

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

const jsonOfValue = (field: FieldType, value: FieldValue, context: JsonContext, depth: number): unknown => {
  if (value instanceof MessageValue) return jsonOfMessage(value, context, depth + 1);
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
};

/** The shortest decimal that is the same float: 0.1, not 0.10000000149011612. */
const shortestFloat = (value: number): number => {
  for (let digits = 6; digits < 10; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
};

const specialJson = (
  message: MessageValue,
  context: JsonContext,
  depth: number,
): { readonly json: unknown } | undefined => {
  const fullName = wellKnownName(message.type);
  if (fullName === undefined) return undefined;
  if (wrapperTypes.has(fullName)) {
    const field = message.type.byNumber.get(1)!;
    return { json: jsonOfValue(field, message.get(1) ?? defaultOf(field), context, depth) };
  }
  const outOfRange = () => new InvalidPayload(`a ${fullName} is out of range`);
  const [seconds, nanos] = [
    (message.get(1) as bigint | undefined) ?? 0n,
    (message.get(2) as number | undefined) ?? 0,
  ];
  switch (fullName) {
    case 'google.protobuf.Timestamp': {
      const text = timestampText(seconds, nanos);
      if (text === undefined) throw outOfRange();
      return { json: text };
    }
    case 'google.protobuf.Duration': {
      const text = durationText(seconds, nanos);
      if (text === undefined) throw outOfRange();
      return { json: text };
    }
    case 'google.protobuf.FieldMask': {
      const text = maskText(message.all(1) as readonly string[]);
      if (text === undefined) throw new InvalidPayload('a path of a field mask has no name in JSON');
      return { json: text };
    }
    case 'google.protobuf.Struct': {
      const entry = message.type.byNumber.get(1)!.mapEntry!;
      return { json: jsonOfMap(entry, message.all(1) as readonly MessageValue[], context, depth) };
    }
    case 'google.protobuf.ListValue':
      return { json: message.all(1).map((item) => jsonOfMessage(item as MessageValue, context, depth + 1)) };
    case 'google.protobuf.Value':
      return { json: jsonOfDynamicValue(message, context, depth) };
    case 'google.protobuf.Any':
      return { json: jsonOfAny(message, context, depth) };
    default:
      return undefined;
  }
};

const jsonOfDynamicValue = (message: MessageValue, context: JsonContext, depth: number): unknown => {
  const [set] = message.fields;
  if (set === undefined) throw new InvalidPayload('a google.protobuf.Value has no value');
  const [field, [value]] = set;
  if (field.number === 2 && !Number.isFinite(value)) {
    throw new InvalidPayload('a google.protobuf.Value is a number that JSON does not have');
  }
  return jsonOfValue(field, value!, context, depth);
};

const jsonOfAny = (message: MessageValue, context: JsonContext, depth: number): unknown => {
  const url = message.get(1) as string | undefined;
  const bytes = (message.get(2) as Uint8Array | undefined) ?? new Uint8Array(0);
  if (url === undefined || url === '') {
    if (bytes.length > 0) throw new InvalidPayload('a google.protobuf.Any has a value without a type');
    return {};
  }
  const fullName = url.slice(url.lastIndexOf('/') + 1);
  const type = context.messageNamed(fullName);
  if (type === undefined) {
    // Types of other schemas cannot be decoded, and are no error.
    return { '@type': url, value: Buffer.from(bytes).toString('base64') };
  }
  const inner = jsonOfMessage(decodeMessage(type, bytes, context.extensions), context, depth + 1);
  return isSpecialInAny(wellKnownName(type))
    ? { '@type': url, value: inner }
    : { '@type': url, ...(inner as Record<string, unknown>) };
};
