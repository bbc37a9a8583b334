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
