import type { Clock, Log } from '@weir/core';
import { type Dialect, Kysely } from 'kysely';
import { migrations } from './migrations/index.ts';
import { migrate } from './migrations/migrate.ts';
import { postgresDialect } from './postgres-dialect.ts';
import type { Database, Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

interface DatabaseDeps {
  readonly clock: Clock;
  readonly log: Log;
}

interface OpenDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

/** Databases in memory, by name. They live as long as the process, like a server. */
const memoryDatabases = new Map<string, Database>();

/**
 * Opens the tables of accounts in a database, with the URLs of `openJournals`: `postgres://…`, the path of a SQLite
 * file, or `memory://name`, which is shared by name within the process. It creates or migrates the schema first.
 */
export async function openDatabase(databaseUrl: string, deps: DatabaseDeps): Promise<OpenDatabase> {
  const isMemory = /^memory:\/\//i.test(databaseUrl);
  const known = isMemory ? memoryDatabases.get(databaseUrl) : undefined;
  const database = known ?? new Kysely<Schema>({ dialect: dialectOf(databaseUrl, deps) });
  if (isMemory) memoryDatabases.set(databaseUrl, database);
  const close = async () => {
    if (!isMemory) await database.destroy();
  };
  try {
    await migrate(database, migrations, deps.clock);
  } catch (error) {
    await close();
    throw error;
  }
  return { database, close };
}

function dialectOf(databaseUrl: string, deps: DatabaseDeps): Dialect {
  if (/^postgres(?:ql)?:\/\//i.test(databaseUrl)) return postgresDialect(databaseUrl, deps);
  if (/^memory:\/\//i.test(databaseUrl)) return sqliteDialect(':memory:');
  if (/^memory:/i.test(databaseUrl))
    throw new TypeError(`${databaseUrl}: a database in memory is memory://name`);
  if (databaseUrl.includes('://'))
    throw new TypeError(`no database speaks ${databaseUrl.split('://', 1)[0]}://`);
  return sqliteDialect(databaseUrl);
}
