import { isUtf8 } from 'node:buffer';
import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { type FieldValue, MessageValue } from './message-value.ts';
import { PayloadReader } from './payload-reader.ts';
import type { ExtensionTable, FieldType, MessageType, ScalarType } from './types.ts';

const depthMax = registryLimits.protobufPayloadDepthMax;

/** Decodes a message. Throws `InvalidPayload`. */
export const decodeMessage = (
  type: MessageType,
  bytes: Uint8Array,
  extensions: ExtensionTable | undefined,
): MessageValue => {
  const message = new MessageValue(type);
  readFields(new PayloadReader(bytes), message, extensions, 0, 0);
  return message;
};

/** Reads fields up to the end, or up to the end of the group with the given number. */
const readFields = (
  reader: PayloadReader,
  message: MessageValue,
  extensions: ExtensionTable | undefined,
  depth: number,
  group: number,
): void => {
  if (depth > depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
  const extended = extensions?.get(message.type);
  while (reader.at < reader.end) {
    const from = reader.at;
    const tag = reader.tag();
    const wireType = tag % 8;
    const number = (tag - wireType) / 8;
    if (wireType === 4 && number === group) return;
    const field = message.type.byNumber.get(number) ?? extended?.get(number);
    if (field === undefined) {
      reader.skipField(tag, depth, depthMax);
      message.unknown ??= [];
      message.unknown.push(reader.bytes.subarray(from, reader.at));
    } else if (wireType === field.wireType) {
      readValue(reader, message, field, extensions, depth);
    } else if (wireType === 2 && field.isPackable) {
      const length = reader.length();
      const { end } = reader;
      reader.end = reader.at + length;
      while (reader.at < reader.end) readValue(reader, message, field, extensions, depth);
      reader.end = end;
    } else {
      throw wrongWireType(field, wireType);
    }
  }
  if (group !== 0) throw new InvalidPayload('truncated group: its end tag is missing');
};

/** The error about a field whose wire type is not that of its type. */
export const wrongWireType = (field: FieldType, wireType: number): InvalidPayload =>
  new InvalidPayload(`field ${field.fullName} has wire type ${wireType} instead of ${field.wireType}`);

export const notUtf8 = (field: FieldType): InvalidPayload =>
  new InvalidPayload(`field ${field.fullName} is not UTF-8`);

const readValue = (
  reader: PayloadReader,
  message: MessageValue,
  field: FieldType,
  extensions: ExtensionTable | undefined,
  depth: number,
): void => {
  const { type } = field;
  if (typeof type === 'string') {
    put(message, field, scalarReaders[type](reader, field));
    return;
  }
  if (type.kind === 'enum') {
    const value = reader.varint32() | 0;
    // Closed enums have no other values: the field counts as unknown.
    if (!type.isClosed || type.nameOf.has(value)) put(message, field, value);
    return;
  }
  // A message that is there twice is merged, except in lists.
  const before = field.label === 'repeated' ? undefined : message.fields.get(field)?.[0];
  const child = before === undefined ? new MessageValue(type) : (before as MessageValue);
  if (field.isDelimited) {
    readFields(reader, child, extensions, depth + 1, field.number);
  } else {
    const length = reader.length();
    const { end } = reader;
    reader.end = reader.at + length;
    readFields(reader, child, extensions, depth + 1, 0);
    reader.end = end;
  }
  if (before === undefined) put(message, field, child);
};

const put = (message: MessageValue, field: FieldType, value: FieldValue): void => {
  if (field.label === 'repeated') {
    message.add(field, value);
    return;
  }
  if (field.oneof !== undefined) {
    message.oneofs ??= new Map();
    const other = message.oneofs.get(field.oneof);
    if (other !== undefined && other !== field) message.fields.delete(other);
    message.oneofs.set(field.oneof, field);
  }
  message.fields.set(field, [value]);
};

const scalarReaders: Readonly<Record<ScalarType, (reader: PayloadReader, field: FieldType) => FieldValue>> = {
  double: (reader) => reader.double(),
  float: (reader) => reader.float(),
  int64: (reader) => BigInt.asIntN(64, reader.varint64()),
  uint64: (reader) => reader.varint64(),
  int32: (reader) => reader.varint32() | 0,
  fixed64: (reader) => reader.fixed64(),
  fixed32: (reader) => reader.fixed32(),
  bool: (reader) => reader.varint64() !== 0n,
  string: (reader, field) => {
    const { buffer, byteOffset, length } = reader.slice();
    const bytes = Buffer.from(buffer, byteOffset, length);
    if (field.validatesUtf8 && !isUtf8(bytes)) throw notUtf8(field);
    return bytes.toString();
  },
  bytes: (reader) => reader.slice(),
  uint32: (reader) => reader.varint32(),
  sfixed32: (reader) => reader.fixed32() | 0,
  sfixed64: (reader) => BigInt.asIntN(64, reader.fixed64()),
  sint32: (reader) => {
    const value = reader.varint32();
    return (value >>> 1) ^ -(value & 1);
  },
  sint64: (reader) => {
    const value = reader.varint64();
    return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  },
};
