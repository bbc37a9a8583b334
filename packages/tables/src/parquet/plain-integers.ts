/**
 * DuckDB annotates integer columns of Parquet files with their width, which Iceberg does not ask for. The vectorised
 * reader of Spark takes the annotation for the type of the table, and fails where an `int` of a file has become a
 * `long` since. So the annotations are taken out of the schema in the footer; nothing else changes.
 *
 * The footer is a struct in Thrift's compact protocol: fields of a header and a value each, until a zero.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ParquetWriteFailed } from './writer-errors.ts';

const magic = Buffer.from('PAR1');
/** Bytes after the footer: its length, and the magic number. */
const tailBytes = 8;

/** Fields of the footer and of a column in its schema, and annotations, by their numbers in the format. */
const schemaField = 2;
const convertedTypeField = 6;
const logicalTypeField = 10;
const signedIntegers = [17, 18];
const integerType = 10;

/** Types of values in the compact protocol. */
const wire = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
};

interface Field {
  readonly id: number;
  readonly type: number;
  /** Where its value begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** Rewrites the footer of a finished file, which gets shorter. */
export async function removeIntegerAnnotations(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const tail = await read(file, size - tailBytes, tailBytes);
    const footerBytes = tail.readUInt32LE(0);
    const start = size - tailBytes - footerBytes;
    if (!tail.subarray(4).equals(magic) || start < magic.length) throw damaged();
    const footer = withoutIntegerAnnotations(await read(file, start, footerBytes));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    const end = Buffer.concat([footer, length, magic]);
    await file.write(end, 0, end.length, start);
    await file.truncate(start + end.length);
  } finally {
    await file.close();
  }
}

export function withoutIntegerAnnotations(footer: Buffer): Buffer {
  const reader = new CompactReader(footer);
  const schema = reader.fields(0).fields.find(({ id }) => id === schemaField);
  if (schema?.type !== wire.list) throw damaged();
  const { count, first } = reader.listHead(schema.from);
  const parts = [footer.subarray(0, first)];
  let at = first;
  for (let column = 0; column < count; column++) {
    const { fields, end } = reader.fields(at);
    const isInteger = fields.some(
      ({ id, from }) => id === convertedTypeField && signedIntegers.includes(reader.zigzag(from)),
    );
    parts.push(isInteger ? plainColumn(reader, footer, fields) : footer.subarray(at, end));
    at = end;
  }
  parts.push(footer.subarray(at));
  return Buffer.concat(parts);
}

/** A column without its annotations; headers of later fields count from the field before. */
function plainColumn(reader: CompactReader, footer: Buffer, fields: readonly Field[]): Buffer {
  const parts: Buffer[] = [];
  let previous = 0;
  for (const { id, type, from, to } of fields) {
    if (id === convertedTypeField) continue;
    if (id === logicalTypeField && reader.fields(from).fields[0]?.id === integerType) continue;
    const delta = id - previous;
    if (delta < 1 || delta > 15) throw damaged();
    parts.push(Buffer.of((delta << 4) | type), footer.subarray(from, to));
    previous = id;
  }
  return Buffer.concat([...parts, Buffer.of(0)]);
}

/** How deeply values of a footer are nested at most; those of DuckDB have 6 levels. */
const depthMax = 32;

class CompactReader {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The fields of a struct, and where it ends. */
  fields(start: number, depth = 0): { readonly fields: Field[]; readonly end: number } {
    const fields: Field[] = [];
    let [at, id] = [start, 0];
    for (;;) {
      const head = this.#byte(at++);
      if (head === 0) return { fields, end: at };
      const type = head & 15;
      if (head >> 4 === 0) {
        id = this.zigzag(at);
        at = this.#afterVarint(at);
      } else id += head >> 4;
      const to = this.#after(type, at, depth);
      fields.push({ id, type, from: at, to });
      at = to;
    }
  }

  listHead(at: number): { readonly count: number; readonly type: number; readonly first: number } {
    const head = this.#byte(at);
    if (head >> 4 < 15) return { count: head >> 4, type: head & 15, first: at + 1 };
    return { count: this.#varint(at + 1), type: head & 15, first: this.#afterVarint(at + 1) };
  }

  zigzag(at: number): number {
    const value = this.#varint(at);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Where a value ends. */
  #after(type: number, at: number, depth: number): number {
    if (depth > depthMax) throw damaged();
    switch (type) {
      case wire.true:
      case wire.false:
        return at;
      case wire.byte:
        return at + 1;
      case wire.i16:
      case wire.i32:
      case wire.i64:
        return this.#afterVarint(at);
      case wire.double:
        return at + 8;
      case wire.binary:
        return this.#afterVarint(at) + this.#varint(at);
      case wire.list:
      case wire.set:
        return this.#afterList(at, depth);
      case wire.struct:
        return this.fields(at, depth + 1).end;
      default:
        throw damaged();
    }
  }

  #afterList(start: number, depth: number): number {
    const { count, type, first } = this.listHead(start);
    // Flags have a byte each in lists.
    if (type === wire.true || type === wire.false) return first + count;
    let at = first;
    for (let item = 0; item < count; item++) at = this.#after(type, at, depth + 1);
    return at;
  }

  #varint(at: number): number {
    let [value, factor] = [0, 1];
    for (let next = at; ; next++) {
      const byte = this.#byte(next);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  #afterVarint(at: number): number {
    let next = at;
    while (this.#byte(next) >= 128) next++;
    return next + 1;
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw damaged();
    return byte;
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw damaged();
  return buffer;
}

function damaged(): ParquetWriteFailed {
  return new ParquetWriteFailed('the footer of a new Parquet file cannot be read; write the file again');
}
