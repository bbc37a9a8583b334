import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { NewerFormat } from '@weir/cluster';
import { type Clock, type Log, pauseUnlessStopped } from '@weir/core';
import {
  checkJournalFile,
  EntriesInSegments,
  type JournalHub,
  makeDirectory,
  type SegmentedJournals,
  SegmentsUnusable,
} from '@weir/journal';
import { openSqlite } from '@weir/sql/sqlite-file';
import { DatabaseProblem } from '../accounts/database/database-problem.ts';
import { accountsUrlOf } from './accounts-url.ts';

/** A table that every release has created, by file. */
const journalTable = 'journal_heads';
const accountsTable = 'weir_account_migrations';

/**
 * Refuses unusable SQLite files: damaged ones, those of other programs and of newer releases. It runs before anything
 * is opened, because everything else waits for an unavailable database to come back, which these never do.
 */
export async function checkDatabase(
  databaseUrl: string,
  options: { readonly hasSegments?: boolean } = {},
): Promise<void> {
  if (/^[a-z]+:/i.test(databaseUrl)) return;
  makeDirectoryOf(databaseUrl);
  if (checkFile(databaseUrl, journalTable) !== undefined) checkJournal(databaseUrl, options);
  const accounts = accountsUrlOf(databaseUrl);
  const steps = checkFile(accounts, accountsTable);
  if (steps === undefined) return;
  const { migrations } = await import('../accounts/database/migrations/index.ts');
  if (steps > migrations.length)
    throw new DatabaseProblem(
      `${accounts}: written by a newer release (schema step ${steps}, this release knows ${migrations.length}); ` +
        'start that release, or restore a backup',
    );
}

function makeDirectoryOf(path: string): void {
  try {
    makeDirectory(dirname(path));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new DatabaseProblem(`${path}: failed to make its directory (${code}); name another path`, {
      cause: error,
    });
  }
}

function checkJournal(path: string, options: { readonly hasSegments?: boolean }): void {
  try {
    checkJournalFile(path, options);
  } catch (error) {
    if (error instanceof NewerFormat || error instanceof EntriesInSegments)
      throw new DatabaseProblem(`${path}: ${error.message}`);
    throw new DatabaseProblem(`${path}: ${explained(error)}`, { cause: error });
  }
}

/**
 * The same for journals on a server: it retries until the server answers, and then refuses if a newer release has
 * written there.
 */
export async function checkServer(
  hub: Pick<JournalHub, 'check'>,
  { clock, log, stop }: { readonly clock: Clock; readonly log: Log; readonly stop: AbortSignal },
): Promise<void> {
  for (;;) {
    stop.throwIfAborted();
    try {
      return await hub.check();
    } catch (error) {
      const { message: problem } = error as Error;
      if (error instanceof NewerFormat) throw new DatabaseProblem(`journal: PostgreSQL: ${problem}`);
      log.warn('failed to reach database, retrying', { error: problem });
    }
    await pauseUnlessStopped(clock, retryMs, stop);
  }
}

/** Brings the entries of a process that crashed into the database, or fails with one line. */
export async function recovering(path: string, segments: SegmentedJournals): Promise<void> {
  try {
    await segments.recover();
  } catch (error) {
    if (!(error instanceof SegmentsUnusable)) throw error;
    throw new DatabaseProblem(`${path}: ${error.message}`, { cause: error });
  }
}

/** The delay before retrying an unreachable server. */
const retryMs = 1_000;

/** Returns the number of rows in the table; `undefined` if the file is missing or empty. */
function checkFile(path: string, table: string): number | undefined {
  if (!existsSync(path)) return undefined;
  try {
    using database = openSqlite(path);
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    if (names.length === 0) return undefined;
    if (!names.includes(table))
      throw new DatabaseProblem(`${path}: a database of another program; name another path`);
    // A process that crashed while writing leaves a log that is applied now, which needs write access.
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()!.count);
  } catch (error) {
    if (error instanceof DatabaseProblem) throw error;
    throw new DatabaseProblem(`${path}: ${explained(error)}`, { cause: error });
  }
}

/** Primary result codes of SQLite; the upper bits of an extended code have details. */
const sqliteCodes = { readOnly: 8, corrupt: 11, cannotOpen: 14, notADatabase: 26 } as const;

function explained(error: unknown): string {
  const { message, errcode } = error as Error & { readonly errcode?: number };
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case sqliteCodes.corrupt:
    case sqliteCodes.notADatabase:
      return `${message}; restore a backup, or name another path`;
    case sqliteCodes.readOnly:
    case sqliteCodes.cannotOpen:
      return `${message}; let this user write there, or name another path`;
    default:
      return message;
  }
}
