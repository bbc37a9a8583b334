import { dirname } from 'node:path';
import { makeDirectory } from '@weir/journal';
import { SqliteBridge } from '@weir/journal/sqlite-bridge';
import type { SqliteResult, SqliteStatement } from './sqlite-statement.ts';

/** A SQLite database whose statements run on the thread of sqlite-worker.ts, one after the other. */
export class SqliteThread {
  readonly #bridge: SqliteBridge;

  /** `path` is a file, or `:memory:`. */
  constructor(path: string) {
    if (path !== ':memory:') makeDirectory(dirname(path));
    const worker = new URL(import.meta.resolve('./sqlite-worker.ts'));
    this.#bridge = new SqliteBridge({ worker, path, label: 'accounts' });
  }

  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const statement: SqliteStatement = { sql, parameters };
    return this.#bridge.call(statement);
  }

  close(): Promise<void> {
    return this.#bridge.close();
  }
}
