import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { type TestBucket, testBuckets } from '../../testing/sub-buckets.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import { rendezvous } from './rendezvous.ts';
import { openStripeStore } from './stripe-store.ts';

const deps = { clock: systemClock, log: silentLog };

for (const count of [2, 5])
  objectStoreContract(`service_stripe:// of ${count}`, {
    open: async () => openStripeStore(testBuckets(count), deps),
    manyObjects: count === 2 ? 2100 : 50,
  });

const content = (text: string) => [Buffer.from(text)];
const keys = Array.from({ length: 200 }, (_, n) => `key/${n}`);

async function keysOf(store: ObjectStore): Promise<string[]> {
  return (await Array.fromAsync(store.list(''))).flat().map(({ key }) => key);
}

/** By bucket, the keys that it has. */
async function spread(buckets: readonly TestBucket[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, inner } of buckets) for (const key of await keysOf(inner)) found.set(key, name);
  return found;
}

test('objects are stored once, spread over all buckets', async () => {
  const buckets = testBuckets(5);
  const store = openStripeStore(buckets, deps);
  for (const key of keys) await store.put(key, content(key));
  const counts = await Promise.all(buckets.map(async ({ inner }) => (await keysOf(inner)).length));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    keys.length,
  );
  for (const count of counts) assert.ok(count > 20 && count < 70, counts.join(' '));
});

test('the bucket of a key is part of the format', () => {
  const rank = rendezvous(['s3://a', 's3://b', 's3://c']);
  assert.deepEqual(
    ['one', 'two', 'three', 'service/vci_x/00/0123'].map((key) => rank(key).join('')),
    ['120', '102', '021', '120'],
  );
});

test('the order of the list does not matter, and a new bucket takes keys from all others only', () => {
  const names = ['a', 'b', 'c', 'd'];
  const target = (of: readonly string[], key: string) => of[rendezvous(of)(key)[0]!]!;
  for (const key of keys) {
    const before = target(names, key);
    assert.equal(target([...names].reverse(), key), before);
    const after = target([...names, 'e'], key);
    assert.ok(after === before || after === 'e');
  }
});

test('while the breaker of a bucket is open its objects go to others, and all are readable', async () => {
  const buckets = testBuckets(3);
  const store = openStripeStore(buckets, deps);
  const [sick] = buckets;
  sick!.setRefusing(true);
  sick!.setOut(true);
  for (const key of keys) await store.put(key, content(key));
  for (const key of keys) assert.equal(String(await store.getRange(key, 0, 99)), key);
  const upload = await store.beginUpload('upload');
  await upload.putPart(0, content('x'));
  await upload.finish(1);
  sick!.setRefusing(false);
  sick!.setOut(false);
  for (const key of keys) assert.equal((await store.head(key))?.bytes, key.length);
  assert.deepEqual(await keysOf(sick!.inner), []);
  assert.deepEqual(await store.deleteMany(keys), []);
  assert.deepEqual(await keysOf(store), ['upload']);
});

test('a put whose bucket opens its breaker meanwhile goes to another', async () => {
  const clock = new HandClock();
  const buckets = testBuckets(2, { clock });
  const store = openStripeStore(buckets, { ...deps, clock });
  for (const bucket of buckets) bucket.store.faults = { slow: 1, slowMs: 1_000 };
  const put = store.put('key', content('x'));
  await clock.pass(500);
  const target = buckets[rendezvous(buckets.map(({ name }) => name))('key')[0]!]!;
  target.setOut(true);
  target.setRefusing(true);
  await clock.until(put);
  assert.deepEqual(await keysOf(target.inner), []);
  assert.equal(String(await clock.until(store.getRange('key', 0, 9))), 'x');
});

for (const kind of ['bucketMissing', 'denied', 'full'] as const) {
  test(`a bucket whose writes fail with ${kind} is left out, and tried again later`, async () => {
    const clock = new HandClock();
    const buckets = testBuckets(3, { clock });
    const store = openStripeStore(buckets, { ...deps, clock });
    const [sick] = buckets;
    let writes = 0;
    const { put } = sick!.store;
    sick!.store.put = (...args) => {
      writes++;
      return put(...args);
    };
    sick!.store.faults = { failBefore: 1, kind };
    for (const key of keys) await store.put(key, content(key));
    assert.equal(writes, 1);
    await clock.pass(10_000);
    for (const key of keys) await store.put(`later/${key}`, content(key));
    assert.equal(writes, 2);
    assert.deepEqual(await keysOf(sick!.inner), []);

    sick!.store.faults = {};
    await clock.pass(10_000);
    for (const key of keys) await store.put(`again/${key}`, content(key));
    const there = await keysOf(sick!.inner);
    assert.ok(there.length > 20 && there.every((key) => key.startsWith('again/')), there.join(' '));
    for (const key of keys) assert.equal(String(await store.getRange(key, 0, 99)), key);
  });
}

