import type { Clock, Log } from '@weir/core';
import { PostgresPool, type PostgresSql } from '@weir/journal';
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
    const onReplaced = (reason: string) =>
      log.warn('closed connections to accounts database, reconnecting', { reason });
    this.#pool = new PostgresPool({ url, clock, onReplaced });
  }

  async init(): Promise<void> {}

  /** Statements outside of transactions go to whichever connection is free; only a transaction holds one. */
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
  readonly sql: postgres.TransactionSql<{ int8: number }>;
  readonly ended: Promise<void>;
  commit(): void;
  rollback(): void;
}

/** Makes the driver roll back; it is caught here. */
const rolledBack = new Error('rolled back');

/**
 * What Kysely takes for a connection. The driver runs a transaction as a function, and commits when it returns; here
 * that function waits until Kysely says how it ends.
 *
 * After a transaction has lost its connection, nothing may be said on it any more, not even that it ends: the driver
 * connects it anew for others, and would take answers for those of the wrong statements. The function then waits
 * forever, and goes with its pool.
 */
class PostgresConnection implements DatabaseConnection {
  readonly #pool: PostgresPool;
  #transaction: OpenTransaction | undefined;
  /** Why the connection of the transaction is of no use any more. */
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
    // What lost its connection is rolled back by the server.
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

/** Whether the server said so and goes on, or the connection is gone. */
function isAnswer(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !/^(?:FATAL|PANIC)$/.test(error.severity);
}

/** The message alone: the error of the driver carries the values of the statement, hashes of passwords among them. */
function problemOf(error: unknown): Error {
  return new Error(`accounts: PostgreSQL: ${(error as Error).message}`);
}
