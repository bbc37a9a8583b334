import type { Clock } from '@weir/core';
import { PostgresPool } from '@weir/sql/postgres-pool';
import { storageLimits } from '../limits.ts';
import { PostgresProblem } from './postgres-errors.ts';
import type { PostgresPlace } from './sql-url.ts';

/** The server ends a statement after this time. Those of a bucket read or write some megabytes at most. */
const statementMsMax = 30_000;
const silenceMsMax = statementMsMax + 5_000;
const closeSecondsMax = 1;

export interface PostgresConnectionsDeps {
  readonly clock: Clock;
  /** Called when the server was silent for this long, and the connections were replaced. */
  readonly onReplaced: (silentMs: number) => void;
}

/** The connections to the server of a bucket, of which each has one statement at a time. */
export class PostgresConnections {
  readonly #pool: PostgresPool;

  constructor(
    { host, port, database, user, password, sslMode }: PostgresPlace,
    { clock, onReplaced }: PostgresConnectionsDeps,
  ) {
    this.#pool = new PostgresPool({
      server: {
        ...{ host, port, database },
        ...(user === undefined ? {} : { user }),
        ...(password === undefined ? {} : { password }),
        ssl: sslMode === 'disable' ? false : sslMode,
      },
      applicationName: 'weir bucket',
      connectionsMax: storageLimits.sqlConnectionsMax,
      statementMsMax,
      silenceMsMax,
      closeSecondsMax,
      clock,
      onReplaced: () => onReplaced(silenceMsMax),
    });
  }

  /** Runs one statement, which is a transaction by itself. Without parameters it may be several, in one transaction. */
  async run(text: string, parameters: readonly (string | number | Uint8Array | null)[], subject: string) {
    try {
      return await this.#pool.run((sql) =>
        sql.unsafe(text, [...parameters], { prepare: parameters.length > 0 }),
      );
    } catch (error) {
      throw new PostgresProblem(subject, error as Error);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
