import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { AnyOperations, CallRules, ThreadCall, ThreadResponse } from './thread-call.ts';

/** How long a connection waits for others that write. */
const busyTimeoutMs = 5_000;

/** Most statements are constants; the bound is for those whose text depends on the number of values. */
const preparedMax = 500;

/** Commits wait for the disk. */
export const durablePragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';

/** Opens a file, or `:memory:`, and changes nothing in it. */
export function openSqlite(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: busyTimeoutMs });
}

interface TogetherOptions<Operations extends AnyOperations<Operations>> {
  readonly operations: Operations;
  readonly rules: CallRules<Operations>;
  toProblem(error: unknown): unknown;
}

/** A connection to a SQLite file, for the thread that owns it. */
export class SqliteFile {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #isWaitingForDisk = true;

  /** The connection waits for the disk at each commit. */
  constructor(database: DatabaseSync) {
    this.database = database;
  }

  readonly sql = (text: string): StatementSync => {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      if (this.#prepared.size >= preparedMax) this.#prepared.clear();
      statement = this.database.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  };

  /** Returns the number of rows that the statement changed. */
  readonly run = (text: string, values: readonly SQLInputValue[] = []): number =>
    Number(this.sql(text).run(...values).changes);

  /** The columns have the types of the schema, which the compiler cannot see. */
  readonly row = <Row>(text: string, values: readonly SQLInputValue[] = []): Row | undefined =>
    this.sql(text).get(...values) as Row | undefined;

  readonly rows = <Row>(text: string, values: readonly SQLInputValue[] = []): Row[] =>
    this.sql(text).all(...values) as Row[];

  /** Serves calls in one transaction, and so with one wait for the disk. */
  serveTogether<Operations extends AnyOperations<Operations>>(
    calls: readonly ThreadCall[],
    { operations, rules, toProblem }: TogetherOptions<Operations>,
  ): ThreadResponse[] {
    const { database } = this;
    const writes = calls.map(({ method }) => rules[method as keyof Operations & string]).filter(isWrite);
    try {
      if (writes.length > 0) this.#waitForDisk(writes.some(({ waitsForDisk = true }) => waitsForDisk));
      // A deferred transaction that starts to write while another process writes fails at once; this one waits.
      database.exec(writes.length > 0 ? 'BEGIN IMMEDIATE' : 'BEGIN');
      const responses = calls.map(({ id, method, args }): ThreadResponse => {
        database.exec('SAVEPOINT one_call');
        try {
          const result = operations[method as keyof Operations](...(args as never[]));
          database.exec('RELEASE one_call');
          return { id, result };
        } catch (error) {
          // After some errors, such as a full disk, SQLite has rolled back everything; then no call of the transaction
          // was executed.
          if (!database.isTransaction) throw error;
          database.exec('ROLLBACK TO one_call; RELEASE one_call');
          return { id, problem: toProblem(error) };
        }
      });
      database.exec('COMMIT');
      return responses;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      return calls.map(({ id }) => ({ id, problem: toProblem(error) }));
    }
  }

  close(): void {
    this.database.close();
  }

  #waitForDisk(isWanted: boolean): void {
    if (isWanted === this.#isWaitingForDisk) return;
    this.database.exec(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`);
    this.#isWaitingForDisk = isWanted;
  }
}

function isWrite({ reads }: { readonly reads?: true }): boolean {
  return reads !== true;
}
