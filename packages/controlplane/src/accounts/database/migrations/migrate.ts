import type { Clock } from '@weir/core';
import { CompiledQuery, PostgresAdapter, sql } from 'kysely';
import { DatabaseProblem } from '../database-problem.ts';
import type { Database, DatabaseTransaction, MigrationRow } from '../schema.ts';
import type { Migration } from './migration.ts';

/**
 * Any fixed number that differs from the journal's: processes that start together migrate the schema one after the
 * other.
 */
const schemaLock = 7_305_012;

/**
 * Migrates the schema to this release, all missing steps in one transaction. Downgrades are impossible: a database of a
 * newer release is refused, because this release does not know its tables.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lock(transaction);
    await sql`CREATE TABLE IF NOT EXISTS weir_account_migrations (
      number integer PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL
    )`.execute(transaction);
    const applied = await transaction
      .selectFrom('weir_account_migrations')
      .selectAll()
      .orderBy('number')
      .execute();
    refuseUnknown(applied, migrations);
    for (const migration of migrations.slice(applied.length)) await apply(transaction, migration, clock);
  });
}

/** SQLite needs no lock: a transaction there is the only writer. */
async function lock(transaction: DatabaseTransaction): Promise<void> {
  if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(transaction);
}

function refuseUnknown(applied: readonly MigrationRow[], migrations: readonly Migration[]): void {
  for (const [index, row] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined)
      throw new DatabaseProblem(
        `accounts: the database is at step ${applied.at(-1)!.number} of its schema ("${applied.at(-1)!.name}"), and this ` +
          `release knows ${migrations.length}: a newer release has used it; start that one, or restore a backup`,
      );
    if (known.number !== row.number || known.name !== row.name)
      throw new DatabaseProblem(
        `accounts: step ${known.number} of the schema is "${known.name}", and the database has "${row.name}" as step ` +
          `${row.number}: it was made by another program; use another database`,
      );
  }
}

async function apply(transaction: DatabaseTransaction, migration: Migration, clock: Clock): Promise<void> {
  for (const statement of migration.statements) await transaction.executeQuery(CompiledQuery.raw(statement));
  const row = { number: migration.number, name: migration.name, applied_ms: clock.nowMs() };
  await transaction.insertInto('weir_account_migrations').values(row).execute();
}
