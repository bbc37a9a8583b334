import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Placed, PlacedObject } from './bucket-tables.ts';
import type { SqlitePlace } from './sql-url.ts';
import type { SqliteMethod, SqliteOperations } from './sqlite-call.ts';
import { SqliteMissing, sqliteProblem } from './sqlite-errors.ts';
import { openSqliteBucket, sqliteNames } from './sqlite-schema.ts';
import { answerCall, closeMessage, type ThreadAnswer, type ThreadCall } from './thread-call.ts';

/**
 * A thread with a connection to the SQLite file of a bucket. Calls that wait at the same time share one transaction,
 * and so one wait for the disk.
 */
const port = parentPort!;
const place = workerData as SqlitePlace;
const { path } = place;

const callsPerTransactionMax = 16;
/** Each is a megabyte, whose pages are read to be freed; other writers wait meanwhile. */
const discardedChunksMax = 16;
const leftoversMax = 64;
const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

const { objects, contents, chunks } = sqliteNames(place.table);

/** Columns have the types of the schema, which the compiler cannot see. */
type Row = Record<string, never>;

interface OpenFile {
  readonly database: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
  readonly fileNumber: number;
}

let file: OpenFile | undefined;

function sql(text: string): StatementSync {
  let statement = file!.statements.get(text);
  if (statement === undefined) {
    statement = file!.database.prepare(text);
    file!.statements.set(text, statement);
  }
  return statement;
}

const run = (text: string, ...values: SQLInputValue[]) => Number(sql(text).run(...values).changes);
const row = (text: string, ...values: SQLInputValue[]) => sql(text).get(...values) as Row | undefined;
const rows = (text: string, ...values: SQLInputValue[]) => sql(text).all(...values) as Row[];

function fileNumberNow(): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function openFile(expectedNumber: number | null): number {
  if (file === undefined) {
    if (expectedNumber !== null) checkFileNumber(expectedNumber);
    const database = openSqliteBucket(place);
    file = { database, statements: new Map(), fileNumber: fileNumberNow()! };
  }
  return file.fileNumber;
}

/** SQLite would go on with a file that has no name any more, and lose it when the process ends. */
function checkFileNumber(expected: number): void {
  const now = fileNumberNow();
  if (now === undefined) throw new SqliteMissing('the file was removed; put it back');
  if (now !== expected)
    throw new SqliteMissing('the file was replaced; put it back, or start again to use the new one');
}

/** Makes the content of an object visible, and notes the one that it replaces. */
function setObject({ key, content, bytes, chunkBytes }: PlacedObject, onlyIfAbsent: boolean): Placed {
  const before = row(`SELECT content FROM ${objects} WHERE key = ?`, key)?.content;
  if (before !== undefined && onlyIfAbsent) return 'exists';
  if (before !== undefined) noteRemoved(before, key);
  run(
    `INSERT INTO ${objects} (key, content, bytes, chunk_bytes, modified_ms) VALUES (?, ?, ?, ?, ${nowMs})
     ON CONFLICT (key) DO UPDATE SET content = excluded.content, bytes = excluded.bytes,
       chunk_bytes = excluded.chunk_bytes, modified_ms = excluded.modified_ms`,
    key,
    content,
    bytes,
    chunkBytes,
  );
  return { replaced: before };
}

function noteRemoved(content: string, key: string): void {
  run(`INSERT INTO ${contents} (id, key, begun_ms, is_discarded) VALUES (?, ?, ${nowMs}, 1)`, content, key);
}

