import { dirname } from 'node:path';
import { makeDirectory } from '@weir/journal';
import { DatabaseThread } from '@weir/sql/database-thread';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteResult } from './sqlite-worker.ts';

/**
 * Kysely over a SQLite database on a worker thread. There is one connection, and Kysely gives it to one statement or
 * transaction at a time, as its adapter requires.
 */
export function sqliteDialect(path: string): Dialect {
  return {
    createDriver: () => new SqliteDriver(path),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

class SqliteDriver implements Driver {
  readonly #path: string;
  #thread: DatabaseThread<string> | undefined;
  #connection: SqliteConnection | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {
    const path = this.#path;
    if (path !== ':memory:') makeDirectory(dirname(path));
    this.#thread = new DatabaseThread({
      worker: new URL(import.meta.resolve('./sqlite-worker.ts')),
      workerData: { path },
      toError: (problem) => new Error(`accounts: SQLite: ${problem}`),
      toLoss: (cause) => new Error(`accounts: ${path}: ${cause?.message ?? 'it was closed'}`),
    });
    this.#connection = new SqliteConnection(this.#thread);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection!;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A deferred transaction that begins to write while another process writes fails at once; this one waits.
    await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some errors, such as a full disk, SQLite has already rolled back and reports that there is no transaction.
    await connection.executeQuery(CompiledQuery.raw('ROLLBACK')).catch(() => {});
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#thread?.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #thread: DatabaseThread<string>;

  constructor(thread: DatabaseThread<string>) {
    this.#thread = thread;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const call = { method: 'execute', args: [sql, parameters], moved: [] };
    const { rows, changes } = (await this.#thread.call(call)) as SqliteResult;
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator, and rows are not streamed here
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('accounts: SQLite: rows are read all at once');
  }
}
