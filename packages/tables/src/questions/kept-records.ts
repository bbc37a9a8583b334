/** Records that could not become rows of a table and were kept, in a table of their own. */
import type { TableFailure } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { tableLimits } from '../limits.ts';
import { quoteName } from '../parquet/duckdb-schema.ts';

/** What the table of kept records has at the end of its name, and its folder. */
export const keptSuffix = '__dlq';

const cutText = (column: string) =>
  `base64(array_slice(${column}, 1, ${tableLimits.tableFailurePartBytesMax}))`;

const columns = [
  'topic',
  '"partition"',
  '"offset"',
  'epoch_ms("timestamp")',
  cutText('"key"'),
  'octet_length("key")',
  cutText('"value"'),
  'octet_length("value")',
  `list_transform(array_slice(headers, 1, ${coreLimits.tableFailureHeadersMax}), lambda h: {name: h.name, value: ${cutText('h.value')}})`,
  '"step"',
  '"error"',
  'epoch_ms(failed_at)',
] as const;

export function failuresSql(name: string, limit: number): string {
  const order = 'failed_at DESC, "partition", "offset" DESC';
  return `SELECT ${columns.join(', ')} FROM ${quoteName(name)} ORDER BY ${order} LIMIT ${limit + 1}`;
}

type Cell = string | number | null | TableFailure['headers'];

export function toFailure(row: readonly Cell[]): TableFailure {
  const [
    topic,
    partition,
    offset,
    timestampMs,
    key,
    keyBytes,
    value,
    valueBytes,
    headers,
    step,
    error,
    failedAtMs,
  ] = row;
  const part = (base64: Cell | undefined, bytes: Cell | undefined) =>
    typeof base64 === 'string' ? { base64, bytes: Number(bytes) } : null;
  return {
    topic: String(topic),
    partition: Number(partition),
    offset: Number(offset),
    timestampMs: Number(timestampMs),
    key: part(key, keyBytes),
    value: part(value, valueBytes),
    headers: Array.isArray(headers) ? headers : [],
    step: String(step),
    error: String(error),
    failedAtMs: Number(failedAtMs),
  };
}
