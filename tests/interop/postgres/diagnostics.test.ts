import { after, test } from 'node:test';
import postgres from 'postgres';
import { openDatabase } from '../../../packages/controlplane/src/accounts/database/open-database.ts';
import { SqlDiagnosticsStore } from '../../../packages/controlplane/src/accounts/sql-diagnostics-store.ts';
import { accountsDeps } from '../../../packages/controlplane/testing/accounts-deps.ts';
import { diagnosticsStoreContract } from '../../../packages/diagnostics/testing/diagnostics-store-contract.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

if ('missing' in server) {
  test('PostgreSQL diagnostics', { skip: server.missing }, () => {});
} else {
  const administrator = postgres(server.url, { max: 1, onnotice: () => {} });
  const opened: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of opened) await close();
    await administrator.end();
    await server.stop();
  });

  diagnosticsStoreContract('PostgreSQL', async () => {
    const name = `diagnostics_${opened.length}`;
    await administrator.unsafe(`CREATE DATABASE ${name}`);
    const url = server.url.replace(/\/postgres$/, `/${name}`);
    const { database, close } = await openDatabase(url, accountsDeps());
    opened.push(close);
    return new SqlDiagnosticsStore(database);
  });
}
