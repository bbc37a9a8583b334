import { ProtobufWriter } from '@weir/core';
import type { FieldType, MessageType, OneofType, ScalarType } from './types.ts';

/**
 * A value of a field: 64-bit integers are bigints, enums and other numbers are numbers, entries of maps are messages.
 */
export type FieldValue = number | bigint | boolean | string | Uint8Array | MessageValue;

/** A message: its fields that are set, each with its values. Fields that are not repeated have one value. */
export class MessageValue {
  readonly type: MessageType;
  readonly fields = new Map<FieldType, FieldValue[]>();
  /** The fields of oneofs that are set. */
  oneofs: Map<OneofType, FieldType> | undefined;
  /** Fields that the schema does not have, as they were encoded. */
  unknown: Uint8Array[] | undefined;

  constructor(type: MessageType) {
    this.type = type;
  }

  /** The value of a field by its number, if it is set. */
  get(number: number): FieldValue | undefined {
    const field = this.type.byNumber.get(number);
    return field === undefined ? undefined : this.fields.get(field)?.at(-1);
  }

  all(number: number): readonly FieldValue[] {
    const field = this.type.byNumber.get(number);
    return (field === undefined ? undefined : this.fields.get(field)) ?? [];
  }

  add(field: FieldType, value: FieldValue): void {
    const values = this.fields.get(field);
    if (values === undefined) this.fields.set(field, [value]);
    else values.push(value);
  }
}

export const encodeMessage = (message: MessageValue): Uint8Array => {
  const writer = new ProtobufWriter();
  writeMessage(writer, message);
  return writer.finish();
};

/** Writes a message, fields in the order of their numbers. */
export const writeMessage = (writer: ProtobufWriter, message: MessageValue): void => {
  const fields = [...message.fields].sort(([left], [right]) => left.number - right.number);
  for (const [field, values] of fields) {
    if (field.isPacked) {
      writer.messageField(field.number, () => {
        for (const value of values) writeValue(writer, field, value);
      });
      continue;
    }
    for (const value of values) {
      if (value instanceof MessageValue && !field.isDelimited) {
        writer.messageField(field.number, () => writeMessage(writer, value));
        continue;
      }
      writer.tag(field.number, field.wireType);
      if (value instanceof MessageValue) {
        writeMessage(writer, value);
        writer.tag(field.number, 4);
      } else {
        writeValue(writer, field, value);
      }
    }
  }
};

const scalarWriters: Readonly<Record<ScalarType, (writer: ProtobufWriter, value: FieldValue) => void>> = {
  double: (writer, value) => writer.double(value as number),
  float: (writer, value) => writer.float(value as number),
  int64: (writer, value) => writer.varint64(value as bigint),
  uint64: (writer, value) => writer.varint64(value as bigint),
  int32: (writer, value) => writer.integer(value as number),
  fixed64: (writer, value) => writer.fixed64(value as bigint),
  fixed32: (writer, value) => writer.fixed32(value as number),
  bool: (writer, value) => writer.varint(value === true ? 1 : 0),
  string: (writer, value) => writer.text(value as string),
  bytes: (writer, value) => writer.bytes(value as Uint8Array),
  uint32: (writer, value) => writer.varint(value as number),
  sfixed32: (writer, value) => writer.fixed32(value as number),
  sfixed64: (writer, value) => writer.fixed64(value as bigint),
  sint32: (writer, value) => writer.varint(zigZag32(value as number)),
  sint64: (writer, value) => writer.varint64(((value as bigint) << 1n) ^ ((value as bigint) >> 63n)),
};

const zigZag32 = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

const writeValue = (writer: ProtobufWriter, field: FieldType, value: FieldValue): void => {
  if (typeof field.type === 'string') scalarWriters[field.type](writer, value);
  else writer.integer(value as number);
};
