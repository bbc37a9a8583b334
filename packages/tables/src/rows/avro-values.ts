/**
 * Values in Avro's binary encoding: as rows, and as documents for transforms. A payload is validated before, so that
 * readers only follow it. Types are compiled to closures.
 */
import { Bytes } from '@weir/bloblang';
import {
  type AvroSchema,
  type AvroType,
  avroFormat,
  JsonNumber,
  logicalProperties,
  type RecordType,
} from '@weir/registry/formats';
import type { RowValue } from '../parquet/parquet-writer.ts';
import { avroPrimitive } from '../schemas/avro-columns.ts';
import type { TimeUnit } from '../schemas/columns.ts';
import { microsOfCount, type RowMeter } from './convert-values.ts';
import { decimalText } from './decimal-text.ts';
import { floatValue, setField, shortest, shortestFloat } from './document-values.ts';
import { fail, placed } from './row-fault.ts';
import { daysText, timeOfDayText, timestampText } from './time-text.ts';
import { DocumentReader, type RowContext, type ValueReader } from './value-reader.ts';

/** Values that one payload may have; those of empty records take no bytes. */
const valuesMax = 10_000_000;

class Cursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  values = 0;

  open(value: Uint8Array): void {
    this.bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.at = 0;
    this.values = 0;
  }

  /** A length, a count, an index or an int. Never beyond 2^53 in a payload that is valid. */
  count(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 0x80) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = bytes[this.at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  long(): bigint {
    const start = this.at;
    const value = this.count();
    // Seven bytes have 49 bits, which a number holds exactly.
    if (this.at - start <= 7) return BigInt(value);
    let bits = 0n;
    for (let at = this.at - 1; at >= start; at--) bits = (bits << 7n) | BigInt(this.bytes[at]! & 0x7f);
    return BigInt.asIntN(64, (bits >> 1n) ^ -(bits & 1n));
  }

  take(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text(): string {
    const length = this.count();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** The number of items in the next block, 0 at the end. */
  block(): number {
    const count = this.count();
    const items = count >= 0 ? count : -count;
    if (count < 0) this.count();
    this.values += items;
    if (this.values > valuesMax) fail('decode', 'the value has too many items for its size');
    return items;
  }
}

type Read<Result> = (cursor: Cursor) => Result;

/** What becomes of the parts of a payload: values of rows, or of documents. */
interface Form<Result> {
  scalar(type: AvroScalar): Read<Result>;
  record(names: readonly string[], fields: readonly Read<Result>[]): Read<Result>;
  list(items: Read<Result>): Read<Result>;
  map(values: Read<Result>): Read<Result>;
}

type AvroScalar = Exclude<AvroType, { kind: 'union' | 'record' | 'array' | 'map' }>;

/** Compiles the types of a schema, each record once: records may contain themselves. */
class Compiler<Result> {
  readonly #form: Form<Result>;
  readonly #records = new Map<RecordType, Read<Result>>();

  constructor(form: Form<Result>) {
    this.#form = form;
  }

  readerOf(type: AvroType): Read<Result | null> {
    if (type.kind !== 'union') return this.#branch(type);
    const branches = type.branches.map((branch) => this.#branch(branch));
    return (cursor) => branches[cursor.count()]!(cursor);
  }

  #branch(type: AvroType): Read<Result | null> {
    switch (type.kind) {
      case 'null':
      case 'union':
        return () => null;
      case 'record':
        return this.#record(type);
      case 'array':
        return this.#form.list(this.readerOf(type.items) as Read<Result>);
      case 'map':
        return this.#form.map(this.readerOf(type.values) as Read<Result>);
      default:
        return this.#form.scalar(type);
    }
  }

  #record(record: RecordType): Read<Result> {
    const known = this.#records.get(record);
    if (known !== undefined) return known;
    let compiled: Read<Result> | undefined;
    const read: Read<Result> = (cursor) => compiled!(cursor);
    this.#records.set(record, read);
    compiled = this.#form.record(
      record.fields.map(({ name }) => name),
      record.fields.map(({ type }) => this.readerOf(type) as Read<Result>),
    );
    return read;
  }
}

const unitOf: Readonly<Record<string, TimeUnit>> = {
  'timestamp-millis': 'millis',
  'timestamp-micros': 'micros',
  'timestamp-nanos': 'nanos',
  'local-timestamp-millis': 'millis',
  'local-timestamp-micros': 'micros',
  'local-timestamp-nanos': 'nanos',
};

