import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { logFileKey, newFileId } from '../log-file/file-id.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { routedStore } from './routed-store.ts';

const random = seededRandom(1);
const clock = { nowMs: () => 1_700_000_000_000 };

function fixture() {
  const stores = [0, 1].map(() => openMemoryStore(`routed-${random.below(2 ** 32)}`, { clock } as never));
  const opened: number[] = [];
  const store = routedStore({
    isKnown: (bucket) => bucket <= 2,
    storeOf(bucket) {
      opened.push(bucket);
      const found = stores[bucket];
      if (found === undefined) throw new StoreError('denied', `bucket ${bucket}`, 'may not be used');
      return found;
    },
  });
  return { stores: stores as [ObjectStore, ObjectStore], store, opened };
}

const keyIn = (bucket: number) => logFileKey('c', newFileId(clock.nowMs(), random, bucket));
const content = (text: string) => [Buffer.from(text)];

test('the key of a file decides which bucket it goes to and comes from', async () => {
  const { stores, store } = fixture();
  for (const bucket of [0, 1]) {
    const key = keyIn(bucket);
    await store.put(key, content(`in ${bucket}`));
    assert.equal(String(await store.getRange(key, 0, 9)), `in ${bucket}`);
    assert.equal((await store.head(key))?.bytes, 4);
    assert.equal((await stores[bucket]!.head(key))?.bytes, 4);
    assert.equal(await stores[1 - bucket]!.head(key), undefined);
    await store.delete(key);
    assert.equal(await stores[bucket]!.head(key), undefined);
  }
});

test('what is no file lies in the first bucket, which is listed', async () => {
  const { stores, store } = fixture();
  await store.put('service/c/metadata/x', content('x'));
  await store.put(keyIn(1), content('y'));
  assert.equal(await store.putIfAbsent('service/c/bucket-id', content('z')), true);
  const pages = await Array.fromAsync(store.list('service/c/'));
  assert.deepEqual(
    pages.flat().map(({ key }) => key),
    ['service/c/bucket-id', 'service/c/metadata/x'],
  );
  assert.deepEqual((await Array.fromAsync(stores[1].list(''))).flat().length, 1);
});

test('a deletion of many files goes to all their buckets, and names those that may not be used', async () => {
  const { stores, store } = fixture();
  const keys = [keyIn(0), keyIn(1), keyIn(2), keyIn(200)];
  for (const key of keys.slice(0, 2)) await store.put(key, content('x'));
  const failed = await store.deleteMany(keys);
  assert.deepEqual(
    failed.map(({ key, error }) => [key, error.kind]),
    [[keys[2], 'denied']],
  );
  for (const [bucket, of] of stores.entries()) assert.equal(await of.head(keys[bucket]!), undefined);
  await assert.rejects(store.deleteMany([keys[2]!]), /may not be used/);
  assert.deepEqual(
    await store.deleteMany([keys[3]!]),
    [],
    'nothing lies in a bucket that the cluster does not have',
  );
});

test('a bucket is opened when it is first needed', async () => {
  const { store, opened } = fixture();
  await store.head(keyIn(0));
  assert.deepEqual(opened, [0]);
  await assert.rejects(store.getRange(keyIn(2), 0, 1), StoreError);
  assert.deepEqual(opened, [0, 2]);
});
