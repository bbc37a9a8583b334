import type { Clock } from '@weir/core';
import postgres from 'postgres';
import { connectTiming } from './connect-timing.ts';

/** A statement without an answer for this long counts as lost; after twice this time the connections are replaced. */
const statementMsMax = 10_000;
export const silenceMsMax = 2 * statementMsMax;
export const poolConnectionsMax = 4;

/** Positions, epochs, times and counts stay below 2^53. */
const int8 = { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number };

export type PostgresSql = ReturnType<typeof connect>;

function connect({ url, keepsConnections = false }: Pick<PostgresPoolOptions, 'url' | 'keepsConnections'>) {
  return postgres(url, {
    max: poolConnectionsMax,
    // If a connection breaks while the driver fetches array types, nothing handles the rejection, and the process ends.
    // So lists are passed as JSON.
    fetch_types: false,
    ...connectTiming,
    ...(keepsConnections ? { max_lifetime: null } : {}),
    onnotice: () => {},
    connection: { application_name: 'weir', statement_timeout: statementMsMax },
    types: { int8 },
  });
}

interface PostgresPoolOptions {
  readonly url: string;
  /** Whether connections stay open at any age, for callers that must not wait for a new one. */
  readonly keepsConnections?: boolean;
  readonly clock: Clock;
  /** Called when connections were replaced by new ones. */
  readonly onReplaced: (reason: string) => void;
}

/**
 * Connections to a PostgreSQL server that are replaced together when the server does not answer, or when a caller lost
 * one.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  #sql: PostgresSql;
  #isClosed = false;

  constructor(options: PostgresPoolOptions) {
    this.#options = options;
    this.#sql = connect(options);
  }

  get sql(): PostgresSql {
    return this.#sql;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async run<Result>(work: (sql: PostgresSql) => PromiseLike<Result>): Promise<Result> {
    const sql = this.#sql;
    const stopWaiting = this.#options.clock.after(silenceMsMax, () =>
      this.replace(sql, 'it does not answer'),
    );
    try {
      return await work(sql);
    } finally {
      stopWaiting();
    }
  }

  /** Callers that wait on the lost connections get an error; all others continue with new ones. */
  replace(lost: PostgresSql, reason: string): void {
    if (this.#isClosed || this.#sql !== lost) return;
    this.#sql = connect(this.#options);
    this.#options.onReplaced(reason);
    lost.end({ timeout: 0 }).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql.end({ timeout: 5 });
  }
}
