import type { DatabaseSync } from 'node:sqlite';
import { NewerFormat } from '@weir/cluster';
import { snapshotHeadBytes, snapshotVersion, snapshotVersionOf } from '@weir/machine';
import { openSqlite } from '@weir/sql/sqlite-file';
import { rowVersion } from './packed-entries.ts';

/**
 * The format number of a journal database: its tables, rows, kinds of entries, snapshots and their parts, and what ids
 * of files mean. Raise it with every change that earlier releases cannot read (format.test.ts has the list), so that
 * they refuse the database before they change it. A database without a number has format 1.
 */
export const journalFormat = 10;

/**
 * What a SQLite file adds to its format number if its cluster has log files in the segments of its bucket, and if its
 * last entries are only there. Earlier releases know no segments and refuse both. Only a process that has the segments
 * opens the second.
 */
const markStep = 1000;
const marks = ['none', 'files', 'entries'] as const;
type FormatMark = (typeof marks)[number];

export function markedFormat(mark: FormatMark): number {
  return journalFormat + markStep * marks.indexOf(mark);
}

export function readFormat(stored: number): { readonly format: number; readonly mark: FormatMark } {
  const mark = marks[Math.floor(stored / markStep)];
  return mark === undefined ? { format: stored, mark: 'none' } : { format: stored % markStep, mark };
}

/** The last entries of a database are in segments, which this command does not read. */
export class EntriesInSegments extends Error {
  override readonly name = 'EntriesInSegments';

  constructor() {
    super(
      'its last entries are in the segments of its bucket; start weir playground with the same -dataDir, and stop it',
    );
  }
}

/** The format information of a database. */
interface FoundFormat {
  /** 0 if there is none. */
  readonly format: number;
  /**
   * The first bytes of the newest rows and snapshots of some clusters, in case their release did not raise the number.
   */
  readonly rows: readonly (Uint8Array | null)[];
  readonly snapshots: readonly (Uint8Array | null)[];
}

/** The number of bytes per row, and of clusters, that are checked. */
export const rowHeadBytes = 1;
export const checkedClustersMax = 100;

/** Throws `NewerFormat`. Damage is detected later, when the data is read. */
export function checkFormat({ format, rows, snapshots }: FoundFormat): void {
  if (format > journalFormat) throw new NewerFormat('journal format', format, journalFormat);
  for (const row of rows) {
    const found = row?.[0] ?? 0;
    if (found > rowVersion) throw new NewerFormat('version of journal rows', found, rowVersion);
  }
  for (const snapshot of snapshots) {
    const found = snapshot === null ? 0 : snapshotVersionOf(Buffer.from(snapshot));
    if (found > snapshotVersion) throw new NewerFormat('snapshot version', found, snapshotVersion);
  }
}

interface FormatCheck {
  /** Whether this process has the segments of the bucket. */
  readonly hasSegments?: boolean;
}

/**
 * Checks an open SQLite file before anything is written to it, and returns its number and mark. Files without journal
 * tables pass.
 */
export function checkSqliteFormat(
  database: DatabaseSync,
  { hasSegments = false }: FormatCheck = {},
): ReturnType<typeof readFormat> {
  const found = readFormat(Number(database.prepare('PRAGMA user_version').get()!.user_version));
  checkRows(database, found.format);
  if (found.mark === 'entries' && !hasSegments) throw new EntriesInSegments();
  return found;
}

function checkRows(database: DatabaseSync, format: number): void {
  const hasTables = database
    .prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name IN ('journal_heads', 'journal_slices')")
    .get()!;
  if (format > journalFormat || hasTables.count !== 2) {
    checkFormat({ format, rows: [], snapshots: [] });
    return;
  }
  const heads = database
    .prepare(`
      SELECT
        (SELECT substr(packed, 1, ${rowHeadBytes}) FROM journal_chunks AS chunks
         WHERE chunks.cluster_id = heads.cluster_id ORDER BY first_position DESC LIMIT 1) AS newest_row,
        (SELECT substr(slices.bytes, 1, ${snapshotHeadBytes}) FROM journal_snapshots AS snapshots
         JOIN journal_slices AS slices ON slices.snapshot_id = snapshots.id AND slices.slice = 0
         WHERE snapshots.cluster_id = heads.cluster_id AND snapshots.slice_count IS NOT NULL
         ORDER BY position DESC, snapshots.id DESC LIMIT 1) AS newest_snapshot
      FROM journal_heads AS heads LIMIT ${checkedClustersMax}`)
    .all();
  checkFormat({
    format,
    rows: heads.map(({ newest_row: row }) => row as Uint8Array | null),
    snapshots: heads.map(({ newest_snapshot: snapshot }) => snapshot as Uint8Array | null),
  });
}

/** The same for a file by its path. */
export function checkJournalFile(path: string, options?: FormatCheck): void {
  using database = openSqlite(path);
  checkSqliteFormat(database, options);
}
