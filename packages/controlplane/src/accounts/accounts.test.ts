import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accountsContract } from '../../testing/accounts-contract.ts';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { openAccounts } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-accounts-'));
after(() => rmSync(folder, { recursive: true }));

accountsContract('memory', () => `memory://${randomUUID()}`);
accountsContract('SQLite', () => join(folder, randomUUID(), 'weir.db'));

test('accounts: a URL that is not a database is refused', async () => {
  // biome-ignore format: a table
  const urls: [url: string, problem: RegExp][] = [
    ['memory:x',       /a database in memory is memory:\/\/name/],
    ['mysql://host/x', /no database speaks mysql:\/\//],
    [folder,           /unable to open database file/],
  ];
  for (const [url, problem] of urls) await assert.rejects(openAccounts(url, accountsDeps()), problem);
});

test('accounts: calls after close are refused', async () => {
  const database = await openAccounts(join(folder, 'closed.db'), accountsDeps());
  await database.close();
  await assert.rejects(database.accounts.list(), /destroyed/);
});
