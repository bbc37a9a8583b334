import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { NewerFormat } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { DatabaseProblem } from '../accounts/database/database-problem.ts';
import { migrations } from '../accounts/database/migrations/index.ts';
import { checkDatabase, checkServer } from './check-database.ts';

function databaseIn(t: TestContext): { readonly path: string; readonly accounts: string } {
  const directory = mkdtempSync(join(tmpdir(), 'weir-check-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return { path: join(directory, 'weir.db'), accounts: join(directory, 'weir-accounts.db') };
}

function write(path: string, statements: string): void {
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; ${statements}`);
}

const refuses = (path: string, pattern: RegExp) =>
  assert.rejects(checkDatabase(path), (error) => {
    assert.ok(error instanceof DatabaseProblem, String(error));
    assert.match(error.message, pattern);
    return true;
  });

/** A database of accounts after this many migrations. */
const steps = (count: number) =>
  `CREATE TABLE weir_account_migrations (number integer, name text, applied_ms bigint);${Array.from(
    { length: count },
    (_, index) => `INSERT INTO weir_account_migrations VALUES (${index + 1}, 'step', 0)`,
  ).join(';')}`;

test('new, empty and own databases are accepted, and servers are not checked', async (t) => {
  const { path, accounts } = databaseIn(t);
  await checkDatabase(path);
  writeFileSync(path, '');
  await checkDatabase(path);
  write(path, 'CREATE TABLE journal_heads (cluster_id TEXT)');
  write(accounts, steps(migrations.length));
  await checkDatabase(path);
  await checkDatabase('memory://name');
  await checkDatabase('postgres://nowhere/none');
});

test('a database of a newer release is refused', async (t) => {
  const { path, accounts } = databaseIn(t);
  write(accounts, steps(migrations.length + 1));
  await refuses(path, /weir-accounts\.db: written by a newer release \(schema step \d+, .*restore a backup$/);
});

test('a journal of a newer release is refused in one line with both formats', async (t) => {
  const { path } = databaseIn(t);
  write(path, 'CREATE TABLE journal_heads (cluster_id TEXT); PRAGMA user_version = 11');
  await refuses(
    path,
    /^[^\n]*weir\.db: written by a newer release \(journal format 11, this release reads up to \d+\); start that release, or restore a backup$/,
  );
});

test('a server is retried until it answers, and refused if a newer release has written there', async () => {
  const answers = [new Error('away'), new Error('away'), new NewerFormat('journal format', 11, 1)];
  const clock = new HandClock();
  const hub = {
    check: async () => {
      // The pause that follows ends when the clock advances.
      void settle().then(() => clock.advance(1_000));
      throw answers.shift()!;
    },
  };
  const stop = new AbortController();
  await assert.rejects(checkServer(hub, { clock, log: silentLog, stop: stop.signal }), (error) => {
    assert.ok(error instanceof DatabaseProblem, String(error));
    assert.match(error.message, /^journal: PostgreSQL: written by a newer release \(journal format 11, /);
    return true;
  });
  assert.equal(answers.length, 0);
  stop.abort(new Error('stopped'));
  await assert.rejects(checkServer(hub, { clock, log: silentLog, stop: stop.signal }), /stopped/);
});

test('a damaged file, a foreign one and a directory are refused', async (t) => {
  const { path, accounts } = databaseIn(t);
  writeFileSync(path, Buffer.alloc(8192, 7));
  await refuses(path, /weir\.db: file is not a database; restore a backup/);
  rmSync(path);
  write(path, 'CREATE TABLE contacts (name TEXT)');
  await refuses(path, /weir\.db: a database of another program/);
  rmSync(path);
  writeFileSync(accounts, Buffer.alloc(8192, 7));
  await refuses(path, /weir-accounts\.db: file is not a database/);
  await refuses(
    join(accounts, 'below', 'x.db'),
    /x\.db: failed to make its directory \(ENOTDIR\); name another path/,
  );
  await refuses('/proc/none/x.db', /^\/proc\/none\/x\.db: failed to make its directory \(E[A-Z]+\); name/);
  mkdirSync(path);
  await refuses(path, /weir\.db: unable to open database file; let this user write there/);
});