const operations: SqliteOperations = {
  open: openFile,

  putWhole(object, chunk, onlyIfAbsent) {
    const placed = setObject(object, onlyIfAbsent);
    if (placed !== 'exists' && chunk.length > 0)
      run(`INSERT INTO ${chunks} (content, number, bytes) VALUES (?, 0, ?)`, object.content, chunk);
    return placed;
  },

  begin(content, key) {
    run(`INSERT INTO ${contents} (id, key, begun_ms, is_discarded) VALUES (?, ?, ${nowMs}, 0)`, content, key);
  },

  addChunk(content, number, chunk) {
    if (!isBeingWritten(content)) return false;
    run(
      `INSERT INTO ${chunks} (content, number, bytes) VALUES (?, ?, ?)
       ON CONFLICT (content, number) DO UPDATE SET bytes = excluded.bytes`,
      content,
      number,
      chunk,
    );
    return true;
  },

  place(object, onlyIfAbsent) {
    const { key, content, bytes, chunkBytes } = object;
    if (!isBeingWritten(content)) {
      // An earlier call may have done it, whose answer was lost.
      const found = row(`SELECT content FROM ${objects} WHERE key = ?`, key);
      return found?.content === content ? { replaced: undefined } : 'incomplete';
    }
    const stored = row(
      `SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM ${chunks} WHERE content = ? AND number < ?`,
      content,
      Math.ceil(bytes / chunkBytes),
    );
    if (stored!.bytes !== bytes) return 'incomplete';
    const placed = setObject(object, onlyIfAbsent);
    if (placed !== 'exists') run(`DELETE FROM ${contents} WHERE id = ?`, content);
    return placed;
  },

  remove(keys) {
    const removed: string[] = [];
    for (const key of keys) {
      const found = row(`DELETE FROM ${objects} WHERE key = ? RETURNING content`, key);
      if (found === undefined) continue;
      noteRemoved(found.content!, key);
      removed.push(found.content!);
    }
    return removed;
  },

  discardSome(ids) {
    let left = discardedChunksMax;
    for (const id of ids) {
      // One that has become an object meanwhile is not found.
      if (run(`UPDATE ${contents} SET is_discarded = 1 WHERE id = ?`, id) === 0) continue;
      left -= run(
        `DELETE FROM ${chunks} WHERE rowid IN (SELECT rowid FROM ${chunks} WHERE content = ? LIMIT ?)`,
        id,
        left,
      );
      if (left === 0) return true;
      run(`DELETE FROM ${contents} WHERE id = ?`, id);
    }
    return false;
  },

  leftovers(ageMs) {
    return rows(
      `SELECT id FROM ${contents} WHERE is_discarded OR begun_ms < ${nowMs} - ? LIMIT ${leftoversMax}`,
      ageMs,
    ).map(({ id }) => id!);
  },

  find(key) {
    const found = row(`SELECT bytes, modified_ms FROM ${objects} WHERE key = ?`, key);
    return found && { key, bytes: found.bytes!, modifiedMs: found.modified_ms! };
  },

  read(key, start, end) {
    const found = row(`SELECT content, bytes, chunk_bytes FROM ${objects} WHERE key = ?`, key);
    if (found === undefined) return undefined;
    const content: string = found.content!;
    const objectBytes: number = found.bytes!;
    const chunkBytes: number = found.chunk_bytes!;
    const pieces: Uint8Array[] = [];
    const lastEnd = Math.min(end, objectBytes);
    for (let at = start; at < lastEnd; ) {
      const number = Math.floor(at / chunkBytes);
      const pieceEnd = Math.min(lastEnd, (number + 1) * chunkBytes);
      const piece = row(
        `SELECT substr(bytes, ?, ?) AS piece FROM ${chunks} WHERE content = ? AND number = ?`,
        at - number * chunkBytes + 1,
        pieceEnd - at,
        content,
        number,
      )?.piece;
      if (piece === undefined) break;
      pieces.push(piece);
      at = pieceEnd;
    }
    return { content, objectBytes, pieces };
  },

  list({ from, before, count }) {
    return rows(
      `SELECT key, bytes, modified_ms FROM ${objects} WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`,
      from,
      before,
      count,
    ).map((found) => ({ key: found.key!, bytes: found.bytes!, modifiedMs: found.modified_ms! }));
  },

  listContents({ from, before, after, count }) {
    return rows(
      `SELECT key, id, begun_ms FROM ${contents} WHERE NOT is_discarded AND key >= ?1 AND key < ?2
         AND (?3 IS NULL OR (key, id) > (?3, ?4)) ORDER BY key, id LIMIT ?5`,
      from,
      before,
      after?.key ?? null,
      after?.content ?? null,
      count,
    ).map((found) => ({ key: found.key!, content: found.id!, begunMs: found.begun_ms! }));
  },
};

function isBeingWritten(content: string): boolean {
  return row(`SELECT 1 FROM ${contents} WHERE id = ? AND NOT is_discarded`, content) !== undefined;
}

const reading: ReadonlySet<string> = new Set<SqliteMethod>([
  'leftovers',
  'find',
  'read',
  'list',
  'listContents',
]);

/**
 * Changes that need not survive a power failure by themselves: the wait for the disk of the change that makes an object
 * visible covers everything before it.
 */
const notWaitingForDisk: ReadonlySet<string> = new Set<SqliteMethod>(['begin', 'addChunk', 'discardSome']);

let isWaitingForDisk = true;
function waitForDisk(isWanted: boolean): void {
  if (isWanted === isWaitingForDisk) return;
  file!.database.exec(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`);
  isWaitingForDisk = isWanted;
}

function answer({ id, method, args }: ThreadCall): ThreadAnswer {
  const { database } = file!;
  try {
    database.exec('SAVEPOINT one_call');
    const operation = operations[method as SqliteMethod] as (...args: readonly unknown[]) => unknown;
    const result = operation(...args);
    database.exec('RELEASE one_call');
    return { id, result };
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back everything; then no call of the transaction was
    // executed.
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO one_call; RELEASE one_call');
    return { id, problem: sqliteProblem(path, error) };
  }
}

function answerAll(calls: readonly ThreadCall[]): ThreadAnswer[] {
  const { database, fileNumber } = file!;
  try {
    checkFileNumber(fileNumber);
    const isReading = calls.every(({ method }) => reading.has(method));
    if (!isReading) waitForDisk(!calls.every(({ method }) => notWaitingForDisk.has(method)));
    // A deferred transaction that starts to write while another process writes fails at once; this one waits.
    database.exec(isReading ? 'BEGIN' : 'BEGIN IMMEDIATE');
    const replies = calls.map(answer);
    database.exec('COMMIT');
    return replies;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    return calls.map(({ id }) => ({ id, problem: sqliteProblem(path, error) }));
  }
}

function answerOpen({ id, args }: ThreadCall): ThreadAnswer {
  try {
    return { id, result: openFile(args[0] as number | null) };
  } catch (error) {
    return { id, problem: sqliteProblem(path, error) };
  }
}

/** The next message that has arrived. */
function received(): ThreadCall | typeof closeMessage | undefined {
  return receiveMessageOnPort(port)?.message;
}

port.on('message', (first: ThreadCall | typeof closeMessage) => {
  const calls: ThreadCall[] = [];
  let message: typeof first | undefined = first;
  while (message !== undefined && message !== closeMessage) {
    if (message.method === 'open') answerCall(port, answerOpen(message));
    else calls.push(message);
    if (calls.length === callsPerTransactionMax) break;
    message = received();
  }
  if (calls.length > 0) for (const answered of answerAll(calls)) answerCall(port, answered);
  if (message === closeMessage) {
    file?.database.close();
    port.close();
  }
});
