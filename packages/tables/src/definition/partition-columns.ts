/** How rows are partitioned: `day(kafka_timestamp)`, `bucket[16](user_id)`, `country`. */
import {
  canTransform,
  InvalidTable,
  parseTransform,
  primitiveText,
  type Schema,
  transformText,
} from '@weir/iceberg';
import type { PartitionBy } from '../table-definition.ts';

/** A text that is no partitioning of the table. The message is one line. */
export class UnusablePartitioning extends Error {
  override readonly name = 'UnusablePartitioning';
}

const pattern = /^\s*(?:([a-z]+)\s*(?:\[\s*(\d{1,10})\s*\])?\s*\(\s*(.+?)\s*\)|([^()[\]]+?))\s*$/;

/** Reads a text without knowing the columns. `bucket(16, user_id)` is `bucket[16](user_id)`. */
export function parsePartitionBy(text: string): PartitionBy {
  const [, name, width, inside, alone] = pattern.exec(text.slice(0, 1000)) ?? [];
  if (alone !== undefined) return { column: alone, transform: 'identity' };
  if (name === undefined || inside === undefined)
    throw new UnusablePartitioning('is no column and no transform of one, such as day(kafka_timestamp)');
  const [, first, rest] = /^(\d{1,10})\s*,\s*(.+)$/.exec(inside) ?? [];
  const isFirstWidth = width === undefined && first !== undefined;
  const parameter = isFirstWidth ? first : width;
  const written = parameter === undefined ? name : `${name}[${parameter}]`;
  let transform: ReturnType<typeof parseTransform>;
  try {
    transform = parseTransform(written, 'partition_by');
  } catch (error) {
    if (!(error instanceof InvalidTable)) throw error;
    throw new UnusablePartitioning(error.message.replace(/^partition_by: /, ''));
  }
  if (transform.kind === 'unknown' || transform.kind === 'void')
    throw new UnusablePartitioning(
      `has the transform ${written}; there are year, month, day, hour, bucket[N], truncate[N] and identity`,
    );
  return { column: isFirstWidth ? rest! : inside, transform: transformText(transform) };
}

/** Returns what is wrong with partitioning columns by this, or nothing. Columns of structs have dots. */
export function problemOfPartitioning(
  { column, transform }: PartitionBy,
  schema: Schema,
): string | undefined {
  const found = schema.find([column]) ?? schema.find(column.split('.'));
  if (found === undefined) return `names the column ${column.slice(0, 100)}, which the schema does not have`;
  if (found.isRepeated) return `names the column ${column}, which is in a list or map`;
  const { type } = found;
  if (type.kind === 'struct' || type.kind === 'list' || type.kind === 'map')
    return `names the column ${column}, which is a ${type.kind}; only single values can be partitioned by`;
  if ((type.kind === 'float' || type.kind === 'double') && transform === 'identity')
    return `names the column ${column}, which is a ${type.kind}; rows would be in as many partitions as there are values`;
  if (!canTransform(parseTransform(transform, 'partition_by'), type))
    return `cannot be made of ${column}, which is a ${primitiveText(type)}`;
  return undefined;
}
