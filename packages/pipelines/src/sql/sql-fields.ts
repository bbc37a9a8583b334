import { readFile } from 'node:fs/promises';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Values } from '../component/field.ts';
import { any, bool, durationMs, int, list, oneOf, string } from '../component/field-types.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import type { Database } from './database.ts';

const drivers = ['postgres', 'sqlite'] as const;
/** Of Bento, and not of this release. */
const otherDrivers = 'mysql clickhouse mssql oracle snowflake trino gocosmos spanner duckdb'.split(
  ' ',
) as readonly string[];

const notHere = () => 'is not available in this release; write user and password into dsn';

/** How every component of a database connects to it. */
export const sqlConnectionFields = {
  driver: oneOf('The database.', [...drivers, ...otherDrivers]).check((driver) =>
    otherDrivers.includes(driver)
      ? `${driver} is not available in this release; there are ${drivers.join(' and ')}`
      : undefined,
  ),
  dsn: string('Where the database is, such as `postgres://user:password@host:5432/database`.').secret(),
  init_files: list('Files with statements that are executed first.', string('A file.'))
    .optional()
    .localOnly()
    .advanced(),
  init_statement: string('A statement that is executed first; if it fails, that is logged.')
    .optional()
    .advanced(),
  init_verify_conn: bool('Whether a pipeline fails to start if the database does not answer.')
    .or(false)
    .advanced(),
  conn_max_idle_time: durationMs('How long a connection may be idle.').optional().advanced(),
  conn_max_life_time: durationMs('How old a connection may become.').optional().advanced(),
  conn_max_idle: int('Connections that stay open unused.')
    .or(2)
    .advanced()
    .withoutEffect('idle connections end after conn_max_idle_time, whatever their number'),
  conn_max_open: int('Connections at a time; 10 by default.').optional().advanced(),
  secret_name: any('A secret of AWS.').optional().check(notHere).advanced(),
  iam_enabled: bool('Whether AWS issues the password.')
    .or(false)
    .check((isEnabled) => (isEnabled ? notHere() : undefined))
    .advanced(),
  azure: any('Tokens of Azure.').optional().check(notHere).advanced(),
};

type SqlConnection = Values<typeof sqlConnectionFields>;

/** Notes a database that a managed pipeline cannot have. */
export function checkSqlConnection({ driver }: SqlConnection, reading: Reading, place: TextPlace): void {
  if (driver === 'sqlite' && !reading.isLocal)
    reading.problem(place, 'driver sqlite reads a file of the machine, which managed pipelines do not have');
}

const connectionsUsual = 10;
const connectionsMost = 100;

/** Opens a database when it is used first, and executes what is to be executed first. */
export class OpenedDatabase {
  readonly #fields: SqlConnection;
  readonly #context: ComponentContext;
  #opening: Promise<Database> | undefined;

  constructor(fields: SqlConnection, context: ComponentContext) {
    this.#fields = fields;
    this.#context = context;
  }

  /** Before the pipeline starts, if the configuration asks for it. */
  async verify(): Promise<this> {
    if (!this.#fields.init_verify_conn) return this;
    const database = await this.get();
    await database.execute([{ text: 'SELECT 1', args: [] }]);
    return this;
  }

  get(): Promise<Database> {
    if (this.#opening === undefined) {
      this.#opening = this.#open();
      this.#opening.catch(() => {
        this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  async close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    await database?.close();
  }

  async #open(): Promise<Database> {
    const database = await this.#connected();
    const { init_files: files = [], init_statement: statement } = this.#fields;
    for (const file of files) await this.#init(database, await readFile(file, 'utf8'));
    if (statement) await this.#init(database, statement);
    return database;
  }

  async #connected(): Promise<Database> {
    const { driver, dsn, conn_max_open, conn_max_idle_time, conn_max_life_time } = this.#fields;
    if (driver === 'sqlite') {
      if (this.#context.environment === undefined) throw new Error('managed pipelines have no files');
      const { SqliteDatabase } = await import('./sqlite-database.ts');
      const database = new SqliteDatabase(dsn);
      this.#context.connection('up');
      return database;
    }
    const { PostgresDatabase } = await import('./postgres-database.ts');
    return new PostgresDatabase({
      dsn,
      outbound: this.#context.outbound,
      connectionsMax: Math.min(
        connectionsMost,
        conn_max_open !== undefined && conn_max_open > 0 ? conn_max_open : connectionsUsual,
      ),
      idleMs: conn_max_idle_time,
      lifetimeMs: conn_max_life_time,
      onConnection: this.#context.connection,
    });
  }

  async #init(database: Database, text: string): Promise<void> {
    try {
      await database.execute([{ text, args: [], isDynamic: true }]);
    } catch (error) {
      this.#context.log.warn('failed to execute the first statement', { error: reasonOf(error) });
    }
  }
}
