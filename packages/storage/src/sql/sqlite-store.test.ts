import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { sqlBucketRules } from '../../testing/sql-bucket-rules.ts';
import { createBucket, openStore } from '../open-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { scopedStore } from '../store/scoped-store.ts';
import { sqlStore } from './sql-store.ts';
import type { SqlitePlace } from './sql-url.ts';
import { createSqliteBucket } from './sqlite-schema.ts';
import { sqliteTables } from './sqlite-tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-bucket-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `bucket-${files++}.db`);

function newBucket(table = 'weir_bucket'): SqlitePlace {
  const place = { path: newPath(), table };
  createSqliteBucket(place);
  return place;
}

function openUrl(url: string): Promise<ObjectStore> {
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
  return openStore(url, { ...deps, environment: {} });
}

/** One store for all rules, each in a folder of its own: starting threads takes longer than the rules. */
const tables = sqliteTables(newBucket());
after(() => tables.close());
let folders = 0;
objectStoreContract('sqlite', {
  open: async () => ({ ...scopedStore(sqlStore(tables), `rule-${folders++}`), async close() {} }),
  manyObjects: 1100,
});

sqlBucketRules('sqlite', {
  open() {
    const place = newBucket('records');
    return {
      tables: sqliteTables(place),
      async countChunks() {
        using database = new DatabaseSync(place.path);
        return Number(database.prepare('SELECT count(*) AS count FROM records_chunks').get()!.count);
      },
    };
  },
});

test('sqlite: tables of another name in the same file are another bucket, beside tables of others', async () => {
  const path = newPath();
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA user_version = 3; CREATE TABLE journal_heads (x); INSERT INTO journal_heads VALUES (1)',
  );
  const urls = [`sqlite://${path}?prefix=a/folder`, `sqlite://${path}?table=other&prefix=a/folder`];
  for (const url of urls) await createBucket(url);
  const [one, two] = await Promise.all([openUrl(urls[0]!), openUrl(urls[1]!)]);
  await one.put('key', [Buffer.from('one')]);
  assert.equal(await two.head('key'), undefined);
  await two.put('key', [Buffer.from('second')]);
  assert.deepEqual({ ...(await one.head('key')), modifiedMs: 0 }, { key: 'key', bytes: 3, modifiedMs: 0 });
  assert.equal(database.prepare('SELECT key FROM weir_bucket_objects').get()!.key, 'a/folder/key');
  assert.equal(database.prepare('PRAGMA user_version').get()!.user_version, 3);
  database.close();
  await one.close();
  await two.close();
});

test('sqlite: a bucket that does not exist is missing until it is made, and opening does not make it', async () => {
  const directory = join(folder, 'not made yet');
  const url = `sqlite://${directory}/bucket.db`;
  const store = await openUrl(url);
  const isMissing = {
    kind: 'bucketMissing',
    message: /^\/[^\n]*bucket\.db: the file does not exist; create or mount/,
  };
  await assert.rejects(store.head('key'), isMissing);
  await assert.rejects(createBucket(url), {
    kind: 'invalid',
    message: /the directory of the file does not exist/,
  });
  mkdirSync(directory);
  await assert.rejects(store.put('key', []), isMissing);
  await createBucket(url);
  await createBucket(url);
  assert.equal(await store.head('key'), undefined);
  const other = await openUrl(`${url}?table=other`);
  await assert.rejects(other.head('key'), { kind: 'bucketMissing', message: /has no tables other_\*/ });
  await other.close();
  await store.close();
  await assert.rejects(store.head('key'), { kind: 'unavailable', message: /it was closed/ });
});

test('sqlite: a file that is no database is a mistake of the URL', async () => {
  const path = newPath();
  writeFileSync(path, 'a text file, and no database');
  const isForeign = { kind: 'invalid', message: /file is not a database/ };
  await assert.rejects(openUrl(`sqlite://${path}`), isForeign);
  await assert.rejects(createBucket(`sqlite://${path}`), isForeign);
});

test('sqlite: a bucket whose file was removed fails, and is not made again', async () => {
  const place = newBucket();
  const { path } = place;
  const store = sqlStore(sqliteTables(place));
  await store.put('key', [Buffer.from('x')]);
  renameSync(path, `${path}-away`);
  const isRemoved = { kind: 'bucketMissing', message: /the file was removed; put it back/ };
  await assert.rejects(store.put('other', [Buffer.from('y')]), isRemoved);
  await assert.rejects(store.head('key'), isRemoved);
  writeFileSync(path, '');
  await assert.rejects(store.head('key'), { kind: 'bucketMissing', message: /the file was replaced/ });
  renameSync(`${path}-away`, path);
  assert.equal((await store.head('key'))?.bytes, 1);
  await store.close();
});

const otherProcess = `(async () => {
  const { createBucket, openStore } = await import(process.argv[1]);
  const { Metrics, silentLog, systemClock, systemRandom } = await import(process.argv[2]);
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics(), environment: {} };
  await createBucket(process.argv[3]);
  const store = await openStore(process.argv[3], deps);
  const won = [];
  for (let number = 0; number < 40; number++) {
    if (await store.putIfAbsent('race/' + number, [Buffer.from('other')])) won.push(number);
    await store.put('other/' + number, [Buffer.alloc(number * 10_000, 'o')]);
  }
  const upload = await store.beginUpload('left');
  await upload.putPart(0, [Buffer.alloc(3_000_000)]);
  process.stdout.write(JSON.stringify(won));
  process.kill(process.pid, 'SIGKILL');
})()`;

test('sqlite: two processes share a file, and one that is killed leaves a listed upload', async () => {
  const path = newPath();
  const modules = [import.meta.resolve('../open-store.ts'), import.meta.resolve('@weir/core')];
  const argv = ['-e', otherProcess, ...modules, `sqlite://${path}`];
  const other = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  other.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = once(other, 'close');
  await createBucket(`sqlite://${path}`);
  const store = await openUrl(`sqlite://${path}`);
  const won: number[] = [];
  for (let number = 0; number < 40; number++) {
    if (await store.putIfAbsent(`race/${number}`, [Buffer.from('own')])) won.push(number);
    await store.put(`own/${number}`, [Buffer.alloc(number * 10_000, 'o')]);
  }
  await ended;
  const all = [...won, ...(JSON.parse(output) as number[])].sort((a, b) => a - b);
  assert.deepEqual(
    all,
    Array.from({ length: 40 }, (_, number) => number),
    'each key has one winner',
  );
  for (const number of all) {
    const expected = won.includes(number) ? 'own' : 'other';
    assert.equal(String(await store.getRange(`race/${number}`, 0, 10)), expected);
  }
  for (const name of ['own', 'other'])
    for (let number = 0; number < 40; number++)
      assert.equal((await store.head(`${name}/${number}`))?.bytes, number * 10_000);
  const { uploads } = await store.incompleteUploads!.list('');
  assert.deepEqual(
    uploads.map(({ key }) => key),
    ['left'],
  );
  await store.incompleteUploads!.abort(uploads[0]!);
  assert.deepEqual((await store.incompleteUploads!.list('')).uploads, []);
  await store.close();
});
