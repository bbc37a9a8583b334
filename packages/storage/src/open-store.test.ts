import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Metrics, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { faultyStore } from '../testing/faulty-store.ts';
import { latencyStore, logNormalLatency } from '../testing/latency-store.ts';
import { emptyMemoryStore } from '../testing/memory.ts';
import { objectStoreContract } from '../testing/object-store-contract.ts';
import { bucketPlace, isWithinBucket } from './bucket-place.ts';
import { createBucket, openStore, type StoreDeps, withPatience } from './open-store.ts';
import type { ObjectStore } from './store/object-store.ts';

const deps = () => ({
  clock: systemClock,
  random: systemRandom,
  environment: {},
  log: silentLog,
  metrics: new Metrics(),
});

const home = await mkdtemp(join(tmpdir(), 'weir-open-store-'));
after(() => rm(home, { recursive: true, force: true }));
let opened = 0;

async function newFileBucket(name: string, query = '', more: Partial<StoreDeps> = {}): Promise<ObjectStore> {
  const url = `${pathToFileURL(join(home, name))}${query}`;
  await createBucket(url);
  return await openStore(url, { ...deps(), ...more });
}

objectStoreContract('mem:// with a prefix', {
  open: () => openStore(`mem://contract-${opened++}?prefix=folder/below`, deps()),
  hasVersions: true,
});
objectStoreContract('file:// with a prefix', {
  open: () => newFileBucket(`a b ${opened++}`, '?prefix=folder/'),
  openMissing: () => openStore(`${pathToFileURL(join(home, 'missing'))}?prefix=folder/`, deps()),
  manyObjects: 10,
  hasVersions: true,
});
objectStoreContract('decorated as a remote one', {
  open: async () => withPatience(emptyMemoryStore(), { ...deps(), name: 'test', isRemote: true }),
  hasVersions: true,
});

let wrapped = 0;
for (const scheme of ['service_multi', 'service_stripe'])
  objectStoreContract(`${scheme}:// with all decorators`, {
    open() {
      const urls = ['a', 'b', 'c'].map((name) => `mem://${scheme}-${wrapped}-${name}?prefix=folder`);
      wrapped++;
      return openStore(`${scheme}://${urls.join('<>')}`, deps());
    },
    manyObjects: 10,
  });

test('each bucket behind a wrapper has requests, breaker and name of its own', async () => {
  const reported = new Set<string>();
  const metrics = new Metrics();
  const onRequest = (bucket: string) => void reported.add(bucket);
  const store = await openStore('service_multi://mem://own-a?prefix=x<>mem://own-a?prefix=y', {
    ...deps(),
    metrics,
    onRequest,
  });
  await store.put('key', [Buffer.from('x')]);
  assert.deepEqual([...reported].sort(), ['mem://own-a?prefix=x', 'mem://own-a?prefix=y']);
  for (const name of reported)
    assert.ok(metrics.render().includes(`circuit_breaker_state_set{name="${name}"`));
  await store.close();
});

test('a stripe finds objects of buckets that were taken out of its list', async () => {
  const before = await openStore('service_stripe://mem://out-a<>mem://out-b<>mem://out-c', deps());
  const keys = Array.from({ length: 30 }, (_, n) => `key/${n}`);
  for (const key of keys) await before.put(key, [Buffer.from(key)]);
  const after = await openStore('service_stripe://mem://out-c<>mem://out-d', {
    ...deps(),
    retiredBucketUrls: ['mem://out-a', 'mem://out-b', 'mem://out-c'],
  });
  for (const key of keys) assert.equal(String(await after.getRange(key, 0, 99)), key);
});

test('a stripe goes on writing when the directory of one of its buckets is gone', async () => {
  const [gone, there] = ['gone', 'there'].map((name) => join(home, `stripe-${name}`));
  const url = `service_stripe://${pathToFileURL(gone!)}<>${pathToFileURL(there!)}`;
  await createBucket(url);
  const store = await openStore(url, deps());
  await rm(gone!, { recursive: true });
  const keys = Array.from({ length: 30 }, (_, n) => `key/${n}`);
  for (const key of keys) await store.put(key, [Buffer.from(key)]);
  for (const key of keys) assert.equal(String(await store.getRange(key, 0, 99)), key);
  await store.close();
});

test('a wrapper is within what all of its buckets are within', () => {
  const isWithin = (inner: string, outer: string) => isWithinBucket(bucketPlace(inner), bucketPlace(outer));
  const multi = 'service_multi://s3://one?prefix=x<>s3://two';
  assert.ok(isWithin(multi, multi));
  assert.ok(isWithin('s3://one?prefix=x/y', multi));
  assert.ok(!isWithin('s3://one', multi));
  assert.ok(!isWithin(multi, 's3://two'));
  assert.ok(isWithin('service_multi://s3://two?prefix=1<>s3://two?prefix=2', 's3://two'));
  assert.ok(isWithin(multi, 'service_stripe://s3://one<>s3://two'));
});

test('a prefix is a folder, and invisible to callers', async () => {
  const whole = await openStore('mem://prefixed', deps());
  const below = await openStore('mem://prefixed?prefix=a', deps());
  await below.put('key', [Buffer.from('x')]);
  await whole.put('ab/key', [Buffer.from('xy')]);
  assert.deepEqual(await below.head('key').then((info) => info?.key), 'key');
  assert.equal((await whole.head('a/key'))?.bytes, 1);
  for await (const page of below.list(''))
    assert.deepEqual(
      page.map(({ key }) => key),
      ['key'],
    );
});

