import type { SQLInputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveCalls, type ThreadCall } from '@weir/sql/serve-calls';
import { durablePragmas, openSqlite, SqliteFile } from '@weir/sql/sqlite-file';

/** The thread that owns the SQLite file. Statements run one after the other; Kysely begins and ends transactions. */
const { path } = workerData as { path: string };

export interface SqliteResult {
  readonly rows: readonly unknown[];
  /** How many rows a statement changed; for one that returns rows, how many it returned. */
  readonly changes: number;
}

const file = new SqliteFile(openSqlite(path));
file.database.exec(durablePragmas);

function execute(text: string, parameters: readonly SQLInputValue[]): SqliteResult {
  if (file.sql(text).columns().length === 0) return { rows: [], changes: file.run(text, parameters) };
  const rows = file.rows(text, parameters);
  return { rows, changes: rows.length };
}

function responseTo({ id, args }: ThreadCall) {
  try {
    const [text, parameters] = args as Parameters<typeof execute>;
    return { id, result: execute(text, parameters) };
  } catch (error) {
    return { id, problem: (error as Error).message };
  }
}

serveCalls({
  callsMax: 1,
  serve([call], respond) {
    respond(responseTo(call!));
  },
  close: () => file.close(),
});
