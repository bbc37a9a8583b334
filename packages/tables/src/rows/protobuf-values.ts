/**
 * Protobuf messages: as rows, and as documents for transforms. Names are those of the schema. A field that is not set,
 * and cannot say so, has its default.
 */
import { Bytes } from '@weir/bloblang';
import {
  decodeMessage,
  type FieldType,
  type FieldValue,
  InvalidPayload,
  type JsonContext,
  jsonOfMessage,
  type MessageType,
  MessageValue,
  messagesByName,
  type ProtobufSchema,
  wellKnownName,
  wrapperTypes,
} from '@weir/registry/formats';
import type { RowValue } from '../parquet/parquet-writer.ts';
import { jsonMessages } from '../schemas/protobuf-columns.ts';
import type { RowMeter } from './convert-values.ts';
import { floatValue, setField, shortest, shortestFloat } from './document-values.ts';
import { fail, placed, RowFault } from './row-fault.ts';
import { timestampText } from './time-text.ts';
import { DocumentReader, type RowContext, type ValueReader } from './value-reader.ts';

type Read<Result> = (message: MessageValue) => Result | null;
type ReadValue<Result> = (value: FieldValue) => Result;

/** What becomes of the parts of a message: values of rows, or of documents. */
interface Form<Result> {
  /** Of a scalar or an enum. */
  scalar(field: FieldType): ReadValue<Result>;
  timestamp(micros: bigint): Result;
  /** The JSON of a message that has any. */
  json(text: string): Result;
  struct(fields: readonly FieldReader<Result>[]): (message: MessageValue) => Result;
  list(values: readonly Result[]): Result;
  map(pairs: readonly (readonly [Result, Result])[]): Result;
}

interface FieldReader<Result> {
  readonly name: string;
  readonly read: Read<Result>;
}

class Compiler<Result> {
  readonly #form: Form<Result>;
  readonly #context: JsonContext;
  readonly #messages = new Map<MessageType, ReadValue<Result>>();

  constructor(form: Form<Result>, context: JsonContext) {
    this.#form = form;
    this.#context = context;
  }

  fieldsOf(type: MessageType): readonly FieldReader<Result>[] {
    return type.fields.map((field) => ({ name: field.name, read: this.#field(field) }));
  }

  #field(field: FieldType): Read<Result> {
    if (field.mapEntry !== undefined) return this.#map(field, field.mapEntry);
    const read = this.#value(field);
    if (field.label === 'repeated')
      return ({ fields }) => this.#form.list((fields.get(field) ?? []).map(read));
    if (field.hasPresence)
      return ({ fields }) => {
        const values = fields.get(field);
        if (values !== undefined) return read(values.at(-1)!);
        return field.isRequired ? fail('convert', 'is required, and there is no value') : null;
      };
    const unset = defaultOf(field);
    return ({ fields }) => read(fields.get(field)?.at(-1) ?? unset);
  }

  /** The last entry of a key counts. */
  #map(field: FieldType, entry: MessageType): Read<Result> {
    const [keyField, valueField] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
    const [readKey, readValue] = [this.#value(keyField), this.#value(valueField)];
    const [unsetKey, unsetValue] = [defaultOf(keyField), defaultOf(valueField)];
    return ({ fields }) => {
      const pairs = new Map<FieldValue, FieldValue>();
      for (const item of (fields.get(field) ?? []) as readonly MessageValue[])
        pairs.set(item.get(1) ?? unsetKey, item.get(2) ?? unsetValue);
      return this.#form.map([...pairs].map(([key, value]) => [readKey(key), readValue(value)]));
    };
  }

  #value(field: FieldType): ReadValue<Result> {
    const { type } = field;
    if (typeof type === 'string' || type.kind === 'enum') return this.#form.scalar(field);
    return this.#message(type);
  }

  #message(type: MessageType): ReadValue<Result> {
    const known = this.#messages.get(type);
    if (known !== undefined) return known;
    let compiled: ReadValue<Result> | undefined;
    const read: ReadValue<Result> = (value) => compiled!(value);
    this.#messages.set(type, read);
    compiled = this.#compiledMessage(type);
    return read;
  }

  #compiledMessage(type: MessageType): ReadValue<Result> {
    const name = wellKnownName(type);
    if (name === 'google.protobuf.Timestamp')
      return (value) => this.#form.timestamp(microsOfTimestamp(value as MessageValue));
    if (name !== undefined && jsonMessages.has(name))
      return (value) => this.#form.json(JSON.stringify(jsonOfMessage(value as MessageValue, this.#context)));
    if (name !== undefined && wrapperTypes.has(name)) {
      const inner = type.byNumber.get(1)!;
      const [read, unset] = [this.#value(inner), defaultOf(inner)];
      return (value) => read((value as MessageValue).get(1) ?? unset);
    }
    return this.#form.struct(this.fieldsOf(type)) as ReadValue<Result>;
  }
}

function microsOfTimestamp(message: MessageValue): bigint {
  const seconds = (message.get(1) as bigint | undefined) ?? 0n;
  const nanos = (message.get(2) as number | undefined) ?? 0;
  if (nanos < 0 || nanos > 999_999_999) fail('convert', `a timestamp has ${nanos} nanoseconds`);
  const micros = seconds * 1_000_000n + BigInt(Math.floor(nanos / 1000));
  if (BigInt.asIntN(64, micros) !== micros) fail('convert', 'a timestamp is out of range');
  return micros;
}

