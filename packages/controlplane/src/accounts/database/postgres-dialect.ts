import type { Clock, Log } from '@weir/core';
import { PostgresPool, type PostgresSql } from '@weir/sql/postgres-pool';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import postgres from 'postgres';

interface PostgresDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Kysely over PostgreSQL, with the driver that the journal uses. */
export function postgresDialect(url: string, deps: PostgresDeps): Dialect {
  return {
    createDriver: () => new PostgresDriver(url, deps),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

class PostgresDriver implements Driver {
  readonly #pool: PostgresPool;

  constructor(url: string, { clock, log }: PostgresDeps) {
    const onReplaced = (error: string) =>
      log.warn('closed connections to accounts database, reconnecting', { error });
    this.#pool = new PostgresPool({ server: url, clock, onReplaced });
  }

  async init(): Promise<void> {}

  /** Statements outside transactions use any free connection; only a transaction holds one. */
  async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresConnection(this.#pool);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#pool.close();
  }
}

interface OpenTransaction {
  readonly pool: PostgresSql;
  readonly sql: Parameters<Parameters<PostgresSql['begin']>[1]>[0];
  readonly ended: Promise<void>;
  commit(): void;
  rollback(): void;
}

/** Makes the driver roll back; it is caught here. */
const rolledBack = new Error('rolled back');

/**
 * A connection for Kysely. The driver runs a transaction as a function and commits when it returns; here that function
 * waits until Kysely ends the transaction.
 *
 * After a transaction has lost its connection, nothing may be sent on it, not even its end: the driver reconnects it
 * for others and would match responses to the wrong statements. The function then waits forever, and is collected with
 * its pool.
 */
class PostgresConnection implements DatabaseConnection {
  readonly #pool: PostgresPool;
  #transaction: OpenTransaction | undefined;
  /** Why the connection of the transaction is unusable. */
  #lost: Error | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#lost !== undefined) throw problemOf(this.#lost);
    const options = { prepare: parameters.length > 0 };
    try {
      const result = await this.#pool.run((pool) =>
        (this.#transaction?.sql ?? pool).unsafe(text, parameters as never[], options),
      );
      return { rows: [...result] as Row[], numAffectedRows: BigInt(result.count ?? 0) };
    } catch (error) {
      if (!isAnswer(error)) this.#lose(error as Error);
      throw problemOf(error);
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator, and rows are not streamed here
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('accounts: PostgreSQL: rows are read all at once');
  }

  async begin(): Promise<void> {
    try {
      await this.#pool.run((pool) => this.#begin(pool));
    } catch (error) {
      throw problemOf(error);
    }
  }

  #begin(pool: PostgresSql): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<void>();
    const ended: Promise<void> = pool
      .begin(async (sql) => {
        const rollback = () => decided.reject(rolledBack);
        this.#transaction = { pool, sql, ended, commit: decided.resolve, rollback };
        begun.resolve();
        await decided.promise;
      })
      .then(() => {});
    ended.catch((error: Error) => {
      if (error !== rolledBack && !isAnswer(error)) this.#lose(error);
      begun.reject(error);
    });
    return begun.promise;
  }

  async commit(): Promise<void> {
    if (this.#lost !== undefined) throw problemOf(this.#lost);
    const { commit, ended } = this.#transaction!;
    commit();
    try {
      await this.#pool.run(() => ended);
    } catch (error) {
      throw problemOf(error);
    } finally {
      this.#transaction = undefined;
    }
  }

  async rollback(): Promise<void> {
    // The server rolls back a transaction that lost its connection.
    if (this.#lost !== undefined || this.#transaction === undefined) return;
    const { rollback, ended } = this.#transaction;
    rollback();
    await this.#pool.run(() => ended.catch(() => {}));
    this.#transaction = undefined;
  }

  #lose(error: Error): void {
    if (this.#transaction === undefined || this.#lost !== undefined) return;
    this.#lost = error;
    this.#pool.replace(this.#transaction.pool, error.message);
  }
}

/** Whether the server returned the error and the connection still works. */
function isAnswer(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !/^(?:FATAL|PANIC)$/.test(error.severity);
}

/** Only the message: the driver's error contains the parameters of the statement, including password hashes. */
function problemOf(error: unknown): Error {
  return new Error(`accounts: PostgreSQL: ${(error as Error).message}`);
}
