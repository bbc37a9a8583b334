/** The folder of a partition, such as `ts_day=2017-11-16/id_bucket=3`. For people; readers go by the manifest. */
import { dateText, timestampText, timeText, yearText } from '../values/calendar.ts';
import { decimalText } from '../values/json-value.ts';
import type { Value } from '../values/value.ts';
import type { PartitionColumn } from './partition-spec.ts';

/** `values` are those of the partition, one per column. */
export function partitionPath(
  columns: readonly PartitionColumn[],
  values: readonly (Value | null)[],
): string {
  return columns
    .map(
      (column, at) =>
        `${encodeURIComponent(column.name)}=${encodeURIComponent(partitionText(column, values[at] ?? null))}`,
    )
    .join('/');
}

export function partitionText({ transform, type }: PartitionColumn, value: Value | null): string {
  if (value === null) return 'null';
  const number = value as number;
  switch (transform.kind) {
    case 'year':
      return yearText(1970 + number);
    case 'month':
      return `${yearText(1970 + Math.floor(number / 12))}-${String((((number % 12) + 12) % 12) + 1).padStart(2, '0')}`;
    case 'hour':
      return `${dateText(Math.floor(number / 24))}-${String(((number % 24) + 24) % 24).padStart(2, '0')}`;
  }
  switch (type.kind) {
    case 'date':
      return dateText(number);
    case 'time':
      return timeText(value as bigint);
    case 'timestamp':
      return timestampText(value as bigint);
    case 'timestamptz':
      return `${timestampText(value as bigint)}+00:00`;
    case 'decimal':
      return decimalText(value as bigint, type.scale);
    case 'fixed':
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('base64');
    default:
      return String(value);
  }
}
