import { Bytes, isObject, type Value, type ValueObject } from '@weir/bloblang';
import type { SchemaElement } from 'hyparquet';
import { Field, object } from '../component/field.ts';
import { bool, int, list, oneOf, string } from '../component/field-types.ts';
import { pipelineLimits } from '../limits.ts';

/** A column of a configuration. */
interface ParquetColumn {
  readonly name: string;
  readonly type?: ColumnType | undefined;
  readonly decimal_precision: number;
  readonly decimal_scale: number;
  readonly repeated: boolean;
  readonly optional: boolean;
  readonly fields?: readonly ParquetColumn[] | undefined;
}

const groups = ['MAP', 'LIST', 'STRUCT'] as const;

const leaves = {
  BOOLEAN: { type: 'BOOLEAN' },
  INT8: { type: 'INT32', converted_type: 'INT_8' },
  INT16: { type: 'INT32', converted_type: 'INT_16' },
  INT32: { type: 'INT32' },
  INT64: { type: 'INT64' },
  DECIMAL64: { type: 'INT64', converted_type: 'DECIMAL' },
  DECIMAL32: { type: 'INT32', converted_type: 'DECIMAL' },
  FLOAT: { type: 'FLOAT' },
  DOUBLE: { type: 'DOUBLE' },
  BYTE_ARRAY: { type: 'BYTE_ARRAY' },
  UTF8: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
} as const satisfies Record<string, Partial<SchemaElement>>;

type Leaf = keyof typeof leaves;
type ColumnType = Leaf | (typeof groups)[number];

const columnTypes = [...(Object.keys(leaves) as Leaf[]), ...groups];

/** The columns of a file, or the fields of a column. */
export function columns(about: string, depth = 0): Field<readonly ParquetColumn[]> {
  // Made when it is read, because it is in itself.
  const fields = new Field<readonly ParquetColumn[]>(
    { name: 'list of columns' },
    'The fields of a `STRUCT`, the `key` and `value` of a `MAP`, the `element` of a `LIST`.',
    (value, reading, path) => {
      if (depth < pipelineLimits.parquetDepthMax) return columns(about, depth + 1).read(value, reading, path);
      reading.problem(value.place, `columns are nested deeper than ${pipelineLimits.parquetDepthMax}`);
      return undefined;
    },
  );
  const column = object('A column.', {
    name: string('The name.').check((name) => (name === '' ? 'must not be empty' : undefined)),
    type: oneOf('The type; a column with `fields` needs none.', columnTypes).optional(),
    decimal_precision: int('Digits of a decimal.').or(0),
    decimal_scale: int('Digits of a decimal behind the point.').or(0),
    repeated: bool('Whether it has any number of values; it is written as a `LIST`.').or(false),
    optional: bool('Whether it may have no value.').or(false),
    fields: fields.optional(),
  }).check(problemOf);
  return list(about, column).check((found) => (found.length === 0 ? 'has to have columns' : undefined));
}

function problemOf({ type, fields }: ParquetColumn): string | undefined {
  const count = fields?.length ?? 0;
  if (type === undefined) return count === 0 ? 'has to have a type or fields' : undefined;
  if (type === 'MAP')
    return count === 2 ? undefined : 'of the type MAP has to have two fields, key and value';
  if (type === 'LIST') return count === 1 ? undefined : 'of the type LIST has to have one field, the element';
  return type !== 'STRUCT' || count > 0 ? undefined : 'of the type STRUCT has to have fields';
}

/** The elements of the schema of a file, in its order. */
export function elementsOf(schema: readonly ParquetColumn[]): SchemaElement[] {
  return [{ name: 'schema', num_children: schema.length }, ...schema.flatMap((column) => columnOf(column))];
}