test('the request callback receives the URL of the bucket, without possible secrets', async () => {
  const reported: string[] = [];
  const onRequest = (bucket: string) => void reported.push(bucket);
  const below = await openStore('mem://user:secret@records/deep?prefix=a/b', { ...deps(), onRequest });
  const files = await newFileBucket('named', '', { onRequest });
  await below.put('key', [Buffer.from('x')]);
  await files.put('key', [Buffer.from('x')]);
  assert.deepEqual(reported, ['mem://records/deep?prefix=a/b', `file://${join(home, 'named')}`]);
});

const refused: readonly [url: string, problem: RegExp][] = [
  ['gs://bucket', /gs:\/\/bucket: no credentials: GOOGLE_APPLICATION_CREDENTIALS names no file/],
  ['gs://bucket/folder', /prefix=/],
  ['service_multi://mem://a', /service_multi:\/\/: 2 to 32 buckets separated by <> are needed/],
  [`service_stripe://${Array.from({ length: 33 }, (_, n) => `mem://b${n}`).join('<>')}`, /2 to 32 buckets/],
  ['service_multi://mem://a<>mem://a', /service_multi:\/\/: bucket 1 is inside bucket 2/],
  ['service_stripe://mem://a<>mem://b<>mem://a?prefix=x', /bucket 3 is inside bucket 1/],
  ['service_stripe://mem://a<>service_multi://mem://b<>mem://c', /a wrapper may not hold another wrapper/],
  ['service_multi://mem://a<>ftp://b', /one of mem:\/\//],
  ['ftp://host', /one of mem:\/\/, file:\/\/, s3:\/\/, gs:\/\/, azblob:\/\/, .* is needed/],
  ['bucket', /one of mem:\/\//],
  ['toString://x', /one of mem:\/\//],
  ['mem://', /a name is needed/],
  ['mem://x?prefix=../y', /segment of a key/],
  ['mem://x?prefix=/y', /segment of a key/],
  ['file://host/path', /absolute path/],
  ['file:///', /absolute path/],
  ['sqlite://host/x.db', /sqlite:\/\/\/ and the absolute path of a file is needed/],
  ['sqlite:///', /absolute path of a file/],
  ['sqlite:///tmp/', /absolute path of a file/],
  ['sqlite:///tmp/a%2fb', /without encoded slashes/],
  ['file:///tmp/x?prefxi=a', /unknown parameter "prefxi"; use prefix/],
  ['mem://x?region=a', /unknown parameter "region"; use prefix/],
  ['sqlite:///tmp/x.db?mode=ro', /no parameter "mode"; use prefix, table/],
  ['sqlite:///tmp/x.db?table=a;b', /table is up to 40 lower-case letters/],
  ['postgres:///db', /a name is needed/],
  ['postgres://host', /name of a database is needed/],
  ['postgres://host/a/b', /name of a database is needed/],
  ['postgres://a,b/db', /one host is needed/],
  ['postgres://host/db?user=x', /no parameter "user"; use prefix, table, sslmode/],
  ['postgres://host/db?sslmode=maybe', /sslmode is one of disable, prefer, require, verify-full/],
  ['postgresql://host/db?table=UPPER', /table is up to 40 lower-case letters/],
  ['s3://bucket/folder', /prefix=/],
  ['s3://bucket?assumeRoleARN=x', /assumeRoleARN= is like arn:/],
  ['s3://bucket?assumeRoleDurationMinutes=60', /needs assumeRoleARN=/],
  ['s3://bucket?acl=private', /unknown parameter acl; use one of region, /],
  ['s3://bucket?disableSSL=yes', /disableSSL= must be true or false/],
  ['s3://UPPER_case', /bucket name/],
  ['azblob://container', /no storage account: set storage_account= in the URL, or AZURE_STORAGE_ACCOUNT/],
  ['azblob://container?storage_account=records', /no credentials for the storage account records/],
  ['s3://name--x-s3', /like name--use1-az4--x-s3/],
];

for (const [url, problem] of refused) {
  test(`${url} is rejected`, async () => {
    await assert.rejects(openStore(url, deps()), problem);
  });
}

test('under faults of every kind, the guarantees of the store hold', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const clock = new HandClock();
    const random = seededRandom(seed);
    const inner = emptyMemoryStore();
    const slow = latencyStore(inner, {
      clock,
      random,
      latencyMs: logNormalLatency({ medianMs: 20, tail: 10 }),
    });
    const faulty = faultyStore(
      slow,
      { failBefore: 0.1, failAfter: 0.1, slow: 0.02, slowMs: 60_000 },
      { clock, random },
    );
    const options = { clock, random, log: silentLog, metrics: new Metrics(), name: 'test', isRemote: true };
    const store = withPatience(faulty, options);

    const stored = new Map<string, string>();
    async function write(i: number): Promise<void> {
      const key = `key/${i % 50}`;
      const text = `content of ${i % 50}`;
      await store.put(key, [Buffer.from(text)]);
      stored.set(key, text);
    }
    await clock.until(Promise.allSettled(Array.from({ length: 100 }, (_, i) => write(i))));
    assert.ok(stored.size > 45, `${stored.size} of 50`);
    for (const [key, text] of stored) {
      assert.equal(String(await inner.getRange(key, 0, 99)), text);
      assert.equal(String(await clock.until(store.getRange(key, 0, 99))), text);
    }
    assert.equal(clock.waiting, 0, 'no timer is left');
  }
});
