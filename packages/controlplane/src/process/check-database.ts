import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { accountsUrlOf } from './accounts-url.ts';
import { DatabaseProblem } from './database-problem.ts';

/** A table that every release has made, by file. */
const journalTable = 'journal_heads';
const accountsTable = 'weir_account_migrations';

/**
 * Refuses SQLite files that cannot be used: damaged ones, those of other programs and of newer releases. Asked before anything is opened,
 * because all that works on a database waits for it to come back, which these never do.
 */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  if (/^[a-z]+:/i.test(databaseUrl)) return;
  checkFile(databaseUrl, journalTable);
  const accounts = accountsUrlOf(databaseUrl);
  const steps = checkFile(accounts, accountsTable);
  if (steps === undefined) return;
  const { migrations } = await import('../accounts/migrations/index.ts');
  if (steps > migrations.length)
    throw new DatabaseProblem(
      `${accounts}: written by a newer release (schema step ${steps}, this release knows ${migrations.length}); ` +
        'start that release, or restore a backup',
    );
}

/** The number of rows in the table, or nothing where there is no file or an empty one. */
function checkFile(path: string, table: string): number | undefined {
  if (!existsSync(path)) return undefined;
  try {
    using database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    if (names.length === 0) return undefined;
    if (!names.includes(table))
      throw new DatabaseProblem(`${path}: a database of another program; name another path`);
    // Whoever ended while it wrote leaves a log that is applied now, which takes the right to write.
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()!.count);
  } catch (error) {
    if (error instanceof DatabaseProblem) throw error;
    throw new DatabaseProblem(`${path}: ${explained((error as Error).message)}`, { cause: error });
  }
}

const busyTimeoutMs = 5_000;

function explained(problem: string): string {
  if (/not a database|malformed/.test(problem)) return `${problem}; restore a backup, or name another path`;
  if (/readonly|read-only|unable to open/.test(problem))
    return `${problem}; let this user write there, or name another path`;
  return problem;
}
