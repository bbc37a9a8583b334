import type { RefusedRow } from '../append/row-partitions.ts';
import type { ReadRows } from '../rows/row-reader.ts';

/** Rows of the records before the one at `at`. */
export function rowsBefore(read: ReadRows, at: number): ReadRows {
  const { columns, recordAt, bytes } = read;
  const end = recordAt.findIndex((record) => record >= at);
  const rowCount = end < 0 ? recordAt.length : end;
  const kept = recordAt.slice(0, rowCount);
  return {
    columns: columns.map((values) => values.slice(0, rowCount)),
    recordAt: kept,
    failures: [],
    droppedCount: at - new Set(kept).size,
    bytes: recordAt.length === 0 ? 0 : Math.ceil((bytes * rowCount) / recordAt.length),
  };
}

/** Without rows that the table refuses: their records have failed. */
export function withoutRefused(read: ReadRows, refused: readonly RefusedRow[]): ReadRows {
  if (refused.length === 0) return read;
  const failed = new Map(refused.map(({ row, message }) => [read.recordAt[row]!, message]));
  const isKept = (_: unknown, row: number) => !failed.has(read.recordAt[row]!);
  const recordAt = read.recordAt.filter(isKept);
  return {
    columns: read.columns.map((values) => values.filter(isKept)),
    recordAt,
    failures: [
      ...read.failures,
      ...Array.from(failed, ([at, message]) => ({ at, step: 'convert' as const, message })),
    ],
    droppedCount: read.droppedCount,
    bytes: Math.ceil((read.bytes * recordAt.length) / read.recordAt.length),
  };
}
