import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { silentLog, systemClock } from '@weir/core';
import { openJournals } from '../../../packages/metadata/src/journal/index.ts';
import { journalContract } from '../../../packages/metadata/testing/journal-contract.ts';
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

  test('PostgreSQL: a watcher in another process hears of an append', async () => {
    const clusterId = randomUUID();
    const writing = open();
    const watching = open();
    const journal = writing.journal(clusterId);
    const { epoch } = await journal.acquireLease({ id: 'a', url: '' }, 3_000);
    // The subscription is up when a call on the same hub was answered; news from before may be missed.
    await watching.journal(clusterId).read(0, 1);
    let stop = () => {};
    const heard = new Promise<void>((resolve) => {
      stop = watching.journal(clusterId).watch(resolve);
    });
    let position = 0;
    let done = false;
    heard.then(() => {
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
}
