/**
 * Columns of a JSON Schema. It says which columns there are and of which type; other rules, such as lengths and
 * patterns, are not applied to records.
 */
import { parsePrimitive, type Type } from '@weir/iceberg';
import { isArray, isObject, type JsonNode, type JsonObject, parseSchemaJson } from '@weir/registry/formats';
import {
  type Column,
  ColumnIds,
  checkDepth,
  listOf,
  mapOf,
  type SchemaColumns,
  shownPath,
  structOf,
  type TimeUnit,
  UnusableSchema,
  unusable,
} from './columns.ts';

/** Texts with a meaning, and numbers with one. */
const textFormats: Readonly<Record<string, Type>> = {
  'date-time': { kind: 'timestamptz' },
  'local-date-time': { kind: 'timestamp' },
  date: { kind: 'date' },
  time: { kind: 'time' },
  uuid: { kind: 'uuid' },
  byte: { kind: 'binary' },
  binary: { kind: 'binary' },
};
const integerFormats: Readonly<Record<string, Type>> = {
  int32: { kind: 'int' },
  int64: { kind: 'long' },
  date: { kind: 'date' },
};
const numberFormats: Readonly<Record<string, Type>> = {
  float: { kind: 'float' },
  double: { kind: 'double' },
};
const timeFormats: Readonly<Record<string, TimeUnit>> = {
  'unix-time': 'seconds',
  'timestamp-seconds': 'seconds',
  'timestamp-millis': 'millis',
  'timestamp-micros': 'micros',
  'timestamp-nanos': 'nanos',
};
/** Names of types that JSON Schema does not have. */
const otherTypes: Readonly<Record<string, Type>> = {
  long: { kind: 'long' },
  int: { kind: 'int' },
  float: { kind: 'float' },
  double: { kind: 'double' },
};

const referencesMax = 100;

interface Found {
  readonly type: Type;
  readonly mayBeNull: boolean;
  readonly unit?: TimeUnit | undefined;
}

/** Throws `UnusableSchema`. */
export function jsonColumns(text: string): SchemaColumns {
  let root: JsonNode;
  try {
    root = parseSchemaJson(text);
  } catch (error) {
    throw unusable(error, text);
  }
  return new Reading(root).columns();
}

class Reading {
  readonly #root: JsonNode;
  readonly #ids = new ColumnIds();
  /** References that are being followed, to find a schema that contains itself. */
  readonly #open = new Set<JsonNode>();

  constructor(root: JsonNode) {
    this.#root = root;
  }

