import assert from 'node:assert/strict';
import { migrations } from '../../src/accounts/database/migrations/index.ts';
import { openDatabase } from '../../src/accounts/database/open-database.ts';
import { openAccounts } from '../../src/accounts/open.ts';
import { accountsDeps } from '../accounts-deps.ts';
import type { Stage } from './stage.ts';

/** Migrations of the schema. */
export function schemaContract({ contract }: Stage): void {
  contract('processes that start concurrently create the schema once', async ({ url, accounts }) => {
    await accounts.create('Example');
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, seed) => openAccounts(url, accountsDeps(seed))),
    );
    for (const other of others) {
      assert.equal((await other.accounts.list()).length, 1);
      await other.close();
    }
  });

  for (const [what, row, expected] of [
    [
      'a newer release has changed',
      { number: migrations.length + 1, name: 'more', applied_ms: 0 },
      /a newer release has used it/,
    ],
    ['another program has made', { number: 1, name: 'other', applied_ms: 0 }, /made by another program/],
  ] as const) {
    contract(`a database that ${what} is refused`, async ({ url, deps }) => {
      const { database, close } = await openDatabase(url, deps);
      if (row.number === 1) await database.deleteFrom('weir_account_migrations').execute();
      await database.insertInto('weir_account_migrations').values(row).execute();
      await assert.rejects(openAccounts(url, deps), expected);
      await close();
    });
  }
}
