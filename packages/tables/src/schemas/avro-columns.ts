/** Columns of an Avro schema. The fields of its record are the columns, in their order. */
import type { Type } from '@weir/iceberg';
import {
  type AvroSchema,
  type AvroType,
  avroFormat,
  JsonNumber,
  logicalProperties,
  type RecordType,
  type SchemaSource,
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
export function parseAvroSchema(source: SchemaSource): AvroSchema {
  try {
    return avroFormat.parse(source, { isStored: true });
  } catch (error) {
    throw unusable(error, source.text);
  }
}

/** Throws `UnusableSchema`. */
export function avroColumns({ root }: AvroSchema): SchemaColumns {
  if (root.kind !== 'record')
    throw new UnusableSchema('is not the schema of a record, whose fields are the columns');
  const reading = new Reading();
  return { columns: reading.columnsOf(root, []), units: new Map() };
}

/** The type that is not null, and whether null is possible. Unions of more types have no type of a table. */
function avroBranch(type: AvroType): {
  readonly type: Exclude<AvroType, { kind: 'union' }> | undefined;
  readonly mayBeNull: boolean;
  readonly others: number;
} {
  if (type.kind !== 'union') return { type, mayBeNull: false, others: 1 };
  const others = type.branches.filter(({ kind }) => kind !== 'null');
  const [only] = others;
  return {
    type: only?.kind === 'union' ? undefined : only,
    mayBeNull: others.length < type.branches.length,
    others: others.length,
  };
}

class Reading {
  readonly #ids = new ColumnIds();
  readonly #open = new Set<RecordType>();

  columnsOf(record: RecordType, path: readonly string[]): readonly Column[] {
    if (this.#open.has(record))
      throw refusal(path, `contains itself by ${record.fullName}, and a column cannot`);
    this.#open.add(record);
    const columns = record.fields.map(({ name, type, doc }): Column => {
      const id = this.#ids.next();
      const inside = this.#optionalType(type, [...path, name]);
      return {
        id,
        name,
        isRequired: !inside.mayBeNull,
        type: inside.type,
        ...(doc !== undefined && { doc: doc.slice(0, 1000) }),
      };
    });
    this.#open.delete(record);
    if (columns.length === 0) throw refusal(path, `the record ${record.fullName} has no fields`);
    return columns;
  }

  #optionalType(declared: AvroType, path: readonly string[]): { type: Type; mayBeNull: boolean } {
    checkDepth(path);
    const { type, mayBeNull, others } = avroBranch(declared);
    if (others > 1)
      throw refusal(path, `is a union of ${others} types that are not null; a column has one type`);
    if (type === undefined || type.kind === 'null') throw refusal(path, 'has only the type null');
    return { type: this.#type(type, path), mayBeNull };
  }

  #type(type: Exclude<AvroType, { kind: 'union' }>, path: readonly string[]): Type {
    switch (type.kind) {
      case 'record':
        return structOf(this.columnsOf(type, path));
      case 'array': {
        const inside = this.#optionalType(type.items, [...path, 'element']);
        return listOf(this.#ids, inside.type, !inside.mayBeNull);
      }
      case 'map': {
        const inside = this.#optionalType(type.values, [...path, 'value']);
        return mapOf(this.#ids, { kind: 'string' }, inside.type, !inside.mayBeNull);
      }
      default:
        return avroPrimitive(type, path);
    }
  }
}

type AvroScalar = Exclude<AvroType, { kind: 'union' | 'record' | 'array' | 'map' }>;

/** The type of a scalar by its logical type, else by its own. */
export function avroPrimitive(type: AvroScalar, path: readonly string[] = []): Type {
  const logical = logicalProperties(type);
  switch (logical.get('logicalType')) {
    case 'decimal': {
      const precision = numberOf(logical.get('precision'));
      const scale = numberOf(logical.get('scale'));
      if (precision > 38) throw refusal(path, `is a decimal of ${precision} digits; a table has at most 38`);
      return { kind: 'decimal', precision, scale };
    }
    case 'big-decimal':
      throw refusal(path, 'is a big-decimal, whose values differ in their scale; use decimal');
    case 'uuid':
      return { kind: 'uuid' };
    case 'date':
      return { kind: 'date' };
    case 'time-millis':
    case 'time-micros':
      return { kind: 'time' };
    case 'timestamp-millis':
    case 'timestamp-micros':
    case 'timestamp-nanos':
      return { kind: 'timestamptz' };
    case 'local-timestamp-millis':
    case 'local-timestamp-micros':
    case 'local-timestamp-nanos':
      return { kind: 'timestamp' };
  }
  switch (type.kind) {
    case 'bytes':
    // DuckDB stores a `fixed` of Iceberg as bytes of any length, which pyiceberg refuses.
    case 'fixed':
      return { kind: 'binary' };
    case 'enum':
      return { kind: 'string' };
    case 'null':
      throw refusal(path, 'has only the type null');
    default:
      return { kind: type.kind };
  }
}

function numberOf(node: unknown): number {
  return node instanceof JsonNumber ? Number(node.text) : 0;
}

function refusal(path: readonly string[], rule: string): UnusableSchema {
  return new UnusableSchema(path.length === 0 ? rule : `${shownPath(path)}: ${rule}`);
}
