import { isArray, isObject, type JsonNode, JsonNumber } from '../exact-json.ts';
import { type AvroType, branchName, type RecordType, type UnionType } from './avro-type.ts';

type PlainObject = Readonly<Record<string, unknown>>;

interface PlainOptions {
  /** Whether values of unions are without the names of their branches, as people write JSON. */
  readonly isPlain: boolean;
}

/** What a codec decodes, with longs as integers of any size. The value is of the type. */
export function plainOfAvro(type: AvroType, value: unknown, options: PlainOptions): unknown {
  switch (type.kind) {
    case 'union': {
      if (value === null) return null;
      const [name, content] = Object.entries(value as PlainObject)[0]!;
      const branch = type.branches.find((candidate) => branchName(candidate) === name)!;
      const plain = plainOfAvro(branch, content, options);
      return options.isPlain ? plain : withField({}, name, plain);
    }
    case 'record': {
      const object: Record<string, unknown> = {};
      for (const field of type.fields)
        withField(object, field.name, plainOfAvro(field.type, (value as PlainObject)[field.name], options));
      return object;
    }
    case 'map': {
      const object: Record<string, unknown> = {};
      for (const [key, item] of Object.entries(value as PlainObject))
        withField(object, key, plainOfAvro(type.values, item, options));
      return object;
    }
    case 'array':
      return (value as readonly unknown[]).map((item) => plainOfAvro(type.items, item, options));
    case 'long':
      return typeof value === 'string' ? BigInt(value) : value;
    default:
      return value;
  }
}

/**
 * What a codec encodes, of a value that may lack fields with a default. What does not fit the type stays as it is: the
 * codec says what is wrong with it.
 */
export function avroOfPlain(type: AvroType, value: unknown, options: PlainOptions): unknown {
  switch (type.kind) {
    case 'union':
      return ofUnion(type, value, options);
    case 'record': {
      if (!isPlainObject(value)) return value;
      const object: Record<string, unknown> = {};
      for (const field of type.fields) {
        if (Object.hasOwn(value, field.name))
          withField(object, field.name, avroOfPlain(field.type, value[field.name], options));
        else if (field.default !== undefined)
          withField(
            object,
            field.name,
            avroOfPlain(field.type, defaultOf(field.type, field.default, options), options),
          );
      }
      for (const key of Object.keys(value))
        if (!type.fieldByName.has(key)) withField(object, key, value[key]);
      return object;
    }
    case 'map': {
      if (!isPlainObject(value)) return value;
      const object: Record<string, unknown> = {};
      for (const [key, item] of Object.entries(value))
        withField(object, key, avroOfPlain(type.values, item, options));
      return object;
    }
    case 'array':
      return Array.isArray(value) ? value.map((item) => avroOfPlain(type.items, item, options)) : value;
    default:
      return value;
  }
}

function ofUnion(union: UnionType, value: unknown, options: PlainOptions): unknown {
  if (value === null) return null;
  if (!options.isPlain) {
    const [name, content] = isPlainObject(value) ? (Object.entries(value)[0] ?? []) : [];
    const branch = union.branches.find((candidate) => branchName(candidate) === name);
    return branch === undefined || Object.keys(value as PlainObject).length !== 1
      ? value
      : withField({}, name!, avroOfPlain(branch, content, options));
  }
  const branch = union.branches.find((candidate) => fits(candidate, value));
  return branch === undefined
    ? value
    : withField({}, branchName(branch), avroOfPlain(branch, value, options));
}

/** Whether a value can be one of a branch, as far as can be seen without looking into it. */
function fits(type: AvroType, value: unknown): boolean {
  switch (type.kind) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'number' && value === (value | 0);
    case 'long':
      return typeof value === 'bigint' || Number.isSafeInteger(value);
    case 'float':
    case 'double':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
    case 'bytes':
      return typeof value === 'string';
    case 'fixed':
      return typeof value === 'string' && value.length === type.sizeBytes;
    case 'enum':
      return typeof value === 'string' && type.symbols.includes(value);
    case 'array':
      return Array.isArray(value);
    case 'map':
      return isPlainObject(value);
    case 'record':
      return isPlainObject(value) && hasFieldsOf(type, value);
    case 'union':
      return false;
  }
}

function hasFieldsOf(record: RecordType, value: PlainObject): boolean {
  return (
    record.fields.every((field) => field.default !== undefined || Object.hasOwn(value, field.name)) &&
    Object.keys(value).every((key) => record.fieldByName.has(key))
  );
}

/** The default of a union is a value of its first branch, without its name. */
function defaultOf(type: AvroType, node: JsonNode, { isPlain }: PlainOptions): unknown {
  const value = valueOfNode(node);
  if (type.kind !== 'union' || isPlain || value === null) return value;
  return withField({}, branchName(type.branches[0]!), value);
}

function valueOfNode(node: JsonNode): unknown {
  if (node instanceof JsonNumber) {
    const number = Number(node.text);
    return node.isInteger && !Number.isSafeInteger(number) ? BigInt(node.text) : number;
  }
  if (isArray(node)) return node.map(valueOfNode);
  if (!isObject(node)) return node;
  const object: Record<string, unknown> = {};
  for (const [key, value] of node) withField(object, key, valueOfNode(value));
  return object;
}

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a field, also one that is named as the prototype. */
function withField(object: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
  return object;
}