  columns(): SchemaColumns {
    const { type } = this.#typeOf(this.#root, []);
    if (type.kind !== 'struct')
      throw new UnusableSchema('is not the schema of an object with properties, which are the columns');
    return { columns: type.columns, units: this.#ids.units };
  }

  #typeOf(node: JsonNode, path: readonly string[]): Found {
    checkDepth(path);
    if (!isObject(node)) throw refusal(path, 'is not a schema; it has to be an object');
    const target = node.get('$ref');
    if (target === undefined) return this.#typeOfSchema(node, path);
    const referenced = this.#referenced(target, path);
    if (this.#open.has(referenced)) throw refusal(path, 'contains itself, and a column cannot');
    if (this.#open.size >= referencesMax)
      throw refusal(path, `is behind more than ${referencesMax} references in a row`);
    this.#open.add(referenced);
    const found = this.#typeOf(referenced, path);
    this.#open.delete(referenced);
    return found;
  }

  #referenced(target: JsonNode, path: readonly string[]): JsonNode {
    if (typeof target !== 'string' || !/^#(?:\/|$)/.test(target))
      throw refusal(path, 'has a $ref to another document; only references within the schema are followed');
    let node: JsonNode | undefined = this.#root;
    for (const part of target.split('/').slice(1)) {
      const name = decoded(part);
      node = isObject(node) ? node.get(name) : isArray(node) ? node[Number(name)] : undefined;
    }
    if (node === undefined)
      throw refusal(path, `has a $ref to ${target.slice(0, 100)}, which does not exist`);
    return node;
  }

  #typeOfSchema(schema: JsonObject, path: readonly string[]): Found {
    for (const word of ['oneOf', 'anyOf', 'allOf']) {
      const parts = schema.get(word);
      if (parts !== undefined) return this.#typeOfParts(parts, word, path);
    }
    const names = typeNames(schema, path);
    const mayBeNull = names.includes('null');
    const others = names.filter((name) => name !== 'null');
    if (others.length !== 1)
      throw refusal(
        path,
        others.length === 0
          ? 'has only the type null'
          : `has the types ${others.join(', ').slice(0, 100)}; a column has one, and null`,
      );
    return { mayBeNull, ...this.#typeNamed(others[0]!, schema, path) };
  }

  /** One part that is not null. Parts that all have to hold, and are more than one, have no type of their own. */
  #typeOfParts(parts: JsonNode, word: string, path: readonly string[]): Found {
    if (!isArray(parts)) throw refusal(path, `has ${word} without a list`);
    const others = parts.filter((part) => !(isObject(part) && part.get('type') === 'null'));
    if (others.length !== 1)
      throw refusal(path, `has ${word} of ${others.length} types that are not null; a column has one`);
    const found = this.#typeOf(others[0]!, path);
    return { ...found, mayBeNull: found.mayBeNull || others.length < parts.length };
  }

  #typeNamed(name: string, schema: JsonObject, path: readonly string[]): Omit<Found, 'mayBeNull'> {
    const given = schema.get('format');
    const format = typeof given === 'string' ? given : '';
    const decimal = /^decimal\b/.test(format) ? decimalOf(format, path) : undefined;
    const unit = Object.hasOwn(timeFormats, format) ? timeFormats[format] : undefined;
    switch (name) {
      case 'string': {
        if (decimal !== undefined) return { type: decimal };
        const isBase64 = schema.get('contentEncoding') === 'base64';
        return { type: isBase64 ? { kind: 'binary' } : (own(textFormats, format) ?? { kind: 'string' }) };
      }
      case 'integer':
      case 'long':
      case 'int':
        if (decimal !== undefined) return { type: decimal };
        if (unit !== undefined) return { type: { kind: 'timestamptz' }, unit };
        if (format === 'date-time') return { type: { kind: 'timestamptz' } };
        return { type: own(integerFormats, format) ?? own(otherTypes, name) ?? { kind: 'long' } };
      case 'number':
      case 'float':
      case 'double':
        if (decimal !== undefined) return { type: decimal };
        return { type: own(numberFormats, format) ?? own(otherTypes, name) ?? { kind: 'double' } };
      case 'boolean':
        return { type: { kind: 'boolean' } };
      case 'array':
        return { type: this.#list(schema, path) };
      case 'object':
        return { type: this.#object(schema, path) };
      default:
        throw refusal(
          path,
          `has the type ${JSON.stringify(name.slice(0, 50))}; the types are string, integer, long, number, boolean, array, object and null`,
        );
    }
  }

  #list(schema: JsonObject, path: readonly string[]): Type {
    const items = schema.get('items');
    if (items === undefined) throw refusal(path, 'is an array without items, which say what is in it');
    const { type, mayBeNull, unit } = this.#typeOf(items, [...path, 'element']);
    const list = listOf(this.#ids, type, !mayBeNull);
    if (unit !== undefined && list.kind === 'list') this.#ids.units.set(list.elementId, unit);
    return list;
  }

  #object(schema: JsonObject, path: readonly string[]): Type {
    const properties = schema.get('properties');
    const additional = schema.get('additionalProperties');
    if (isObject(properties) && properties.size > 0) return this.#struct(properties, schema, path);
    if (isObject(additional)) {
      const { type, mayBeNull, unit } = this.#typeOf(additional, [...path, 'value']);
      const map = mapOf(this.#ids, { kind: 'string' }, type, !mayBeNull);
      if (unit !== undefined && map.kind === 'map') this.#ids.units.set(map.valueId, unit);
      return map;
    }
    throw refusal(
      path,
      'is an object without properties; give properties, or additionalProperties with the schema of its values',
    );
  }

  #struct(properties: JsonObject, schema: JsonObject, path: readonly string[]): Type {
    const required = schema.get('required');
    const names = new Set(isArray(required) ? required : []);
    const columns: Column[] = [];
    for (const [name, property] of properties) {
      const id = this.#ids.next();
      const { type, mayBeNull, unit } = this.#typeOf(property, [...path, name]);
      if (unit !== undefined) this.#ids.units.set(id, unit);
      const doc = isObject(property) ? property.get('description') : undefined;
      columns.push({
        id,
        name,
        isRequired: names.has(name) && !mayBeNull,
        type,
        ...(typeof doc === 'string' && { doc: doc.slice(0, 1000) }),
      });
    }
    return structOf(columns);
  }
}

/** The types of a schema, also of one that does not name them. */
function typeNames(schema: JsonObject, path: readonly string[]): readonly string[] {
  const type = schema.get('type');
  if (typeof type === 'string') return [type];
  if (isArray(type)) {
    const names = type.filter((name) => typeof name === 'string');
    if (names.length === type.length) return [...new Set(names)];
  }
  if (type === undefined) {
    if (schema.has('properties') || schema.has('additionalProperties')) return ['object'];
    if (schema.has('items')) return ['array'];
    const values = schema.get('enum') ?? (schema.has('const') ? [schema.get('const')!] : undefined);
    if (isArray(values) && values.every((value) => value === null || typeof value === 'string'))
      return values.includes(null) ? ['string', 'null'] : ['string'];
  }
  throw refusal(path, 'has no type');
}

function decimalOf(format: string, path: readonly string[]): Type {
  try {
    return parsePrimitive(format, shownPath(path));
  } catch {
    throw refusal(
      path,
      `has the format ${format.slice(0, 50)}; a decimal has one such as decimal(9, 2), of at most 38 digits`,
    );
  }
}

function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function refusal(path: readonly string[], rule: string): UnusableSchema {
  return new UnusableSchema(path.length === 0 ? rule : `${shownPath(path)}: ${rule}`);
}
