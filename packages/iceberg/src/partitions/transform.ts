/**
 * Transforms: from the value of a column to that of a partition, such as the day of a timestamp. Null becomes null.
 *
 * Each also knows the way back, because pruning needs it: which values of the column can be in a partition.
 */
import { icebergLimits } from '../limits.ts';
import { isPrimitive, type PrimitiveType, type Type } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { unscaledBytes, valueBytes } from '../values/binary-value.ts';
import { prefix, textAfter } from '../values/bounds.ts';
import { civilDate, daysOf, floorDivide, microsPerDay, microsPerHour } from '../values/calendar.ts';
import { murmur3 } from '../values/murmur3.ts';
import { isValueOf, type Value } from '../values/value.ts';

export type Transform =
  | { readonly kind: 'identity' | 'year' | 'month' | 'day' | 'hour' | 'void' }
  | { readonly kind: 'bucket'; readonly buckets: number }
  | { readonly kind: 'truncate'; readonly width: number }
  /** Of a newer version. Its partitions are not pruned, and no file may be written with it. */
  | { readonly kind: 'unknown'; readonly text: string };

const plainKinds = ['identity', 'year', 'month', 'day', 'hour', 'void'] as const;

export function parseTransform(text: string, place: string): Transform {
  const plain = plainKinds.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  const [, kind, digits] = /^(bucket|truncate)\[(\d{1,10})\]$/.exec(text) ?? [];
  if (kind === undefined) return { kind: 'unknown', text };
  const width = Number(digits);
  if (width < 1 || width > icebergLimits.transformWidthMax)
    throw new InvalidTable(
      `${place}: ${text}: must be at least 1 and at most ${icebergLimits.transformWidthMax}`,
    );
  return kind === 'bucket' ? { kind, buckets: width } : { kind: 'truncate', width };
}

export function transformText(transform: Transform): string {
  if (transform.kind === 'bucket') return `bucket[${transform.buckets}]`;
  if (transform.kind === 'truncate') return `truncate[${transform.width}]`;
  return transform.kind === 'unknown' ? transform.text : transform.kind;
}

const dates = ['date', 'timestamp', 'timestamptz'];
const sources: Readonly<Record<Transform['kind'], readonly string[] | 'any'>> = {
  identity: 'any',
  void: 'any',
  unknown: 'any',
  year: dates,
  month: dates,
  day: dates,
  hour: ['timestamp', 'timestamptz'],
  bucket: [
    'int',
    'long',
    'decimal',
    'date',
    'time',
    'timestamp',
    'timestamptz',
    'string',
    'uuid',
    'fixed',
    'binary',
  ],
  truncate: ['int', 'long', 'decimal', 'string', 'binary'],
};

/** Whether the transform takes values of the type. */
export function canTransform(transform: Transform, type: Type): type is PrimitiveType {
  const kinds = sources[transform.kind];
  return isPrimitive(type) && (kinds === 'any' || kinds.includes(type.kind));
}

/** The type of partition values. */
export function resultType(transform: Transform, source: PrimitiveType): PrimitiveType {
  switch (transform.kind) {
    case 'bucket':
    case 'year':
    case 'month':
    case 'hour':
      return { kind: 'int' };
    case 'day':
      return { kind: 'date' };
    case 'unknown':
      return { kind: 'string' };
    default:
      return source;
  }
}

/** The partition value of a value. */
export function transformValue(
  transform: Transform,
  source: PrimitiveType,
  value: Value | null,
): Value | null {
  if (value === null) return null;
  switch (transform.kind) {
    case 'identity':
      return value;
    case 'void':
      return null;
    case 'bucket':
      return (murmur3(hashedBytes(source, value)) & 0x7fffffff) % transform.buckets;
    case 'truncate': {
      const cut = truncated(transform.width, value);
      // Values next to the least one of the type. Other implementations overflow and lose the row.
      if (!isValueOf(source, cut))
        throw new InvalidTable(
          `${transformText(transform)} of ${value} is no ${source.kind}; choose another width`,
        );
      return cut;
    }
    case 'year':
      return civilDate(daysIn(source, value)).year - 1970;
    case 'month': {
      const { year, month } = civilDate(daysIn(source, value));
      return (year - 1970) * 12 + month - 1;
    }
    case 'day':
      return daysIn(source, value);
    case 'hour':
      return Number(floorDivide(value as bigint, microsPerHour));
    case 'unknown':
      throw new InvalidTable(
        `the transform ${transform.text} is unknown; use a newer version of Weir to write the table`,
      );
  }
}

/** Integers of all kinds hash as longs, so that a widened column stays in its buckets. */
function hashedBytes(source: PrimitiveType, value: Value): Buffer {
  if (source.kind === 'decimal') return unscaledBytes(value as bigint);
  if (source.kind === 'int' || source.kind === 'date')
    return valueBytes({ kind: 'long' }, BigInt(value as number));
  return valueBytes(source, value);
}

function truncated(width: number, value: Value): Value {
  if (typeof value === 'string') return prefix(value, width);
  if (value instanceof Uint8Array) return value.subarray(0, width);
  if (typeof value === 'bigint') return floorDivide(value, BigInt(width)) * BigInt(width);
  return Math.floor((value as number) / width) * width;
}

function daysIn(source: PrimitiveType, value: Value): number {
  return source.kind === 'date' ? (value as number) : Number(floorDivide(value as bigint, microsPerDay));
}

/** Values of a column that can be in a partition; a missing bound is open. */
interface SourceRange {
  readonly least?: Value | undefined;
  readonly greatest?: Value | undefined;
}

/**
 * All values whose partition value is from `least` to `greatest` lie in the returned range. Bounds of the partition may
 * be missing.
 */
export function sourceRange(
  transform: Transform,
  source: PrimitiveType,
  partition: SourceRange,
): SourceRange {
  const { least, greatest } = partition;
  switch (transform.kind) {
    case 'identity':
      return partition;
    case 'truncate':
      return {
        least,
        greatest: greatest === undefined ? undefined : lastTruncated(transform.width, greatest),
      };
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
      return {
        least: least === undefined ? undefined : startOf(transform.kind, source, least as number),
        greatest: greatest === undefined ? undefined : endOf(transform.kind, source, greatest as number),
      };
    default:
      return {};
  }
}

/** The greatest value that is cut to this one, or a bound above it. */
function lastTruncated(width: number, cut: Value): Value | undefined {
  if (typeof cut === 'string') return Array.from(cut).length < width ? cut : textAfter(cut);
  if (cut instanceof Uint8Array) return cut.length < width ? cut : undefined;
  if (typeof cut === 'bigint') return cut + BigInt(width) - 1n;
  return (cut as number) + width - 1;
}

function startOf(kind: 'year' | 'month' | 'day' | 'hour', source: PrimitiveType, partition: number): Value {
  if (kind === 'hour') return BigInt(partition) * microsPerHour;
  const days =
    kind === 'day'
      ? partition
      : kind === 'year'
        ? daysOf({ year: 1970 + partition, month: 1, day: 1 })
        : daysOf({
            year: 1970 + Math.floor(partition / 12),
            month: (((partition % 12) + 12) % 12) + 1,
            day: 1,
          });
  return source.kind === 'date' ? days : BigInt(days) * microsPerDay;
}

function endOf(kind: 'year' | 'month' | 'day' | 'hour', source: PrimitiveType, partition: number): Value {
  const next = startOf(kind, source, partition + 1);
  return typeof next === 'bigint' ? next - 1n : (next as number) - 1;
}
