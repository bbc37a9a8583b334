import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import postgres from 'postgres';
import { openDatabase } from '../../../packages/controlplane/src/accounts/database/open-database.ts';
import { openAccounts } from '../../../packages/controlplane/src/accounts/open.ts';
import { accountsContract } from '../../../packages/controlplane/testing/accounts-contract.ts';
import { accountsDeps } from '../../../packages/controlplane/testing/accounts-deps.ts';
import { signInContract } from '../../../packages/controlplane/testing/sign-in-contract.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

if ('missing' in server) {
  test('PostgreSQL accounts', { skip: server.missing }, () => {});
} else {
  let databases = 0;
  const administrator = postgres(server.url, { max: 1, onnotice: () => {} });
  after(async () => {
    await administrator.end();
    await server.stop();
  });
  const fresh = async () => {
    const name = `accounts_${databases++}`;
    await administrator.unsafe(`CREATE DATABASE ${name}`);
    return server.url.replace(/\/postgres$/, `/${name}`);
  };

  // First, because a server with many databases takes long to recover.
  test('PostgreSQL: it goes on after a crash of the server', async () => {
    const url = await fresh();
    const accounts = await openAccounts(url, { ...accountsDeps(), clock: systemClock });
    await accounts.accounts.create('Kept');
    await server.crash();
    for (let attempt = 0; ; attempt++) {
      try {
        await accounts.accounts.create('And on');
        break;
      } catch (error) {
        assert.ok(attempt < 50, String(error));
        await new Promise<void>((resolve) => systemClock.after(50, resolve));
      }
    }
    assert.deepEqual((await accounts.accounts.list()).map(({ name }) => name).sort(), ['And on', 'Kept']);
    await accounts.close();
  });

  accountsContract('PostgreSQL', fresh);
  signInContract('PostgreSQL', fresh);

  test('PostgreSQL: processes that start together on an empty database make the schema once', async () => {
    const url = await fresh();
    const opened = await Promise.all(
      Array.from({ length: 6 }, (_, seed) => openAccounts(url, accountsDeps(seed))),
    );
    for (const one of opened) {
      assert.deepEqual(await one.accounts.list(), []);
      await one.close();
    }
  });

  test('PostgreSQL: a transaction that loses its connection does nothing more, and the next ones work', async () => {
    const url = await fresh();
    const deps = { ...accountsDeps(), clock: systemClock };
    const { database, close } = await openDatabase(url, deps);
    const account = (id: string) => ({ id, name: id, created_ms: 0, revision: 0 });
    const insert = (where: typeof database, id: string) =>
      where.insertInto('weir_accounts').values(account(id)).execute();
    const kill = (pid: number) => administrator`SELECT pg_terminate_backend(${pid}, 5000)`;
    const pidOf = async (where: typeof database) => {
      const { rows } = await where.executeQuery<{ pid: number }>({
        ...where.selectNoFrom((row) => row.lit(1).as('one')).compile(),
        sql: 'SELECT pg_backend_pid() AS pid',
      });
      return rows[0]!.pid;
    };
    for (let round = 0; round < 20; round++) {
      await assert.rejects(
        database.transaction().execute(async (transaction) => {
          await insert(transaction, `lost_${round}`);
          const pid = await pidOf(transaction);
          // Either while a query is in flight, or while the connection is idle.
          if (round % 2 === 0) await Promise.all([kill(pid), insert(transaction, `also_lost_${round}`)]);
          else await kill(pid);
          await insert(transaction, `late_${round}`).catch(() => {});
          await insert(transaction, `later_${round}`);
        }),
        /^Error: accounts: PostgreSQL: /,
      );
      await database.transaction().execute((transaction) => insert(transaction, `kept_${round}`));
    }
    const remaining = await database.selectFrom('weir_accounts').select('id').orderBy('id').execute();
    assert.deepEqual(
      remaining.map(({ id }) => id).sort(),
      Array.from({ length: 20 }, (_, round) => `kept_${round}`).sort(),
    );
    await close();
  });

  test('PostgreSQL: an error does not carry the values of its statement', async () => {
    const url = await fresh();
    const { database, close } = await openDatabase(url, accountsDeps());
    const row = { id: 'one-that-is-secret', name: 'x', created_ms: 0, revision: 0 };
    const insert = () => database.insertInto('weir_accounts').values(row).execute();
    await insert();
    await assert.rejects(insert(), (error: Error) => {
      assert.match(error.message, /duplicate key/);
      assert.equal(error.cause, undefined);
      return !JSON.stringify(
        Object.getOwnPropertyNames(error).map((name) => error[name as 'message']),
      ).includes(row.id);
    });
    await close();
  });
}
