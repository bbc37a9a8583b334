import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '@weir/sql/serve-calls';
import { durablePragmas, openSqlite, SqliteFile } from '@weir/sql/sqlite-file';
import { checkSqliteFormat, journalFormat, markedFormat, readFormat } from './format.ts';
import { makeDirectory } from './make-directory.ts';
import { type SqliteOperations, type SqliteProblem, sqliteRules } from './sqlite-call.ts';
import {
  type Chunk,
  type ChunkHead,
  type HeadRow,
  headOf,
  type MemberRow,
  noHead,
  type SnapshotRow,
} from './tables.ts';

/**
 * The thread that owns the SQLite file. Calls that wait at the same time share one transaction, and so one fsync:
 * appends of different clusters do not queue for the disk.
 */
const { path, hasSegments } = workerData as { path: string; hasSegments: boolean };

/**
 * The number of rows that one step of pruning deletes, so that appends wait for milliseconds only. Slices are far
 * larger than chunks.
 */
const prunedRowsMax = 200;
const prunedSlicesMax = 4;
const callsPerTransactionMax = 128;
/** The primary result code SQLITE_FULL. */
const sqliteFull = 13;

makeDirectory(dirname(path));
const database = openSqlite(path);
const foundFormat = checkSqliteFormat(database, { hasSegments });
database.exec(`
  ${durablePragmas}
  CREATE TABLE IF NOT EXISTS journal_heads (
    cluster_id TEXT PRIMARY KEY, next_position INTEGER NOT NULL,
    epoch INTEGER NOT NULL, renewal INTEGER NOT NULL, ttl_ms INTEGER NOT NULL, holder_id TEXT, holder_url TEXT
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS journal_chunks (
    id INTEGER PRIMARY KEY, cluster_id TEXT NOT NULL, first_position INTEGER NOT NULL, count INTEGER NOT NULL,
    epoch INTEGER NOT NULL, packed BLOB NOT NULL, UNIQUE (cluster_id, first_position)
  );
  CREATE TABLE IF NOT EXISTS journal_snapshots (
    id INTEGER PRIMARY KEY AUTOINCREMENT, cluster_id TEXT NOT NULL, position INTEGER NOT NULL,
    slice_count INTEGER, bytes INTEGER
  );
  CREATE INDEX IF NOT EXISTS journal_snapshots_by_cluster ON journal_snapshots (cluster_id, position);
  CREATE TABLE IF NOT EXISTS journal_slices (
    snapshot_id INTEGER NOT NULL REFERENCES journal_snapshots (id) ON DELETE CASCADE, slice INTEGER NOT NULL,
    bytes BLOB NOT NULL, PRIMARY KEY (snapshot_id, slice)
  );
  CREATE TABLE IF NOT EXISTS journal_notes (cluster_id TEXT PRIMARY KEY, note BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS journal_segments (log_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS journal_members (id TEXT PRIMARY KEY, url TEXT NOT NULL, beat INTEGER NOT NULL) WITHOUT ROWID;
`);
if (foundFormat.format !== journalFormat)
  database.exec(`PRAGMA user_version = ${markedFormat(foundFormat.mark)}`);

const file = new SqliteFile(database);
const { sql, run, row, rows } = file;

