import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import type { OutboundAccess } from '../component/outbound-access.ts';
import type { ConnectionChange } from '../component/pipeline-metrics.ts';
import type { Database, Row, SqlArgument, Statement } from './database.ts';
import { type PostgresPlace, parsePostgresDsn } from './postgres-dsn.ts';

interface PostgresOptions {
  readonly dsn: string;
  readonly outbound: OutboundAccess;
  readonly connectionsMax: number;
  readonly idleMs: number | undefined;
  readonly lifetimeMs: number | undefined;
  onConnection(change: ConnectionChange): void;
}

const connectSecondsMax = 10;
const rowsAtATime = 256;
/** As a message of the protocol can count them. */
const argumentsMax = 65_535;

/** A server of PostgreSQL, through connections that the outbound policy allows. */
export class PostgresDatabase implements Database {
  readonly placeholders = 'dollar';
  readonly argumentsMax = argumentsMax;
  readonly #sql: postgres.Sql;

  constructor(options: PostgresOptions) {
    const place = parsePostgresDsn(options.dsn);
    const { host, port, user, password, database } = place;
    const settings = {
      // The driver has no type for it: a function that connects.
      socket: () => openSocket(place, options),
      host,
      port,
      user,
      database,
      // The driver would replace an empty text by a variable of the process.
      password: () => password,
      ssl: tlsOf(place),
      max: options.connectionsMax,
      connect_timeout: connectSecondsMax,
      idle_timeout: seconds(options.idleMs),
      max_lifetime: seconds(options.lifetimeMs),
      // A failure of this request would end the process, and arrays are texts here.
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'weir pipelines', ...place.settings },
      types,
      transform: {},
    };
    this.#sql = postgres(
      settings as unknown as postgres.Options<Record<string, postgres.PostgresType>>,
    ) as postgres.Sql;
  }

  async execute(statements: readonly Statement[]): Promise<void> {
    const [only] = statements;
    if (only !== undefined && statements.length === 1) await this.#run(this.#sql, only);
    else if (statements.length > 1)
      await this.#sql.begin(async (sql) => {
        for (const statement of statements) await this.#run(sql, statement);
      });
  }

  async *rows(statement: Statement): AsyncGenerator<readonly Row[]> {
    for await (const rows of this.#run(this.#sql, statement).cursor(rowsAtATime))
      yield rows as unknown as Row[];
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  #run(sql: postgres.Sql | postgres.TransactionSql, { text, args, isDynamic = false }: Statement) {
    return sql.unsafe(text, args.map(textOfArgument), { prepare: !isDynamic && args.length > 0 });
  }
}

/** All arguments are texts, whose types the server finds out, as with the driver of Bento. */
function textOfArgument(argument: SqlArgument): string | null {
  if (argument === null) return null;
  // The driver takes it for a text, and converts it when it knows the type of the column.
  return Buffer.isBuffer(argument) ? (new BytesArgument(argument) as unknown as string) : String(argument);
}

/** A text, unless the column is one of bytes. */
class BytesArgument {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  toString(): string {
    return this.bytes.toString();
  }
}

async function openSocket(
  { host, port }: PostgresPlace,
  { outbound, onConnection }: Pick<PostgresOptions, 'outbound' | 'onConnection'>,
): Promise<Socket> {
  const socket = connect({ host, port, lookup: outbound.lookupFor(host, port), noDelay: true });
  // The driver takes the name for the certificate from here.
  Object.assign(socket, { host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectSecondsMax * 1000) });
  } catch (error) {
    socket.destroy();
    onConnection('failed');
    throw error;
  }
  onConnection('up');
  // The driver ends connections that rest; the server does so only if something is wrong.
  let isLost = false;
  const lost = () => {
    if (!isLost && !socket.writableEnded) onConnection('lost');
    isLost = true;
  };
  socket.once('end', lost);
  socket.once('error', lost);
  return socket;
}

function tlsOf({ sslMode }: PostgresPlace) {
  switch (sslMode) {
    case 'disable':
      return false;
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { rejectUnauthorized: true };
  }
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined || ms <= 0 ? null : Math.max(1, Math.ceil(ms / 1000));
}

const asIs = (text: string) => text;
const type = (from: readonly number[], parse: (text: string) => unknown) => ({
  to: from[0]!,
  from: [...from],
  serialize: String as (value: unknown) => string,
  parse,
});

/** Columns as the driver of Bento returns them: numbers, booleans, times as RFC 3339, and texts for all else. */
const types = {
  integer: type([23, 21, 26, 20], (text) => {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }),
  float: type([701, 700], (text) => (Number.isFinite(Number(text)) ? Number(text) : text)),
  decimal: type([1700], asIs),
  boolean: type([16], (text) => text === 't'),
  bytes: {
    ...type([17], (text) => Buffer.from(text.slice(2), 'hex').toString()),
    serialize: (value: unknown) =>
      value instanceof BytesArgument ? `\\x${value.bytes.toString('hex')}` : String(value),
  },
  json: type([114, 3802], asIs),
  time: type([1184, 1114, 1082], rfc3339),
  // Those for which the driver has its own.
  text: type([25], asIs),
};

/** `2024-01-31 10:00:00.5+00` as Go prints it: `2024-01-31T10:00:00.5Z`. */
function rfc3339(text: string): string {
  const [, date, time = '00:00:00', zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d+)?))?([+-]\d\d(?::\d\d)?)?$/.exec(text) ?? [];
  // `infinity`, and years that Go cannot print.
  if (date === undefined) return text;
  const offset = zone === '' || zone === '+00' ? 'Z' : zone.length === 3 ? `${zone}:00` : zone;
  return `${date}T${time}${offset}`;
}
