import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { checkSqliteFormat, journalFormat } from './format.ts';
import { makeDirectory } from './make-directory.ts';
import { closeMessage, type SqliteReply } from './sqlite-bridge.ts';
import type { SqliteCall, SqliteMethod } from './sqlite-call.ts';
import {
  type Chunk,
  type Head,
  type JournalTables,
  type MemberRow,
  noHead,
  type SnapshotRow,
} from './tables.ts';

/**
 * The thread that owns the SQLite file, because `node:sqlite` blocks its caller until the disk has answered. Calls that
 * wait at the same time share one transaction, and so one fsync: appends of different clusters do not queue for the
 * disk.
 */
const port = parentPort!;
const { path } = workerData as { path: string };

/**
 * The number of rows that one step of pruning deletes, so that appends wait for milliseconds only. Slices are far
 * larger than chunks.
 */
const prunedRowsMax = 200;
const prunedSlicesMax = 4;
const callsPerTransactionMax = 128;
const busyTimeoutMs = 5_000;

makeDirectory(dirname(path));
const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
const foundFormat = checkSqliteFormat(database);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
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
  CREATE TABLE IF NOT EXISTS journal_members (id TEXT PRIMARY KEY, url TEXT NOT NULL, beat INTEGER NOT NULL) WITHOUT ROWID;
