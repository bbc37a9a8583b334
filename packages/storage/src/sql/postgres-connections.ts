import type { Clock } from '@weir/core';
import postgres from 'postgres';
import { storageLimits } from '../limits.ts';
import { PostgresProblem } from './postgres-errors.ts';
import type { PostgresPlace } from './sql-url.ts';

/** The server ends a statement after this time. Those of a bucket read or write some megabytes at most. */
const statementMsMax = 30_000;
/** If there is no answer after this time, the connections are replaced. */
const silenceMsMax = statementMsMax + 5_000;

const connectSecondsMax = 5;
/** Calls in flight have this long when a store is closed. */
const closeSecondsMax = 1;

/** The pauses of the driver grow up to 20 s; the decorators of a store have pauses of their own. */
const backOffSeconds = (failures: number) => Math.min(0.5, 0.05 * failures);

/** Sizes, times and counts stay below 2^53. */
const int8 = { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number };

/** As the driver's own, but for copies, and in memory that can be moved to another thread. */
const bytea = {
  to: 17,
  from: [17],
  serialize: ({ buffer, byteOffset, length }: Uint8Array) =>
    `\\x${Buffer.from(buffer, byteOffset, length).toString('hex')}`,
  parse(text: string) {
    const bytes = Buffer.allocUnsafeSlow(text.length / 2 - 1);
    bytes.write(text.slice(2), 'hex');
    return bytes;
  },
};

type Sql = ReturnType<typeof connect>;

function connect({ host, port, database, user, password, sslMode }: PostgresPlace) {
  return postgres({
    host,
    port,
    database,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ssl: sslMode === 'disable' ? false : sslMode,
    max: storageLimits.sqlConnectionsMax,
    // If a connection breaks while the driver fetches array types, nothing handles the rejection, and the process ends.
    fetch_types: false,
    connect_timeout: connectSecondsMax,
    backoff: backOffSeconds,
    onnotice: () => {},
    connection: {
      application_name: 'weir bucket',
      statement_timeout: statementMsMax,
      default_transaction_isolation: 'read committed',
    },
    types: { int8, bytea },
  });
}

export interface PostgresConnectionsDeps {
  readonly clock: Clock;
  /** Called when the server was silent for this long, and the connections were replaced. */
  readonly onReplaced: (silentMs: number) => void;
}

/**
 * Connections to a server, of which each has one statement at a time. One that broke is made again by the driver; all
 * are replaced when the server does not answer.
 */
export class PostgresConnections {
  readonly #place: PostgresPlace;
  readonly #deps: PostgresConnectionsDeps;
  #sql: Sql;
  #isClosed = false;

  constructor(place: PostgresPlace, deps: PostgresConnectionsDeps) {
    this.#place = place;
    this.#deps = deps;
    this.#sql = connect(place);
  }

  /** Runs one statement, which is a transaction by itself. Without parameters it may be several, in one transaction. */
  async run(
    text: string,
    parameters: readonly (string | number | Uint8Array | null)[],
    subject: string,
  ): Promise<postgres.RowList<postgres.Row[]>> {
    const sql = this.#sql;
    const stopWatching = this.#deps.clock.after(silenceMsMax, () => this.#replace(sql));
    try {
      return await sql.unsafe(text, [...parameters], { prepare: parameters.length > 0 });
    } catch (error) {
      throw new PostgresProblem(subject, error as Error);
    } finally {
      stopWatching();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql.end({ timeout: closeSecondsMax });
  }

  #replace(silent: Sql): void {
    if (this.#isClosed || this.#sql !== silent) return;
    this.#sql = connect(this.#place);
    this.#deps.onReplaced(silenceMsMax);
    silent.end({ timeout: 0 }).catch(() => {});
  }
}
