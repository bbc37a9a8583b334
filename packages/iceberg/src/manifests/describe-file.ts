/**
 * The port for those who write data files: what they know of a finished file in, a `DataFile` for manifests out. Least
 * and greatest values are typed here, and become bounds by the metrics modes of the table.
 */
import type { PartitionSpec } from '../partitions/partition-spec.ts';
import { partitionColumns } from '../partitions/partition-spec.ts';
import type { PlacedColumn, Schema } from '../schema/schema.ts';
import { isPrimitive } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { valueBytes } from '../values/binary-value.ts';
import { lowerBoundOf, upperBoundOf } from '../values/bounds.ts';
import { isValueOf, type Value } from '../values/value.ts';
import type { ColumnMetrics, DataFile } from './data-file.ts';

/** What a writer knows of a column, by the id of a primitive one; what it does not know is left out. */
export interface WrittenColumn {
  readonly bytes?: number | undefined;
  readonly valueCount?: number | undefined;
  readonly nullCount?: number | undefined;
  readonly nanCount?: number | undefined;
  /** Of the values that are neither null nor NaN. */
  readonly least?: Value | undefined;
  readonly greatest?: Value | undefined;
}

export interface WrittenFile {
  readonly path: string;
  readonly format: 'PARQUET' | 'AVRO' | 'ORC';
  /** One value for each field of the spec: all rows of the file have it. */
  readonly partition: readonly (Value | null)[];
  readonly recordCount: number;
  readonly fileBytes: number;
  readonly columns: ReadonlyMap<number, WrittenColumn>;
  readonly splitOffsets?: readonly number[] | undefined;
  readonly sortOrderId?: number | undefined;
}

type MetricsMode =
  | { readonly mode: 'none' | 'counts' | 'full' }
  | { readonly mode: 'truncate'; readonly length: number };

const defaultMode = 'truncate(16)';

function parseMode(text: string): MetricsMode {
  const length = /^truncate\((\d{1,6})\)$/i.exec(text)?.[1];
  if (length !== undefined && Number(length) > 0) return { mode: 'truncate', length: Number(length) };
  const mode = (['none', 'counts', 'full'] as const).find((one) => one === text.toLowerCase());
  // As Apache Iceberg does: a mistake in a property does not stop writers.
  return mode === undefined ? parseMode(defaultMode) : { mode };
}

function modeOf(column: PlacedColumn, properties: Readonly<Record<string, string>>): MetricsMode {
  const own = properties[`write.metadata.metrics.column.${column.path.join('.')}`];
  return parseMode(own ?? properties['write.metadata.metrics.default'] ?? defaultMode);
}

interface DescribeContext {
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  /** Those of the table. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

export function describeFile(
  written: WrittenFile,
  { schema, spec, properties = {} }: DescribeContext,
): DataFile {
  const partitions = partitionColumns(spec, [schema]);
  const isPartition =
    written.partition.length === partitions.length &&
    partitions.every(
      ({ type }, at) => written.partition[at] === null || isValueOf(type, written.partition[at]),
    );
  if (!isPartition)
    throw new InvalidTable(`${written.path}: its partition has other types than the spec of the table`);
  const columns = new Map<number, ColumnMetrics>();
  for (const [id, known] of written.columns) {
    const column = schema.column(id);
    if (column === undefined) throw new InvalidTable(`${written.path}: there is no column with the id ${id}`);
    const metrics = metricsOf(column, known, modeOf(column, properties), written.path);
    if (metrics !== undefined) columns.set(id, metrics);
  }
  return {
    content: 'data',
    path: written.path,
    format: written.format,
    specId: spec.id,
    partition: written.partition,
    recordCount: BigInt(written.recordCount),
    fileBytes: BigInt(written.fileBytes),
    columns,
    splitOffsets: written.splitOffsets?.map(BigInt),
    sortOrderId: written.sortOrderId,
  };
}

function metricsOf(
  column: PlacedColumn,
  known: WrittenColumn,
  mode: MetricsMode,
  path: string,
): ColumnMetrics | undefined {
  const { type } = column;
  if (!isPrimitive(type) || mode.mode === 'none') return undefined;
  const big = (count: number | undefined) => (count === undefined ? undefined : BigInt(count));
  const counts = {
    bytes: big(known.bytes),
    valueCount: big(known.valueCount),
    nullCount: big(known.nullCount),
    nanCount: big(known.nanCount),
  };
  // Readers do not look for bounds of elements, keys and values.
  if (mode.mode === 'counts' || column.isRepeated) return counts;
  const lengthMax = mode.mode === 'truncate' ? mode.length : Number.POSITIVE_INFINITY;
  const bound = (value: Value | undefined, of: typeof lowerBoundOf) => {
    if (value === undefined) return undefined;
    if (!isValueOf(type, value))
      throw new InvalidTable(`${path}: a bound of ${column.path.join('.')} is no ${type.kind}`);
    const found = of(type, value, lengthMax);
    return found === undefined ? undefined : valueBytes(type, found);
  };
  return { ...counts, lower: bound(known.least, lowerBoundOf), upper: bound(known.greatest, upperBoundOf) };
}