`);
if (foundFormat !== journalFormat) database.exec(`PRAGMA user_version = ${journalFormat}`);

const statements = new Map<string, StatementSync>();
function sql(text: string): StatementSync {
  let statement = statements.get(text);
  if (statement === undefined) {
    statement = database.prepare(text);
    statements.set(text, statement);
  }
  return statement;
}

type Values = SQLInputValue[];
const changed = (text: string, ...values: Values) => Number(sql(text).run(...values).changes) > 0;
const row = (text: string, ...values: Values) => sql(text).get(...values) as Row | undefined;
const rows = (text: string, ...values: Values) => sql(text).all(...values) as Row[];
/** Columns have the types of the schema above, which the compiler cannot see. */
type Row = Record<string, never>;

type Operations = {
  [Name in SqliteMethod]: (
    ...args: Parameters<JournalTables[Name]>
  ) => Awaited<ReturnType<JournalTables[Name]>>;
};

/** A released lease has no address but retains the name, so that others know the last holder. */
function headOf(found: Row): Head {
  const holderId: string | null = found.holder_id!;
  const holderUrl: string | null = found.holder_url!;
  return {
    epoch: found.epoch!,
    renewal: found.renewal!,
    ttlMs: found.ttl_ms!,
    nextPosition: found.next_position!,
    holder: holderId === null || holderUrl === null ? undefined : { id: holderId, url: holderUrl },
    releasedBy: holderUrl === null ? (holderId ?? undefined) : undefined,
  };
}

const operations: Operations = {
  heads(clusterIds) {
    return clusterIds.map((clusterId) => {
      const found = row('SELECT * FROM journal_heads WHERE cluster_id = ?', clusterId);
      return found === undefined ? noHead : headOf(found);
    });
  },

  append(clusterId, epoch, firstPosition, count, packed) {
    const moved = changed(
      'UPDATE journal_heads SET next_position = next_position + ? WHERE cluster_id = ? AND epoch = ? AND next_position = ?',
      count,
      clusterId,
      epoch,
      firstPosition,
    );
    if (!moved) return false;
    sql(
      'INSERT INTO journal_chunks (cluster_id, first_position, count, epoch, packed) VALUES (?, ?, ?, ?, ?)',
    ).run(clusterId, firstPosition, count, epoch, packed);
    return true;
  },

  chunks(clusterId, fromPosition, bytesMax) {
    const found: Chunk[] = [];
    let bytes = 0;
    const query = sql(`
      SELECT first_position, count, packed FROM journal_chunks WHERE cluster_id = ?1 AND first_position >=
        coalesce((SELECT max(first_position) FROM journal_chunks WHERE cluster_id = ?1 AND first_position <= ?2), ?2)
      ORDER BY first_position`);
    for (const next of query.iterate(clusterId, fromPosition) as Iterable<Row>) {
      const chunk: Chunk = { firstPosition: next.first_position!, count: next.count!, packed: next.packed! };
      if (chunk.firstPosition + chunk.count <= fromPosition) continue;
      bytes += chunk.packed.length;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(chunk);
    }
    return found;
  },

  chunkAt(clusterId, firstPosition) {
    const found = row(
      'SELECT epoch, count FROM journal_chunks WHERE cluster_id = ? AND first_position = ?',
      clusterId,
      firstPosition,
    );
    return found === undefined ? undefined : { epoch: found.epoch!, count: found.count! };
  },

  takeLease(clusterId, epoch, renewal, holderId, holderUrl, ttlMs) {
    if (epoch === noHead.epoch)
      sql('INSERT OR IGNORE INTO journal_heads VALUES (?, 0, 0, 0, 0, NULL, NULL)').run(clusterId);
    return changed(
      `UPDATE journal_heads SET epoch = epoch + 1, renewal = 0, holder_id = ?, holder_url = ?, ttl_ms = ?
       WHERE cluster_id = ? AND epoch = ? AND renewal = ?`,
      holderId,
      holderUrl,
      ttlMs,
      clusterId,
      epoch,
      renewal,
    );
  },

  renewLeases(leases) {
    return leases.map(({ clusterId, epoch }) =>
      changed(
        'UPDATE journal_heads SET renewal = renewal + 1 WHERE cluster_id = ? AND epoch = ? AND holder_url IS NOT NULL',
        clusterId,
        epoch,
      ),
    );
  },

  releaseLease(clusterId, epoch) {
    sql(
      'UPDATE journal_heads SET epoch = epoch + 1, holder_url = NULL WHERE cluster_id = ? AND epoch = ?',
    ).run(clusterId, epoch);
  },

  beginSnapshot(clusterId, position) {
    const { lastInsertRowid } = sql('INSERT INTO journal_snapshots (cluster_id, position) VALUES (?, ?)').run(
      clusterId,
      position,
    );
    return Number(lastInsertRowid);
  },

  addSlice(snapshotId, index, bytes) {
    sql('INSERT INTO journal_slices SELECT id, ?, ? FROM journal_snapshots WHERE id = ?').run(
      index,
      bytes,
      snapshotId,
    );
  },

  finishSnapshot(snapshotId, sliceCount, bytes) {
    sql('UPDATE journal_snapshots SET slice_count = ?, bytes = ? WHERE id = ?').run(
      sliceCount,
      bytes,
      snapshotId,
    );
  },

  snapshots(clusterId) {
    return rows(
      `SELECT id, position, slice_count, bytes FROM journal_snapshots
       WHERE cluster_id = ? AND slice_count IS NOT NULL ORDER BY position DESC, id DESC`,
      clusterId,
    ).map((found): SnapshotRow => {
      return {
        id: found.id!,
        position: found.position!,
        sliceCount: found.slice_count!,
        bytes: found.bytes!,
      };
    });
  },

  slice(snapshotId, index) {
    const found = row(
      'SELECT bytes FROM journal_slices WHERE snapshot_id = ? AND slice = ?',
      snapshotId,
      index,
    );
    return found === undefined ? new Uint8Array() : found.bytes!;
  },

  prune(clusterId, snapshotIdMin, retainedSnapshotId, position) {
    const slices = sql(
      `DELETE FROM journal_slices WHERE rowid IN (SELECT rowid FROM journal_slices WHERE snapshot_id IN (
         SELECT id FROM journal_snapshots WHERE cluster_id = ? AND id < ? AND id <> ?) LIMIT ${prunedSlicesMax})`,
    ).run(clusterId, snapshotIdMin, retainedSnapshotId);
    if (Number(slices.changes) === prunedSlicesMax) return true;
    sql('DELETE FROM journal_snapshots WHERE cluster_id = ? AND id < ? AND id <> ?').run(
      clusterId,
      snapshotIdMin,
      retainedSnapshotId,
    );
    const chunks = sql(
      `DELETE FROM journal_chunks WHERE id IN (SELECT id FROM journal_chunks
         WHERE cluster_id = ?1 AND first_position < ?2 AND first_position + count <= ?2 ORDER BY first_position LIMIT ${prunedRowsMax})`,
    ).run(clusterId, position);
    return Number(chunks.changes) === prunedRowsMax;
  },

  hasClusters() {
    return sql('SELECT EXISTS (SELECT 1 FROM journal_heads) AS found').get()!.found === 1;
  },

  removeCluster(clusterId) {
    sql('DELETE FROM journal_notes WHERE cluster_id = ?').run(clusterId);
    sql('DELETE FROM journal_heads WHERE cluster_id = ?').run(clusterId);
  },

  putNote(clusterId, epoch, note) {
    sql(
      `INSERT INTO journal_notes SELECT cluster_id, ? FROM journal_heads WHERE cluster_id = ? AND epoch = ?
       ON CONFLICT (cluster_id) DO UPDATE SET note = excluded.note`,
    ).run(note, clusterId, epoch);
  },

  note(clusterId) {
    return row('SELECT note FROM journal_notes WHERE cluster_id = ?', clusterId)?.note;
  },

  beat(memberId, url) {
    sql(
      `INSERT INTO journal_members VALUES (?, ?, 1)
       ON CONFLICT (id) DO UPDATE SET url = excluded.url, beat = beat + 1`,
    ).run(memberId, url);
  },

  beats() {
    return rows('SELECT id, url, beat FROM journal_members ORDER BY id').map((found): MemberRow => {
      return { id: found.id!, url: found.url!, beat: found.beat! };
    });
  },

  removeMember(memberId, beat) {
    sql('DELETE FROM journal_members WHERE id = ?1 AND (?2 IS NULL OR beat = ?2)').run(memberId, beat);
  },
};

const reading: ReadonlySet<SqliteMethod> = new Set([
  'heads',
  'chunks',
  'chunkAt',
  'snapshots',
  'slice',
  'note',
  'beats',
]);

function answer({ id, method, args }: SqliteCall): SqliteReply {
  try {
    database.exec('SAVEPOINT one_call');
    const run = operations[method] as (...args: unknown[]) => unknown;
    const result = run(...args);
    database.exec('RELEASE one_call');
    return { id, result };
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back everything; then no call of the transaction was
    // executed.
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO one_call; RELEASE one_call');
    return { id, problem: (error as Error).message };
  }
}

/**
 * Calls that need not survive a power failure by themselves, and so do not wait for the disk. An append after them
 * waits only for its own write.
 *
 * - A piece of a snapshot: it is invisible before `finishSnapshot`, whose wait for the disk covers everything before
 *   it.
 * - Signs of life: the renewal of a lease and the beat of a member. Every process that could have seen them runs on
 *   this machine, and so is gone too when they are lost; a process that starts afterwards watches a whole lease from
 *   the start. A crash of the process alone loses nothing, since the system has what was written. (A database on
 *   another machine is different: there a watcher outlives the loss, takes an earlier counter for one that was never
 *   raised, and takes the lease too soon.)
 * - The note for the next leader, which is a hint.
 */
const notWaitingForDisk: ReadonlySet<SqliteMethod> = new Set(['addSlice', 'renewLeases', 'beat', 'putNote']);

let isWaitingForDisk = true;
function waitForDisk(isWanted: boolean): void {
  if (isWanted === isWaitingForDisk) return;
  database.exec(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`);
  isWaitingForDisk = isWanted;
}

function answerAll(calls: readonly SqliteCall[]): SqliteReply[] {
  try {
    waitForDisk(!calls.every(({ method }) => notWaitingForDisk.has(method) || reading.has(method)));
    // A deferred transaction that starts to write while another process writes fails at once; this one waits.
    database.exec(calls.every(({ method }) => reading.has(method)) ? 'BEGIN' : 'BEGIN IMMEDIATE');
    const replies = calls.map(answer);
    database.exec('COMMIT');
    return replies;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    return calls.map(({ id }) => ({ id, problem: (error as Error).message }));
  }
}

port.on('message', (first: SqliteCall | typeof closeMessage) => {
  const calls: SqliteCall[] = [];
  let message: SqliteCall | typeof closeMessage | undefined = first;
  while (message !== undefined && message !== closeMessage) {
    calls.push(message);
    if (calls.length === callsPerTransactionMax) break;
    message = (receiveMessageOnPort(port) as { message: SqliteCall | typeof closeMessage } | undefined)
      ?.message;
  }
  if (calls.length > 0) for (const reply of answerAll(calls)) port.postMessage(reply);
  if (message === closeMessage) {
    database.close();
    port.close();
  }
});
