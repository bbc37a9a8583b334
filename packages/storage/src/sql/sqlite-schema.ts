import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { durablePragmas, openSqlite } from '@weir/sql/sqlite-file';
import { StoreError } from '../store/store-error.ts';
import type { SqlitePlace } from './sql-url.ts';
import { isBusy, SqliteMissing, sqliteProblem } from './sqlite-errors.ts';

export function sqliteNames(table: string) {
  return { objects: `${table}_objects`, contents: `${table}_contents`, chunks: `${table}_chunks` };
}

/** Attempts to make the tables, and the pause between two: processes that start together are in each other's way. */
const attemptsMax = 50;
const attemptPauseMs = 20;

/** Makes the file of a bucket, or its tables in a file that exists. It is no error if they are there. */
export function createSqliteBucket(place: SqlitePlace): void {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!exists(dirname(place.path))) throw new SqliteMissing('the directory of the file does not exist');
      // SQLite says only that it cannot open the file.
      accessSync(exists(place.path) ? place.path : dirname(place.path), constants.W_OK);
      makeTables(place);
      return;
    } catch (error) {
      if (isBusy(error) && attempt < attemptsMax) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attemptPauseMs);
        continue;
      }
      const { kind, subject, text } = sqliteProblem(place.path, error);
      throw new StoreError(kind === 'bucketMissing' ? 'invalid' : kind, subject, text);
    }
  }
}

function makeTables({ path, table }: SqlitePlace): void {
  const { objects, contents, chunks } = sqliteNames(table);
  using database = openSqlite(path);
  database.exec(`
    ${durablePragmas}
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS ${objects} (
      key TEXT PRIMARY KEY COLLATE BINARY, content TEXT NOT NULL, bytes INTEGER NOT NULL, chunk_bytes INTEGER NOT NULL,
      modified_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ${contents} (
      id TEXT PRIMARY KEY, key TEXT NOT NULL COLLATE BINARY, begun_ms INTEGER NOT NULL, is_discarded INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ${chunks} (
      content TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (content, number)
    );
    COMMIT;
  `);
}

/** Opens the file of a bucket that was made before. */
export function openSqliteBucket({ path, table }: SqlitePlace): DatabaseSync {
  if (!exists(path)) throw new SqliteMissing('the file does not exist');
  accessSync(path, constants.R_OK);
  const database = openSqlite(path);
  try {
    const found = database
      .prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
      .get(sqliteNames(table).chunks);
    if (found === undefined) throw new SqliteMissing(`the file has no tables ${table}_*`);
    database.exec('PRAGMA synchronous = FULL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