function columnOf(column: ParquetColumn, name = column.name): SchemaElement[] {
  const { type, fields = [], decimal_precision: precision, decimal_scale: scale } = column;
  // The writer has no repeated values outside of lists, which readers of Parquet prefer too.
  if (column.repeated) {
    const element = { ...column, repeated: false, optional: false };
    return columnOf({ ...element, type: 'LIST', fields: [element] }, name);
  }
  const repetition_type = column.optional ? 'OPTIONAL' : 'REQUIRED';
  const group = (children: number, converted_type?: 'LIST' | 'MAP'): SchemaElement => ({
    name,
    repetition_type,
    num_children: children,
    ...(converted_type && { converted_type }),
  });
  if (type === 'LIST')
    return [
      group(1, 'LIST'),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...columnOf(fields[0]!, 'element'),
    ];
  if (type === 'MAP')
    return [
      group(1, 'MAP'),
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...columnOf({ ...fields[0]!, optional: false }, 'key'),
      ...columnOf(fields[1]!, 'value'),
    ];
  if (type === undefined || type === 'STRUCT')
    return [group(fields.length), ...fields.flatMap((field) => columnOf(field))];
  const isDecimal = type.startsWith('DECIMAL');
  return [{ name, repetition_type, ...leaves[type], ...(isDecimal && { precision, scale }) }];
}

/** A row as the writer takes it. Throws what does not fit. Fields that are missing are null, zero or empty. */
export function rowOf(schema: readonly ParquetColumn[], document: Value): Record<string, unknown> {
  if (!isObject(document)) throw new Error('a row of Parquet has to be an object');
  return structOf(schema, document);
}

function structOf(fields: readonly ParquetColumn[], value: ValueObject): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const given = Object.hasOwn(value, field.name) ? value[field.name]! : null;
      try {
        return [field.name, fieldOf(field, given)];
      } catch (error) {
        throw new Error(`${field.name}: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
}

function fieldOf(field: ParquetColumn, value: Value): unknown {
  if (field.repeated) return listOf(value).map((item) => singleOf(field, item));
  return field.optional && value === null ? null : singleOf(field, value);
}

function listOf(value: Value): readonly Value[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new Error('has to be a list');
  return value;
}

function singleOf({ type, fields = [] }: ParquetColumn, value: Value): unknown {
  switch (type) {
    case 'LIST':
      return listOf(value).map((item) => fieldOf(fields[0]!, item));
    case 'MAP': {
      const entries = Object.entries(objectOf(value));
      return entries.map(([key, item]) => ({ key, value: fieldOf(fields[1]!, item) }));
    }
    case undefined:
    case 'STRUCT':
      return structOf(fields, objectOf(value));
    default:
      return scalarOf(type, value);
  }
}

function objectOf(value: Value): ValueObject {
  if (value === null) return {};
  if (!isObject(value)) throw new Error('has to be an object');
  return value;
}

function scalarOf(type: Leaf, value: Value): unknown {
  switch (type) {
    case 'BOOLEAN':
      if (value !== null && typeof value !== 'boolean') throw new Error('has to be true or false');
      return value ?? false;
    case 'UTF8':
      return textOf(value).toString();
    case 'BYTE_ARRAY':
      return textOf(value);
    case 'FLOAT':
    case 'DOUBLE':
      return Number(numberOf(value));
    case 'INT8':
      return Number(integerOf(value, 8));
    case 'INT16':
      return Number(integerOf(value, 16));
    case 'INT32':
      return Number(integerOf(value, 32));
    case 'DECIMAL32':
      return integerOf(value, 32);
    default:
      return integerOf(value, 64);
  }
}

function textOf(value: Value): Buffer {
  if (value instanceof Bytes) return value.buffer;
  if (value !== null && typeof value !== 'string') throw new Error('has to be a text');
  return Buffer.from(value ?? '');
}

function numberOf(value: Value): number | bigint {
  if (value === null) return 0;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  // Floats that mappings compute.
  const computed = (value as { readonly value?: unknown }).value;
  if (typeof value === 'object' && typeof computed === 'number' && !isObject(value)) return computed;
  throw new Error('has to be a number');
}

/** Fractions are cut, as Bento does. */
function integerOf(value: Value, bits: number): bigint {
  const number = numberOf(value);
  if (typeof number === 'number' && !Number.isFinite(number)) throw new Error('has to be a finite number');
  const whole = typeof number === 'bigint' ? number : BigInt(Math.trunc(number));
  if (BigInt.asIntN(bits, whole) !== whole) throw new Error(`${whole} has more than ${bits} bits`);
  return whole;
}