test('a part that is refused sends the next upload to another bucket', async () => {
  const buckets = testBuckets(2);
  const store = openStripeStore(buckets, deps);
  const target = buckets[rendezvous(buckets.map(({ name }) => name))('key')[0]!]!;
  const refused = await store.beginUpload('key');
  target.store.faults = { failBefore: 1, kind: 'full' };
  await assert.rejects(refused.putPart(0, content('x')), { kind: 'full' });
  const upload = await store.beginUpload('key');
  await upload.putPart(0, content('x'));
  await upload.finish(1);
  assert.equal(String(await store.getRange('key', 0, 9)), 'x');
});

test('a put that all buckets refuse says why the first did', async () => {
  const buckets = testBuckets(2);
  const store = openStripeStore(buckets, deps);
  const [first, second] = rendezvous(buckets.map(({ name }) => name))('key').map((index) => buckets[index]!);
  first!.store.faults = { failBefore: 1, kind: 'denied' };
  second!.store.faults = { failBefore: 1, kind: 'full' };
  for (let n = 0; n < 3; n++) await assert.rejects(store.put('key', content('x')), { kind: 'denied' });
  second!.store.faults = {};
  await store.put('key', content('x'));
});

test('a put that is invalid, or finds its bucket slow, stays with its bucket', async () => {
  const buckets = testBuckets(2);
  const store = openStripeStore(buckets, deps);
  for (const kind of ['invalid', 'throttled', 'timeout'] as const) {
    for (const { store } of buckets) store.faults = { failBefore: 1, kind };
    await assert.rejects(store.put('key', content('x')), { kind });
  }
});

test('an outage of a bucket makes its objects unreadable, and no others', async () => {
  const buckets = testBuckets(4);
  const store = openStripeStore(buckets, deps);
  for (const key of keys) await store.put(key, content(key));
  const places = await spread(buckets);
  buckets[2]!.setOut(true);
  for (const key of keys) {
    if (places.get(key) !== 'bucket-2') assert.equal(String(await store.getRange(key, 0, 99)), key);
    else await assert.rejects(store.getRange(key, 0, 99), { kind: 'unavailable' });
  }
  // It could be in the bucket that does not answer.
  await assert.rejects(store.head('missing'), { kind: 'unavailable' });
  await assert.rejects(keysOf(store), { kind: 'unavailable' });
  await assert.rejects(store.delete(keys[0]!), { kind: 'unavailable' });
  buckets[2]!.setOut(false);
  await assert.rejects(store.getRange('missing', 0, 1), ObjectNotFound);
});

test('objects of a retired bucket are read, listed and deleted, and none is written there', async () => {
  const buckets = testBuckets(4);
  const before = openStripeStore(buckets, deps);
  for (const key of keys) await before.put(key, content(key));
  assert.ok(await before.putIfAbsent('claim', content('x')));
  for (const retired of buckets) {
    const left = buckets.filter((bucket) => bucket !== retired);
    const store = openStripeStore(left, { ...deps, retired: [retired] });
    for (const key of keys) assert.equal(String(await store.getRange(key, 0, 99)), key);
    assert.deepEqual((await keysOf(store)).length, keys.length + 1);
    assert.equal(await store.putIfAbsent('claim', content('y')), false);
  }
  const [retired, ...left] = buckets;
  const store = openStripeStore(left, { ...deps, retired: [retired!] });
  const old = await keysOf(retired!.inner);
  for (let n = 0; n < 50; n++) await store.put(`new/${n}`, content('x'));
  assert.deepEqual(await keysOf(retired!.inner), old);
  assert.deepEqual(await store.deleteMany(keys), []);
  assert.deepEqual(
    (await keysOf(retired!.inner)).filter((key) => key !== 'claim'),
    [],
  );
});

test('an absent key is given once, also if its bucket changes', async () => {
  const buckets = testBuckets(5);
  const small = openStripeStore(buckets.slice(0, 2), deps);
  const large = openStripeStore(buckets, deps);
  for (const key of keys.slice(0, 30)) {
    assert.equal(await small.putIfAbsent(key, content('small')), true);
    assert.equal(await large.putIfAbsent(key, content('large')), false);
  }
});