function logicalName(type: AvroScalar): string {
  return String(logicalProperties(type).get('logicalType') ?? '');
}

function bytesReader(type: AvroScalar): Read<Buffer> {
  if (type.kind !== 'fixed') return (cursor) => cursor.take(cursor.count());
  const { sizeBytes } = type;
  return (cursor) => cursor.take(sizeBytes);
}

/** Big-endian, in two's complement. */
function integerOfBytes(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));
}

/** More bytes are leading zeros, or digits that no table has. */
const decimalBytesMax = 1024;

function decimalReader(type: AvroScalar): { read: Read<bigint>; scale: number } {
  const properties = logicalProperties(type);
  const number = (key: string) => {
    const node = properties.get(key);
    return node instanceof JsonNumber ? Number(node.text) : 0;
  };
  const [precision, scale] = [number('precision'), number('scale')];
  const limit = 10n ** BigInt(precision);
  const take = bytesReader(type);
  return {
    scale,
    read: (cursor) => {
      const bytes = take(cursor);
      const unscaled = bytes.length > decimalBytesMax ? limit : integerOfBytes(bytes);
      if (unscaled >= limit || unscaled <= -limit)
        fail('convert', `a decimal has more digits than decimal(${precision}, ${scale})`);
      return unscaled;
    },
  };
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function uuidReader(type: AvroScalar): Read<string> {
  if (type.kind === 'fixed') {
    const take = bytesReader(type);
    return (cursor) => uuidText(take(cursor));
  }
  return (cursor) => {
    const text = cursor.text().toLowerCase();
    if (!uuidPattern.test(text)) fail('convert', `${JSON.stringify(text.slice(0, 50))} is no uuid`);
    return text;
  };
}

/** A time of the day in microseconds. */
function timeReader(name: string): Read<number> {
  const factor = name === 'time-millis' ? 1000 : 1;
  return (cursor) => {
    const micros = cursor.count() * factor;
    if (!(micros >= 0 && micros < 86_400_000_000)) fail('convert', `${micros / factor} is no time of a day`);
    return micros;
  };
}

function timestampReader(name: string): Read<bigint> {
  const unit = unitOf[name]!;
  return (cursor) => {
    const micros = microsOfCount(cursor.long(), unit);
    if (BigInt.asIntN(64, micros) !== micros) fail('convert', 'a timestamp is out of range');
    return micros;
  };
}

/** Values of rows. */
function rowForm(meter: RowMeter): Form<RowValue> {
  const metered =
    <Value extends RowValue>(bytes: number, read: Read<Value>): Read<RowValue> =>
    (cursor) => {
      meter.bytes += bytes;
      return read(cursor);
    };
  const sized =
    (read: Read<string | Buffer>): Read<RowValue> =>
    (cursor) => {
      const value = read(cursor);
      meter.bytes += 4 + value.length;
      return value;
    };
  return {
    scalar(type) {
      const name = logicalName(type);
      switch (avroPrimitive(type).kind) {
        case 'decimal':
          return metered(16, decimalReader(type).read);
        case 'uuid':
          return metered(16, uuidReader(type));
        case 'time': {
          const read = timeReader(name);
          return metered(8, (cursor) => BigInt(read(cursor)));
        }
        case 'timestamp':
        case 'timestamptz':
          return metered(8, timestampReader(name));
      }
      switch (type.kind) {
        case 'boolean':
          return metered(1, (cursor) => cursor.bytes[cursor.at++] === 1);
        case 'int':
          return metered(4, (cursor) => cursor.count());
        case 'long':
          return metered(8, (cursor) => cursor.long());
        case 'float':
          return metered(4, (cursor) => cursor.take(4).readFloatLE());
        case 'double':
          return metered(8, (cursor) => cursor.take(8).readDoubleLE());
        case 'string':
          return sized((cursor) => cursor.text());
        case 'enum':
          return sized((cursor) => type.symbols[cursor.count()]!);
        default:
          return sized(bytesReader(type));
      }
    },
    record: (names, fields) => (cursor) => {
      const row: RowValue[] = new Array(fields.length);
      let at = 0;
      try {
        for (; at < fields.length; at++) row[at] = fields[at]!(cursor);
      } catch (error) {
        throw placed(error, names[at]!);
      }
      return row;
    },
    list: (item) => (cursor) => {
      const list: RowValue[] = [];
      for (let count = cursor.block(); count > 0; count = cursor.block())
        for (; count > 0; count--) list.push(item(cursor));
      meter.bytes += 8 + list.length;
      return list;
    },
    map: (value) => (cursor) => {
      const pairs = new Map<string, RowValue>();
      for (let count = cursor.block(); count > 0; count = cursor.block())
        for (; count > 0; count--) {
          const key = cursor.text();
          meter.bytes += 4 + key.length;
          pairs.set(key, value(cursor));
        }
      meter.bytes += 8 + pairs.size;
      return [...pairs];
    },
  };
}

type DocumentValue = unknown;

/** Values of documents: what has no form in JSON is a text, which a column of its type can read again. */
const documentForm: Form<DocumentValue> = {
  scalar(type) {
    const name = logicalName(type);
    if (name === 'decimal') {
      const { read, scale } = decimalReader(type);
      return (cursor) => decimalText(read(cursor), scale);
    }
    if (name === 'uuid') return uuidReader(type);
    if (name === 'date') return (cursor) => daysText(cursor.count());
    if (name.startsWith('time-')) {
      const read = timeReader(name);
      return (cursor) => timeOfDayText(read(cursor));
    }
    if (Object.hasOwn(unitOf, name)) {
      const read = timestampReader(name);
      const hasZone = name.startsWith('timestamp-');
      return (cursor) => timestampText(read(cursor), hasZone);
    }
    switch (type.kind) {
      case 'boolean':
        return (cursor) => cursor.bytes[cursor.at++] === 1;
      case 'int':
        return (cursor) => cursor.count();
      case 'long':
        return (cursor) => shortest(cursor.long());
      case 'float':
        return (cursor) => floatValue(shortestFloat(cursor.take(4).readFloatLE()));
      case 'double':
        return (cursor) => floatValue(cursor.take(8).readDoubleLE());
      case 'string':
        return (cursor) => cursor.text();
      case 'enum':
        return (cursor) => type.symbols[cursor.count()]!;
      default: {
        const take = bytesReader(type);
        return (cursor) => new Bytes(take(cursor));
      }
    }
  },
  record: (names, fields) => (cursor) => {
    const document: Record<string, DocumentValue> = {};
    let at = 0;
    try {
      for (; at < fields.length; at++) setField(document, names[at]!, fields[at]!(cursor));
    } catch (error) {
      throw placed(error, names[at]!);
    }
    return document;
  },
  list: (item) => (cursor) => {
    const list: DocumentValue[] = [];
    for (let count = cursor.block(); count > 0; count = cursor.block())
      for (; count > 0; count--) list.push(item(cursor));
    return list;
  },
  map: (value) => (cursor) => {
    const document: Record<string, DocumentValue> = {};
    for (let count = cursor.block(); count > 0; count = cursor.block())
      for (; count > 0; count--) setField(document, cursor.text(), value(cursor));
    return document;
  },
};

function validated(schema: AvroSchema): (value: Uint8Array, cursor: Cursor) => void {
  const codec = avroFormat.codec(schema);
  return (value, cursor) => {
    const problem = codec.problemOf(value);
    if (problem !== undefined) fail('decode', `the value does not fit its Avro schema: ${problem}`);
    cursor.open(value);
  };
}

/** Reads payloads whose schema has the columns of the table. */
export function avroRowReader(schema: AvroSchema, { meter }: RowContext): ValueReader {
  const open = validated(schema);
  const cursor = new Cursor();
  const compiler = new Compiler(rowForm(meter));
  const { fields } = schema.root as RecordType;
  const readers = fields.map(({ type }) => compiler.readerOf(type));
  return {
    read(value, columns, row) {
      open(value, cursor);
      let at = 0;
      try {
        for (; at < readers.length; at++) columns[at]![row] = readers[at]!(cursor);
      } catch (error) {
        throw placed(error, fields[at]!.name);
      }
      return true;
    },
  };
}

/** Reads payloads as documents: for transforms, and for schemas that differ from the columns. */
export function avroDocumentReader(schema: AvroSchema, context: RowContext): ValueReader {
  const open = validated(schema);
  const cursor = new Cursor();
  const read = new Compiler(documentForm).readerOf(schema.root);
  return new DocumentReader((value) => {
    open(value, cursor);
    return read(cursor);
  }, context);
}