/** The value of a field that is not set. */
function defaultOf({ type }: FieldType): FieldValue {
  if (typeof type !== 'string')
    return type.kind === 'message' ? new MessageValue(type) : type.node.values[0]!.number;
  if (type === 'string') return '';
  if (type === 'bytes') return new Uint8Array(0);
  if (type === 'bool') return false;
  return type.endsWith('64') ? 0n : 0;
}

/** The name of a value of an enum; the number of one that has no name, as digits. */
function enumReader(names: ReadonlyMap<number, string>): (value: FieldValue) => string {
  return (value) => names.get(value as number) ?? String(value);
}

const scalarBytes: Readonly<Record<string, number>> = {
  bool: 1,
  int32: 4,
  sint32: 4,
  sfixed32: 4,
  float: 4,
  uint64: 16,
  fixed64: 16,
};

function rowForm(meter: RowMeter): Form<RowValue> {
  return {
    scalar({ type }) {
      if (typeof type !== 'string') {
        const nameOf = enumReader((type as Extract<typeof type, { kind: 'enum' }>).nameOf);
        return (value) => {
          const name = nameOf(value);
          meter.bytes += 4 + name.length;
          return name;
        };
      }
      if (type === 'string')
        return (value) => {
          const text = value as string;
          meter.bytes += 4 + text.length;
          return text;
        };
      if (type === 'bytes')
        return (value) => {
          meter.bytes += 4 + (value as Uint8Array).length;
          return value as Uint8Array;
        };
      const bytes = scalarBytes[type] ?? 8;
      const isUnsigned32 = type === 'uint32' || type === 'fixed32';
      return (value) => {
        meter.bytes += bytes;
        // A decimal, of which the value is the unscaled one.
        return isUnsigned32 ? BigInt(value as number) : (value as bigint | number | boolean);
      };
    },
    timestamp(micros) {
      meter.bytes += 8;
      return micros;
    },
    json(text) {
      meter.bytes += 4 + text.length;
      return text;
    },
    struct: (fields) => (message) => {
      const row: RowValue[] = new Array(fields.length);
      let at = 0;
      try {
        for (; at < fields.length; at++) row[at] = fields[at]!.read(message);
      } catch (error) {
        throw placed(error, fields[at]!.name);
      }
      return row;
    },
    list(values) {
      meter.bytes += 8 + values.length;
      return values;
    },
    map(pairs) {
      meter.bytes += 8 + pairs.length;
      return pairs;
    },
  };
}

const documentForm: Form<unknown> = {
  scalar({ type }) {
    if (typeof type !== 'string') return enumReader((type as Extract<typeof type, { kind: 'enum' }>).nameOf);
    if (type === 'bytes') return (value) => new Bytes(Buffer.from(value as Uint8Array));
    if (type === 'float') return (value) => floatValue(shortestFloat(value as number));
    if (type === 'double') return (value) => floatValue(value as number);
    return (value) => (typeof value === 'bigint' ? shortest(value) : value);
  },
  timestamp: (micros) => timestampText(micros, true),
  json: (text) => text,
  struct: (fields) => (message) => {
    const document: Record<string, unknown> = {};
    for (const { name, read } of fields) {
      let value: unknown;
      try {
        value = read(message);
      } catch (error) {
        throw placed(error, name);
      }
      if (value !== null) setField(document, name, value);
    }
    return document;
  },
  list: (values) => values,
  map(pairs) {
    const document: Record<string, unknown> = {};
    for (const [key, value] of pairs) setField(document, String(key), value);
    return document;
  },
};

function decoder({ loaded }: ProtobufSchema, type: MessageType): (value: Uint8Array) => MessageValue {
  return (value) => {
    try {
      return decodeMessage(type, value, loaded.extensions);
    } catch (error) {
      if (!(error instanceof InvalidPayload)) throw error;
      return fail('decode', `the value is no message ${type.fullName}: ${error.message}`);
    }
  };
}

function contextOf({ loaded }: ProtobufSchema): JsonContext {
  let messages: ReadonlyMap<string, MessageType> | undefined;
  return {
    extensions: loaded.extensions,
    messageNamed(fullName) {
      messages ??= messagesByName(loaded.file);
      return messages.get(fullName);
    },
  };
}

/** Reads messages whose fields are the columns of the table. */
export function protobufRowReader(
  schema: ProtobufSchema,
  type: MessageType,
  { meter }: RowContext,
): ValueReader {
  const decode = decoder(schema, type);
  const fields = new Compiler(rowForm(meter), contextOf(schema)).fieldsOf(type);
  return {
    read(value, columns, row) {
      const message = decode(value);
      let at = 0;
      try {
        for (; at < fields.length; at++) columns[at]![row] = fields[at]!.read(message);
      } catch (error) {
        throw placed(readError(error), fields[at]!.name);
      }
      return true;
    },
  };
}

/** Reads messages as documents: for transforms, and for schemas that differ from the columns. */
export function protobufDocumentReader(
  schema: ProtobufSchema,
  type: MessageType,
  context: RowContext,
): ValueReader {
  const decode = decoder(schema, type);
  const fields = new Compiler(documentForm, contextOf(schema)).fieldsOf(type);
  const read = documentForm.struct(fields);
  return new DocumentReader((value) => {
    const message = decode(value);
    try {
      return read(message);
    } catch (error) {
      throw readError(error);
    }
  }, context);
}

/** What printing JSON says about a message that has none. */
function readError(error: unknown): unknown {
  return error instanceof InvalidPayload ? new RowFault('convert', error.message) : error;
}
