/** Columns of a Protobuf message. Its fields are the columns, in the order of the text. */
import type { Type } from '@weir/iceberg';
import {
  type FieldType,
  type MessageType,
  messageAt,
  type ProtobufSchema,
  pathOfMessage,
  protobufFormat,
  type SchemaSource,
  wellKnownName,
  wrapperTypes,
} from '@weir/registry/formats';
import {
  type Column,
  ColumnIds,
  checkDepth,
  listOf,
  mapOf,
  type SchemaColumns,
  shownPath,
  structOf,
  UnusableSchema,
  unusable,
} from './columns.ts';

/** Throws `UnusableSchema`. */
export function parseProtobufSchema(source: SchemaSource): ProtobufSchema {
  try {
    return protobufFormat.parse(source);
  } catch (error) {
    throw unusable(error, source.text);
  }
}

/** A message by its name, with or without the package; the first one without a name. Throws `UnusableSchema`. */
export function messageNamed({ loaded: { file } }: ProtobufSchema, name: string | undefined): MessageType {
  const [first] = file.messages;
  if (first === undefined) throw new UnusableSchema('declares no message');
  if (name === undefined) return first;
  const { packageName } = file.node;
  const path =
    pathOfMessage(file, name) ??
    (packageName === '' ? undefined : pathOfMessage(file, `${packageName}.${name}`));
  if (path === undefined) {
    const names = file.messages.slice(0, 10).map(({ localName }) => localName);
    throw new UnusableSchema(`declares no message ${name.slice(0, 100)}; it has ${names.join(', ')}`);
  }
  return messageAt(file, path);
}

/** Throws `UnusableSchema`. */
export function protobufColumns(message: MessageType): SchemaColumns {
  return { columns: new Reading().columnsOf(message, []), units: new Map() };
}

/** Messages whose values are JSON, of any type: the column has their text. */
export const jsonMessages: ReadonlySet<string> = new Set([
  'google.protobuf.Struct',
  'google.protobuf.Value',
  'google.protobuf.ListValue',
]);

const scalarTypes: Readonly<Record<Extract<FieldType['type'], string>, Type>> = {
  double: { kind: 'double' },
  float: { kind: 'float' },
  int64: { kind: 'long' },
  sint64: { kind: 'long' },
  sfixed64: { kind: 'long' },
  int32: { kind: 'int' },
  sint32: { kind: 'int' },
  sfixed32: { kind: 'int' },
  // Iceberg has no unsigned integers, and the next larger signed one does not exist for 64 bits.
  uint32: { kind: 'decimal', precision: 10, scale: 0 },
  fixed32: { kind: 'decimal', precision: 10, scale: 0 },
  uint64: { kind: 'decimal', precision: 20, scale: 0 },
  fixed64: { kind: 'decimal', precision: 20, scale: 0 },
  bool: { kind: 'boolean' },
  string: { kind: 'string' },
  bytes: { kind: 'binary' },
};

class Reading {
  readonly #ids = new ColumnIds();
  readonly #open = new Set<MessageType>();

  columnsOf(message: MessageType, path: readonly string[]): readonly Column[] {
    if (this.#open.has(message))
      throw refusal(path, `contains itself by ${message.fullName}, and a column cannot`);
    this.#open.add(message);
    const columns = message.fields.map(
      (field): Column => ({
        id: this.#ids.next(),
        name: field.name,
        // Fields of messages come and go, so that only those that every message must have are required.
        isRequired: field.isRequired,
        type: this.#fieldType(field, [...path, field.name]),
      }),
    );
    this.#open.delete(message);
    if (columns.length === 0) throw refusal(path, `the message ${message.fullName} has no fields`);
    return columns;
  }

  #fieldType(field: FieldType, path: readonly string[]): Type {
    checkDepth(path);
    if (field.mapEntry !== undefined) {
      const [key, value] = [field.mapEntry.byNumber.get(1)!, field.mapEntry.byNumber.get(2)!];
      return mapOf(this.#ids, this.#type(key, path), this.#type(value, [...path, 'value']), true);
    }
    if (field.label === 'repeated') return listOf(this.#ids, this.#type(field, [...path, 'element']), true);
    return this.#type(field, path);
  }

  #type({ type }: FieldType, path: readonly string[]): Type {
    if (typeof type === 'string') return scalarTypes[type];
    if (type.kind === 'enum') return { kind: 'string' };
    const known = wellKnownName(type);
    if (known === 'google.protobuf.Timestamp') return { kind: 'timestamptz' };
    if (known !== undefined && jsonMessages.has(known)) return { kind: 'string' };
    if (known !== undefined && wrapperTypes.has(known)) return this.#type(type.byNumber.get(1)!, path);
    return structOf(this.columnsOf(type, path));
  }
}

function refusal(path: readonly string[], rule: string): UnusableSchema {
  return new UnusableSchema(path.length === 0 ? rule : `${shownPath(path)}: ${rule}`);
}
