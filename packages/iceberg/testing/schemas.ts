import { Schema } from '../src/schema/schema.ts';
import { type Column, parsePrimitive, type Type } from '../src/schema/types.ts';

/** A type by its text, or as it is. */
export function typeOf(type: string | Type): Type {
  return typeof type === 'string' ? parsePrimitive(type, 'test') : type;
}

/** A column in short: `column(1, 'id', 'long')` is optional, `column(1, 'id!', 'long')` is required. */
export function column(id: number, name: string, type: string | Type): Column {
  const isRequired = name.endsWith('!');
  return { id, name: isRequired ? name.slice(0, -1) : name, isRequired, type: typeOf(type) };
}

export function struct(...columns: Column[]): Type {
  return { kind: 'struct', columns };
}

export function list(elementId: number, element: string | Type): Type {
  return { kind: 'list', elementId, isElementRequired: false, element: typeOf(element) };
}

export function map(keyId: number, key: string | Type, valueId: number, value: string | Type): Type {
  return { kind: 'map', keyId, key: typeOf(key), valueId, isValueRequired: false, value: typeOf(value) };
}

export function schemaOf(...columns: Column[]): Schema {
  return new Schema({ id: 0, columns });
}
