import type { TableRow } from './rows.ts';

/** Why a bar is missed where it is, and what to try next. */
const reasons: Readonly<Record<TableRow['name'], string>> = {
  throughput:
    'The text of records, which is looked at character by character, is 30 % of the time, vectors of DuckDB and its ' +
    'table in memory 28 %, and COPY 13 %. zstd at level 1 would save a twentieth of COPY for files half as large again, ' +
    'and no dictionaries a third of it for files 40 % larger; the scan for bounds is 2 %. Next: bytes of records that ' +
    'are read into vectors of DuckDB directly.',
  lag: 'Files are written and stored before each commit. Next: smaller files while a commit is due.',
  memory:
    'Open files are held by DuckDB up to 256 MiB, and rows of the next batches by Node. Next: smaller batches.',
  idle: 'Each table looks for records with all others of its cluster. Next: fewer timers for tables without records.',
};

export function reasonOf({ name }: TableRow): string {
  return reasons[name];
}
