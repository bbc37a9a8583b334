import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { closeMessage, type SqliteReply } from '@weir/journal/sqlite-bridge';
import type { SqliteResult, SqliteStatement } from './sqlite-statement.ts';

/** The thread that owns a SQLite file, because `node:sqlite` blocks its thread during I/O. */
const port = parentPort!;
const { path } = workerData as { path: string };

const busyTimeoutMs = 5_000;
/** Most statements are constants; the bound is for those whose text depends on the number of values. */
const preparedMax = 500;

const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

const prepared = new Map<string, Prepared>();

function prepare(text: string): Prepared {
  let found = prepared.get(text);
  if (found === undefined) {
    if (prepared.size >= preparedMax) prepared.clear();
    const statement = database.prepare(text);
    found = { statement, hasRows: statement.columns().length > 0 };
    prepared.set(text, found);
  }
  return found;
}

function run({ sql, parameters }: SqliteStatement): SqliteResult {
  const { statement, hasRows } = prepare(sql);
  const values = parameters as SQLInputValue[];
  if (hasRows) {
    const rows = statement.all(...values);
    return { rows, changes: rows.length };
  }
  return { rows: [], changes: Number(statement.run(...values).changes) };
}

type SqliteCall = { readonly id: number } & SqliteStatement;

function answer({ id, ...statement }: SqliteCall): SqliteReply {
  try {
    return { id, result: run(statement) };
  } catch (error) {
    return { id, problem: (error as Error).message };
  }
}

port.on('message', (message: SqliteCall | typeof closeMessage) => {
  if (message !== closeMessage) {
    port.postMessage(answer(message));
    return;
  }
  database.close();
  port.close();
});
