import type { Clock } from '@weir/core';
import postgres from 'postgres';

/** Positions, epochs, sizes, times and counts stay below 2^53. */
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

const connectSecondsMax = 5;

/**
 * The default pauses of the driver triple with each failed attempt, over all connections, up to 20 s: a server that was
 * away for a few seconds would be back long before the next attempt. Callers have pauses of their own.
 */
export function backoffSeconds(failures: number): number {
  return Math.min(0.5, 0.05 * failures);
}

/** Where a server is: a URL, or what one says. */
type PostgresServer =
  | string
  | Pick<postgres.Options<Record<string, never>>, 'host' | 'port' | 'database' | 'user' | 'password' | 'ssl'>;

interface PostgresPoolOptions {
  readonly server: PostgresServer;
  readonly applicationName?: string;
  readonly connectionsMax?: number;
  /** The server ends a statement after this time. */
  readonly statementMsMax?: number;
  /** If a statement has no response after this time, the connections are replaced. */
  readonly silenceMsMax?: number;
  /** Statements in flight have this long when the pool is closed. */
  readonly closeSecondsMax?: number;
  /** Whether connections stay open at any age, for callers that must not wait for a new one. */
  readonly keepsConnections?: boolean;
  readonly clock: Clock;
  /** Called when connections were replaced by new ones. */
  readonly onReplaced: (reason: string) => void;
}

const defaults = {
  applicationName: 'weir',
  connectionsMax: 4,
  statementMsMax: 10_000,
  silenceMsMax: 20_000,
  closeSecondsMax: 5,
  keepsConnections: false,
};

export type PostgresSql = ReturnType<typeof connect>;

function connect({ server, ...options }: PostgresPoolOptions & typeof defaults) {
  const all = {
    max: options.connectionsMax,
    // If a connection breaks while the driver fetches array types, nothing handles the rejection, and the process ends.
    // So lists are passed as JSON.
    fetch_types: false,
    connect_timeout: connectSecondsMax,
    backoff: backoffSeconds,
    ...(options.keepsConnections ? { max_lifetime: null } : {}),
    onnotice: () => {},
    connection: {
      application_name: options.applicationName,
      statement_timeout: options.statementMsMax,
      // Statements that wait for a row lock expect to read its newest version.
      default_transaction_isolation: 'read committed' as const,
    },
    types: { int8, bytea },
  };
  return typeof server === 'string' ? postgres(server, all) : postgres({ ...server, ...all });
}

/**
 * Connections to a PostgreSQL server. One that broke is made again by the driver; all are replaced together when the
 * server does not respond, or when a caller lost one.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions & typeof defaults;
  #sql: PostgresSql;
  #isClosed = false;

  constructor(options: PostgresPoolOptions) {
    this.#options = { ...defaults, ...options };
    this.#sql = connect(this.#options);
  }

  get sql(): PostgresSql {
    return this.#sql;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get silenceMsMax(): number {
    return this.#options.silenceMsMax;
  }

  async run<Result>(work: (sql: PostgresSql) => PromiseLike<Result>): Promise<Result> {
    const sql = this.#sql;
    const { clock, silenceMsMax } = this.#options;
    const stopWaiting = clock.after(silenceMsMax, () => this.replace(sql, 'it does not respond'));
    try {
      return await work(sql);
    } finally {
      stopWaiting();
    }
  }

  /** Opens all connections, because several may be needed at once, and a busy server takes long for a new one. */
  connectAll(): void {
    for (let count = 0; count < this.#options.connectionsMax; count++) this.#sql`SELECT 1`.catch(() => {});
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
    await this.#sql.end({ timeout: this.#options.closeSecondsMax });
  }
}
