import { type Json, type JsonObject, printJson } from '../json/exact-json.ts';
import { ObjectReader, readInteger } from '../json/json-reader.ts';
import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';
import { Schema } from './schema.ts';
import { type Column, parsePrimitive, primitiveText, type Type } from './types.ts';

/** Reads a schema. In format version 1 it may lack its id, which is 0 then. */
export function readSchema(json: Json | undefined, place: string): Schema {
  const reader = new ObjectReader(json, place);
  return new Schema({
    id: reader.integerIfAny('schema-id') ?? 0,
    columns: reader.list('fields', (item, at) => readColumn(item, at, 1)),
    identifierIds: reader.listIfAny('identifier-field-ids', readInteger),
  });
}

export function schemaJson(schema: Schema): JsonObject {
  return {
    type: 'struct',
    'schema-id': schema.id,
    ...(schema.identifierIds.length > 0 && { 'identifier-field-ids': schema.identifierIds }),
    fields: schema.columns.map(columnJson),
  };
}

/** Whether both have the same columns and identifiers, whatever their ids as schemas are. */
export function isSameSchema(one: Schema, other: Schema): boolean {
  const text = (schema: Schema) => printJson({ ...schemaJson(schema), 'schema-id': 0 });
  return text(one) === text(other);
}

function readColumn(json: Json, place: string, depth: number): Column {
  const reader = new ObjectReader(json, place);
  const doc = reader.textIfAny('doc');
  return {
    id: reader.integer('id'),
    name: reader.text('name'),
    isRequired: reader.flag('required'),
    type: readType(reader.raw('type'), `${place}.type`, depth),
    ...(doc !== undefined && { doc }),
  };
}

export function readType(json: Json | undefined, place: string, depth = 1): Type {
  if (typeof json === 'string') return parsePrimitive(json, place);
  if (depth > icebergLimits.tableTypeDepthMax)
    throw new InvalidTable(`schema: more than ${icebergLimits.tableTypeDepthMax} levels`);
  const reader = new ObjectReader(json, place);
  const inside = (key: string) => readType(reader.raw(key), `${place}.${key}`, depth + 1);
  const kind = reader.text('type');
  switch (kind) {
    case 'struct':
      return { kind, columns: reader.list('fields', (item, at) => readColumn(item, at, depth + 1)) };
    case 'list':
      return {
        kind,
        elementId: reader.integer('element-id'),
        isElementRequired: reader.flag('element-required'),
        element: inside('element'),
      };
    case 'map':
      return {
        kind,
        keyId: reader.integer('key-id'),
        key: inside('key'),
        valueId: reader.integer('value-id'),
        isValueRequired: reader.flag('value-required'),
        value: inside('value'),
      };
    default:
      throw new InvalidTable(`${place}: unknown type "${kind.slice(0, 100)}"; must be struct, list or map`);
  }
}

function columnJson({ id, name, isRequired, type, doc }: Column): JsonObject {
  return { id, name, required: isRequired, type: typeJson(type), ...(doc !== undefined && { doc }) };
}

function typeJson(type: Type): Json {
  switch (type.kind) {
    case 'struct':
      return { type: 'struct', fields: type.columns.map(columnJson) };
    case 'list':
      return {
        type: 'list',
        'element-id': type.elementId,
        'element-required': type.isElementRequired,
        element: typeJson(type.element),
      };
    case 'map':
      return {
        type: 'map',
        'key-id': type.keyId,
        key: typeJson(type.key),
        'value-id': type.valueId,
        'value-required': type.isValueRequired,
        value: typeJson(type.value),
      };
    default:
      return primitiveText(type);
  }
}
