import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { silentLog, systemClock } from '@weir/core';
import postgres from 'postgres';
import { openJournals } from '../../../packages/journal/src/index.ts';
import { journalContract } from '../../../packages/journal/testing/journal-contract.ts';
import { regionsContract } from '../../../packages/journal/testing/regions-contract.ts';
import { failoverOverRealTime } from '../../../packages/metadata/testing/real-failover.ts';
import { sharingOverRealTime } from '../../../packages/metadata/testing/real-sharing.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();

if ('missing' in server) {
  test('PostgreSQL journals', { skip: server.missing }, () => {});
} else {
  after(() => server.stop());
  const open = (clock = systemClock) => openJournals(server.url, { clock, log: silentLog });

  journalContract('PostgreSQL', open);
  regionsContract('PostgreSQL', open);

  test('PostgreSQL: members of an earlier release stay, and it can announce itself beside this one', async () => {
    const sql = postgres(server.url, { max: 1, fetch_types: false });
    await sql`CREATE DATABASE earlier`;
    const url = server.url.replace(/[^/]*$/, 'earlier');
    const earlier = postgres(url, { max: 1, fetch_types: false });
    await earlier`CREATE TABLE weir_journal_members (id text PRIMARY KEY, url text NOT NULL, beat bigint NOT NULL)`;
    const announce = () =>
      earlier`INSERT INTO weir_journal_members VALUES ('old', 'http://old', 1)
        ON CONFLICT (id) DO UPDATE SET url = excluded.url, beat = weir_journal_members.beat + 1`;
    await announce();
    const hub = openJournals(url, { clock: systemClock, log: silentLog });
    const member = { id: 'new', url: 'http://new', region: 'us-east-1' };
    await hub.announce(member);
    await announce();
    assert.deepEqual(await hub.members(), [member, { id: 'old', url: 'http://old' }]);
    await hub.close();
    await earlier.end();
    await sql.end();
  });

  test('PostgreSQL: a watcher in another process hears of an append', async () => {
    const clusterId = randomUUID();
    const writing = open();
    const watching = open();
    const journal = writing.journal(clusterId);
    const { epoch } = await journal.acquireLease({ id: 'a', url: '' }, 3_000);
    // The subscription is active once another call on the same hub was answered; earlier notifications may be missed.
    await watching.journal(clusterId).read(0, 1);
    let stop = () => {};
    const notified = new Promise<void>((resolve) => {
      stop = watching.journal(clusterId).watch(resolve);
    });
    let position = 0;
    let done = false;
    notified.then(() => {
      done = true;
    });
    while (!done) {
      await journal.append(epoch!, position++, [Buffer.from('news')]);
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
    }
    stop();
    await writing.close();
    await watching.close();
  });

  test('PostgreSQL: all connections are open before several are needed at once', async () => {
    const sql = postgres(server.url, { max: 1, fetch_types: false });
    await sql`CREATE DATABASE connections`;
    const hub = openJournals(server.url.replace(/[^/]*$/, 'connections'), {
      clock: systemClock,
      log: silentLog,
    });
    await hub.journal(randomUUID()).read(0, 1);
    for (let count = 0; count < 4; ) {
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
      const [row] = await sql<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = 'connections'`;
      count = row!.count;
    }
    await hub.close();
    await sql.end();
  });

  test('PostgreSQL: what was appended survives a crash of the server, and calls work again after it', async () => {
    const clusterId = randomUUID();
    const hub = open();
    const journal = hub.journal(clusterId);
    const { epoch } = await journal.acquireLease({ id: 'a', url: '' }, 3_000);
    await journal.append(epoch!, 0, [Buffer.from('kept')]);
    await server.crash();
    for (let attempt = 0; ; attempt++) {
      try {
        await journal.append(epoch!, 1, [Buffer.from('and on')]);
        break;
      } catch (error) {
        assert.ok(attempt < 50, String(error));
        await new Promise<void>((resolve) => systemClock.after(50, resolve));
      }
    }
    assert.deepEqual((await journal.read(0, 10)).map(String), ['kept', 'and on']);
    await hub.close();
  });

  test('PostgreSQL: a standby goes on where a leader was killed', () => failoverOverRealTime(open));

  test('PostgreSQL: two processes share clusters, and one takes over from the other', () =>
    sharingOverRealTime(open));

  test('PostgreSQL: processes that start together make the schema once', async () => {
    const hubs = Array.from({ length: 6 }, () => open());
    await Promise.all(hubs.map((hub) => hub.journal('c').read(0, 1)));
    await Promise.all(hubs.map((hub) => hub.close()));
  });

  test('PostgreSQL: journals of a newer release are refused with both formats, and are not touched', async () => {
    const first = open();
    await first.check();
    await first.close();
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    const [own] = await sql`SELECT format FROM weir_journal_format`;
    assert.ok(own!.format > 0);
    try {
      await sql`UPDATE weir_journal_format SET format = 11`;
      await sql`ALTER TABLE weir_journal_notes RENAME TO of_a_newer_release`;
      const hub = open();
      const expected = {
        name: 'NewerFormat',
        message: /^written by a newer release \(journal format 11, this release reads up to \d+\)/,
      };
      await assert.rejects(hub.check(), expected);
      await assert.rejects(hub.journal('c').read(0, 1), expected);
      await hub.close();
      const [made] = await sql`SELECT to_regclass('weir_journal_notes') AS name`;
      assert.equal(made!.name, null);
    } finally {
      await sql`UPDATE weir_journal_format SET format = ${own!.format}`;
      await sql`ALTER TABLE of_a_newer_release RENAME TO weir_journal_notes`;
      await sql.end();
    }
  });
}
