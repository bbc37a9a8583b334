/**
 * Types of Avro as manifests use them: every field of a record has an Iceberg id (`field-id`), and values of records
 * are known by it. Files of other writers may have other names and further fields.
 */
import { type Json, parseJson } from '../json/exact-json.ts';
import { ObjectReader } from '../json/json-reader.ts';
import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';

const simpleKinds = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;

export type AvroType =
  | { readonly kind: (typeof simpleKinds)[number] }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'array'; readonly element: AvroType }
  | { readonly kind: 'map'; readonly value: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] };

export interface AvroField {
  readonly id: number;
  readonly name: string;
  readonly type: AvroType;
}

/** Long is `bigint`, a record is known by the ids of its fields, and a union is one of its values. */
export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly AvroValue[]
  | AvroRecord
  | { readonly entries: ReadonlyMap<string, AvroValue> };

export type AvroRecord = ReadonlyMap<number, AvroValue>;

/** Parses the text of an Avro schema. */
export function parseAvroType(text: string, place: string): AvroType {
  return new AvroTypeParser().parse(parseJson(text, place), place, 0);
}

class AvroTypeParser {
  readonly #named = new Map<string, AvroType>();

  parse(json: Json | undefined, place: string, depth: number): AvroType {
    if (depth > icebergLimits.manifestSchemaDepthMax)
      throw new InvalidTable(`${place}: the schema is nested too deeply`);
    if (typeof json === 'string') return this.#byName(json, place);
    if (Array.isArray(json)) {
      const branches = (json as readonly Json[]).map((one, at) =>
        this.parse(one, `${place}[${at}]`, depth + 1),
      );
      return { kind: 'union', branches };
    }
    const reader = new ObjectReader(json, place);
    const kind = reader.raw('type');
    switch (kind) {
      case 'record':
        return this.#record(reader, depth);
      case 'array':
        return { kind, element: this.parse(reader.raw('items'), `${place}.items`, depth + 1) };
      case 'map':
        return { kind, value: this.parse(reader.raw('values'), `${place}.values`, depth + 1) };
      case 'fixed': {
        const bytes = reader.integer('size');
        if (bytes < 0 || bytes > icebergLimits.manifestFileBytesMax)
          throw new InvalidTable(`${place}: a fixed of ${bytes} bytes`);
        return this.#define(reader, { kind, bytes });
      }
      default:
        // A type with attributes, such as {"type": "int", "logicalType": "date"}.
        return this.parse(kind, place, depth + 1);
    }
  }

  #record(reader: ObjectReader, depth: number): AvroType {
    const fields = reader.list('fields', (item, at): AvroField => {
      const field = new ObjectReader(item, at);
      const id = field.integerIfAny('field-id');
      const name = field.text('name');
      if (id === undefined)
        throw new InvalidTable(
          `${at}: the field ${name} has no field-id; the file was not written by the rules of Iceberg`,
        );
      return { id, name, type: this.parse(field.raw('type'), `${at}.type`, depth + 1) };
    });
    return this.#define(reader, { kind: 'record', fields });
  }

  /** A name is known after its definition, so that no type contains itself. */
  #define(reader: ObjectReader, type: AvroType): AvroType {
    const name = reader.textIfAny('name');
    if (name !== undefined) this.#named.set(name, type);
    return type;
  }

  #byName(name: string, place: string): AvroType {
    const simple = simpleKinds.find((kind) => kind === name);
    if (simple !== undefined) return { kind: simple };
    const named = this.#named.get(name);
    if (named === undefined) throw new InvalidTable(`${place}: unknown Avro type "${name.slice(0, 100)}"`);
    return named;
  }
}
