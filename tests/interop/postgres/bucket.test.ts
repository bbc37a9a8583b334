import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Log, Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ObjectStore, openStore } from '@weir/storage';
import { objectStoreContract } from '@weir/storage/testing';
import { Kafka, logLevel } from 'kafkajs';
import postgres from 'postgres';
import { storageLimits } from '../../../packages/storage/src/limits.ts';
import { postgresThread } from '../../../packages/storage/src/sql/postgres-thread.ts';
import { parsePostgresUrl } from '../../../packages/storage/src/sql/sql-url.ts';
import { scopedStore } from '../../../packages/storage/src/store/scoped-store.ts';
import { sqlBucketRules } from '../../../packages/storage/testing/sql-bucket-rules.ts';
import { recordsOf, storedTopic } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startCluster } from '../brokers/weir-process.ts';
import { startPostgres } from './server.ts';

/** Buckets in a real PostgreSQL. */
const server = await startPostgres();

if ('missing' in server) {
  test('PostgreSQL buckets', { skip: server.missing }, () => {});
} else {
  const sql = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => {} });
  after(async () => {
    await shared.close();
    await sql.end();
    await server.stop();
  });

  let buckets = 0;
  const newTable = () => `bucket_${buckets++}`;
  const open = (query: string, url = server.url, log: Log = silentLog): Promise<ObjectStore> =>
    openStore(`${url}?${query}`, {
      clock: systemClock,
      random: systemRandom,
      environment: {},
      log,
      metrics: new Metrics(),
    });

  // One store for all rules, each in a folder of its own: starting a thread takes longer than the rules.
  const shared = await open('prefix=contract');
  objectStoreContract('postgres', {
    open: async () => ({ ...scopedStore(shared, `rule-${buckets++}`), async close() {} }),
    manyObjects: 1100,
  });

  sqlBucketRules('postgres', {
    open() {
      const table = newTable();
      const place = parsePostgresUrl(new URL(`${server.url}?table=${table}`));
      return {
        tables: postgresThread(place, { log: silentLog }),
        async countChunks() {
          const [row] = await sql<
            { count: number }[]
          >`SELECT count(*)::int AS count FROM ${sql(`${table}_chunks`)}`;
          return row!.count;
        },
      };
    },
  });

  test('postgres: stores that start at the same time make the tables once, with few connections', async () => {
    const query = `table=${newTable()}`;
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(query)));
    await Promise.all(
      stores.flatMap((store, index) =>
        Array.from({ length: 20 }, (_, number) => store.put(`${index}/${number}`, [Buffer.from('x')])),
      ),
    );
    const [row] = await sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'weir bucket'`;
    assert.ok(row!.count <= stores.length * storageLimits.sqlConnectionsMax, `${row!.count} connections`);
    let found = 0;
    for await (const page of stores[0]!.list('')) found += page.length;
    assert.equal(found, 80);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('postgres: what was answered survives a crash of the server, and calls work again after it', async () => {
    // A server that is set up to answer before a commit is on disk.
    const database = `fast_${buckets++}`;
    await sql.unsafe(`CREATE DATABASE ${database}`);
    await sql.unsafe(`ALTER DATABASE ${database} SET synchronous_commit = off`);
    const store = await open('', server.url.replace(/[^/]*$/, database));
    const large = Buffer.alloc(3_500_000, 'large');
    await store.put('large', [large]);
    for (let number = 0; number < 10; number++) await store.put(`small/${number}`, [Buffer.from('x')]);
    await store.delete('small/0');
    await server.crash();
    for (let number = 1; number < 10; number++)
      assert.equal((await store.head(`small/${number}`))?.bytes, 1, `${number}`);
    assert.equal(await store.head('small/0'), undefined);
    assert.ok((await store.getRange('large', 0, 4_000_000)).equals(large));
    await store.put('after', [large]);
    assert.equal((await store.head('after'))?.bytes, large.length);
    await store.close();
  });

  test('postgres: errors have the kind that says what to do, and no password', async () => {
    const wrong: readonly [url: string, kind: string, message: RegExp][] = [
      [server.url.replace(/[^/]*$/, 'missing'), 'bucketMissing', /database "missing" does not exist/],
      [server.url.replace('weir@', 'stranger:hidden@'), 'denied', /role "stranger" does not exist/],
    ];
    for (const [url, kind, message] of wrong) {
      const store = await open('', url);
      await assert.rejects(store.put('key', []), (error: Error & { kind?: string }) => {
        assert.equal(error.kind, kind);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hidden|\n/);
        return true;
      });
      await store.close();
    }
    // A role that may not create tables cannot make a bucket, and may use one that exists.
    await sql`CREATE ROLE guest LOGIN`;
    const own = await open('table=made');
    await own.put('key', [Buffer.from('x')]);
    const guest = server.url.replace('weir@', 'guest@');
    const refused = await open('table=not_made', guest);
    await assert.rejects(refused.head('key'), {
      kind: 'denied',
      message: /permission denied for schema public/,
    });
    const unseen = await open('table=made', guest);
    await assert.rejects(unseen.head('key'), { kind: 'denied', message: /permission denied for table/ });
    await sql`GRANT SELECT, INSERT, UPDATE, DELETE ON made_objects, made_contents, made_chunks TO guest`;
    assert.equal((await unseen.head('key'))?.bytes, 1);
    await unseen.put('key', [Buffer.from('other')]);
    assert.equal((await own.head('key'))?.bytes, 5);
    for (const store of [own, refused, unseen]) await store.close();
  });

  test('postgres: a cluster has its metadata and its records in one database', {
    timeout: 120_000,
  }, async (t) => {
    const lifetime = lastFirst(t);
    const { agents } = await startCluster(lifetime, {
      agents: [{ zone: 'zone-a' }],
      controlPlanes: 1,
      databaseUrl: server.url,
      bucketUrl: `${server.url}?prefix=one`,
    });
    const address = agents[0]!.address('Kafka');
    await createTopic(address, 'records', 1);
    const kafka = new Kafka({ clientId: 'judge', brokers: [address], logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    const values = Array.from({ length: 30 }, (_, number) => `${number} ${'x'.repeat(100_000)}`);
    await producer.send({ topic: 'records', messages: values.map((value) => ({ value })) });
    await producer.disconnect();
    const [batches] = await storedTopic(address, 'records', values.length);
    assert.deepEqual(
      recordsOf(batches!).map(({ value }) => String(value)),
      values,
    );
    const [row] = await sql<{ bytes: number }[]>`
      SELECT sum(bytes)::int AS bytes FROM weir_bucket_objects WHERE starts_with(key, 'one/service/')`;
    assert.ok(row!.bytes > 0);
  });
}