const operations: SqliteOperations = {
  heads(clusterIds) {
    return clusterIds.map((clusterId) => {
      const found = row<HeadRow>('SELECT * FROM journal_heads WHERE cluster_id = ?', [clusterId]);
      return found === undefined ? noHead : headOf(found);
    });
  },

  append(clusterId, epoch, firstPosition, count, packed) {
    const moved = run(
      'UPDATE journal_heads SET next_position = next_position + ? WHERE cluster_id = ? AND epoch = ? AND next_position = ?',
      [count, clusterId, epoch, firstPosition],
    );
    if (moved === 0) return false;
    run(
      'INSERT INTO journal_chunks (cluster_id, first_position, count, epoch, packed) VALUES (?, ?, ?, ?, ?)',
      [clusterId, firstPosition, count, epoch, packed],
    );
    return true;
  },

  chunks(clusterId, fromPosition, bytesMax) {
    const found: Chunk[] = [];
    let bytes = 0;
    const query = sql(`
      SELECT first_position AS firstPosition, count, packed FROM journal_chunks
      WHERE cluster_id = ?1 AND first_position >=
        coalesce((SELECT max(first_position) FROM journal_chunks WHERE cluster_id = ?1 AND first_position <= ?2), ?2)
      ORDER BY first_position`);
    for (const chunk of query.iterate(clusterId, fromPosition) as Iterable<unknown> as Iterable<Chunk>) {
      if (chunk.firstPosition + chunk.count <= fromPosition) continue;
      bytes += chunk.packed.length;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(chunk);
    }
    return found;
  },

  chunkAt: (clusterId, firstPosition) =>
    row<ChunkHead>('SELECT epoch, count FROM journal_chunks WHERE cluster_id = ? AND first_position = ?', [
      clusterId,
      firstPosition,
    ]),

  takeLease({ clusterId, epoch, renewal, holder, ttlMs }) {
    if (epoch === noHead.epoch)
      run('INSERT OR IGNORE INTO journal_heads VALUES (?, 0, 0, 0, 0, NULL, NULL)', [clusterId]);
    const changed = run(
      `UPDATE journal_heads SET epoch = epoch + 1, renewal = 0, holder_id = ?, holder_url = ?, ttl_ms = ?
       WHERE cluster_id = ? AND epoch = ? AND renewal = ?`,
      [holder.id, holder.url, ttlMs, clusterId, epoch, renewal],
    );
    return changed > 0;
  },

  renewLeases(leases) {
    const renew =
      'UPDATE journal_heads SET renewal = renewal + 1 WHERE cluster_id = ? AND epoch = ? AND holder_url IS NOT NULL';
    return leases.map(({ clusterId, epoch }) => run(renew, [clusterId, epoch]) > 0);
  },

  releaseLease(clusterId, epoch) {
    run('UPDATE journal_heads SET epoch = epoch + 1, holder_url = NULL WHERE cluster_id = ? AND epoch = ?', [
      clusterId,
      epoch,
    ]);
  },

  beginSnapshot(clusterId, position) {
    const insert = sql('INSERT INTO journal_snapshots (cluster_id, position) VALUES (?, ?)');
    return Number(insert.run(clusterId, position).lastInsertRowid);
  },

  addSlice(snapshotId, index, bytes) {
    run('INSERT INTO journal_slices SELECT id, ?, ? FROM journal_snapshots WHERE id = ?', [
      index,
      bytes,
      snapshotId,
    ]);
  },

  finishSnapshot(snapshotId, sliceCount, bytes) {
    run('UPDATE journal_snapshots SET slice_count = ?, bytes = ? WHERE id = ?', [
      sliceCount,
      bytes,
      snapshotId,
    ]);
  },

  snapshots: (clusterId) =>
    rows<SnapshotRow>(
      `SELECT id, position, slice_count AS sliceCount, bytes FROM journal_snapshots
       WHERE cluster_id = ? AND slice_count IS NOT NULL ORDER BY position DESC, id DESC`,
      [clusterId],
    ),

  slice(snapshotId, index) {
    const select = 'SELECT bytes FROM journal_slices WHERE snapshot_id = ? AND slice = ?';
    return row<{ bytes: Uint8Array }>(select, [snapshotId, index])?.bytes ?? new Uint8Array();
  },

  prune(clusterId, snapshotIdMin, retainedSnapshotId, position) {
    const slices = run(
      `DELETE FROM journal_slices WHERE rowid IN (SELECT rowid FROM journal_slices WHERE snapshot_id IN (
         SELECT id FROM journal_snapshots WHERE cluster_id = ? AND id < ? AND id <> ?) LIMIT ${prunedSlicesMax})`,
      [clusterId, snapshotIdMin, retainedSnapshotId],
    );
    if (slices === prunedSlicesMax) return true;
    run('DELETE FROM journal_snapshots WHERE cluster_id = ? AND id < ? AND id <> ?', [
      clusterId,
      snapshotIdMin,
      retainedSnapshotId,
    ]);
    const chunks = run(
      `DELETE FROM journal_chunks WHERE id IN (SELECT id FROM journal_chunks
         WHERE cluster_id = ?1 AND first_position < ?2 AND first_position + count <= ?2 ORDER BY first_position LIMIT ${prunedRowsMax})`,
      [clusterId, position],
    );
    return chunks === prunedRowsMax;
  },

  segmentMark() {
    const logId = row<{ log_id: string }>('SELECT log_id FROM journal_segments')?.log_id;
    const { user_version: stored } = row<{ user_version: number }>('PRAGMA user_version')!;
    return logId === undefined ? undefined : { logId, hasEntries: readFormat(stored).mark === 'entries' };
  },

  setSegmentMark(mark) {
    run('DELETE FROM journal_segments');
    if (mark !== undefined) run('INSERT INTO journal_segments VALUES (?)', [mark.logId]);
    const kept = mark?.hasEntries === true ? 'entries' : 'files';
    database.exec(`PRAGMA user_version = ${markedFormat(mark === undefined ? 'none' : kept)}`);
  },

  hasClusters: () => row('SELECT 1 FROM journal_heads LIMIT 1') !== undefined,

  removeCluster(clusterId) {
    run('DELETE FROM journal_notes WHERE cluster_id = ?', [clusterId]);
    run('DELETE FROM journal_heads WHERE cluster_id = ?', [clusterId]);
  },

  putNote(clusterId, epoch, note) {
    run(
      `INSERT INTO journal_notes SELECT cluster_id, ? FROM journal_heads WHERE cluster_id = ? AND epoch = ?
       ON CONFLICT (cluster_id) DO UPDATE SET note = excluded.note`,
      [note, clusterId, epoch],
    );
  },

  note: (clusterId) =>
    row<{ note: Uint8Array }>('SELECT note FROM journal_notes WHERE cluster_id = ?', [clusterId])?.note,

  beat(memberId, url) {
    run(
      `INSERT INTO journal_members VALUES (?, ?, 1)
       ON CONFLICT (id) DO UPDATE SET url = excluded.url, beat = beat + 1`,
      [memberId, url],
    );
  },

  beats: () => rows<MemberRow>('SELECT id, url, beat FROM journal_members ORDER BY id'),

  removeMember(memberId, beat) {
    run('DELETE FROM journal_members WHERE id = ?1 AND (?2 IS NULL OR beat = ?2)', [memberId, beat]);
  },
};

serveCalls({
  callsMax: callsPerTransactionMax,
  serve(calls, respond) {
    const toProblem = (error: unknown): SqliteProblem => {
      const { message, errcode = 0 } = error as Error & { readonly errcode?: number };
      return { message, isDiskFull: errcode % 256 === sqliteFull };
    };
    file.serveTogether(calls, { operations, rules: sqliteRules, toProblem }).forEach(respond);
  },
  close: () => file.close(),
});
