import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { testBuckets } from '../../testing/sub-buckets.ts';
import { openMultiStore } from '../multi/multi-store.ts';
import { aroundStore, type StoreOperation } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { type BucketAccess, checkBucketAccess } from './check-bucket-access.ts';

const folder = 'service/vci_1/probes/';
const probeId = '00000000-0000-4000-8000-000000000001';
const hourMs = 3_600_000;

function check(store: ObjectStore, more: Partial<BucketAccess> = {}): Promise<string | undefined> {
  const clock = new HandClock();
  const usual = { bucketUrl: 's3://records', folder, probeId, writes: true, deletes: true, clock };
  return checkBucketAccess({ store, ...usual, ...more });
}

async function keysIn(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list('')) keys.push(...page.map(({ key }) => key));
  return keys;
}

/** A store that refuses some operations, and notes all. */
function refusing(
  inner: ObjectStore,
  refused: readonly StoreOperation[],
  kind: StoreErrorKind = 'denied',
  seen: string[] = [],
): ObjectStore {
  return aroundStore(inner, async ({ operation, key, signal, run }) => {
    seen.push(operation);
    if (refused.includes(operation)) throw new StoreError(kind, key, 'words of the store');
    return await run(signal);
  });
}

test('the check lists, puts, gets and deletes one object, and leaves nothing', async () => {
  const inner = emptyMemoryStore();
  const seen: string[] = [];
  assert.equal(await check(refusing(inner, [], 'denied', seen)), undefined);
  assert.deepEqual(seen, ['list', 'put', 'getRange', 'delete']);
  assert.deepEqual(await keysIn(inner), []);
});

// biome-ignore format: a table
const refusals: readonly [operation: StoreOperation, url: string, problem: string][] = [
  ['list',     's3://records',   'the credentials may not list objects (s3:ListBucket): words of the store; allow it'],
  ['put',      's3://records',   'the credentials may not write objects (s3:PutObject): words of the store; allow it'],
  ['getRange', 's3://records',   'the credentials may not read objects (s3:GetObject): words of the store; allow it'],
  ['delete',   's3://records',   'the credentials may not delete objects (s3:DeleteObject): words of the store; allow it'],
  ['put',      'gs://records',   'the credentials may not write objects (storage.objects.create): words of the store; allow it'],
  ['put',      'azblob://c',     'the credentials may not write objects (blobs/write, or w of a SAS token): words of the store; allow it'],
  ['put',      'postgres://h/d', 'the user may not write objects (INSERT): words of the store; allow it'],
  ['put',      'file:///data',   'the process may not write objects (write in the directory): words of the store; allow it'],
  ['put',      'other://x',      'the credentials may not write objects (put): words of the store; allow it'],
];

for (const [operation, bucketUrl, problem] of refusals) {
  test(`${bucketUrl}: a refused ${operation} is named by its permission`, async () => {
    const inner = emptyMemoryStore();
    assert.equal(await check(refusing(inner, [operation]), { bucketUrl }), problem);
    if (operation !== 'delete') assert.deepEqual(await keysIn(inner), []);
  });
}

const failures: readonly [kind: StoreErrorKind, problem: string][] = [
  ['bucketMissing', 'bucket not found: words of the store; create it, mount its disk, or correct the URL'],
  ['invalid', 'failed to list objects: words of the store; correct the URL'],
  ['full', 'failed to list objects: words of the store; free space or raise the quota'],
  [
    'unavailable',
    'failed to list objects: words of the store; check that the store can be reached and works',
  ],
  ['timeout', 'failed to list objects: words of the store; check that the store can be reached and works'],
];

for (const [kind, problem] of failures) {
  test(`${kind} is one line`, async () => {
    assert.equal(await check(refusing(emptyMemoryStore(), ['list'], kind)), problem);
  });
}

test('content that differs is reported, and removed', async () => {
  const inner = emptyMemoryStore();
  const store: ObjectStore = { ...inner, put: (key) => inner.put(key, [Buffer.from('other')]) };
  assert.match((await check(store))!, /other bytes than were just written/);
  assert.deepEqual(await keysIn(inner), []);
});

test('where nothing is deleted, the permission is not needed, and one object stays for all processes', async () => {
  const inner = emptyMemoryStore();
  const seen: string[] = [];
  const store = refusing(inner, ['delete', 'deleteMany', 'put'], 'denied', seen);
  for (const id of [probeId, probeId.replaceAll('1', '2')])
    assert.equal(await check(store, { deletes: false, probeId: id }), undefined);
  assert.deepEqual(await keysIn(inner), [`${folder}kept`]);
  assert.deepEqual(seen, ['list', 'putIfAbsent', 'getRange', 'list', 'putIfAbsent', 'getRange']);
});

test('where nothing is written, listing and deleting are checked without an object', async () => {
  const inner = emptyMemoryStore();
  const seen: string[] = [];
  assert.equal(await check(refusing(inner, ['put'], 'denied', seen), { writes: false }), undefined);
  assert.deepEqual(seen, ['list', 'delete']);
  assert.match((await check(refusing(inner, ['delete']), { writes: false }))!, /s3:DeleteObject/);
  const denied = refusing(inner, ['delete']);
  assert.equal(await check(denied, { writes: false, deletes: false }), undefined);
});

test('objects that killed processes left are removed after an hour, and no others', async () => {
  const inner = emptyMemoryStore();
  const left = `${folder}00000000-0000-4000-8000-00000000000a`;
  for (const key of [left, `${folder}kept`, `${folder}other`, 'service/vci_1/ab/file'])
    await inner.put(key, [Buffer.from('x')]);
  const { modifiedMs } = (await inner.head(left))!;
  const at = (nowMs: number) => ({ clock: new HandClock(nowMs) });
  await check(inner, at(modifiedMs + hourMs));
  assert.ok((await keysIn(inner)).includes(left));
  await check(inner, at(modifiedMs + hourMs + 1));
  assert.deepEqual(await keysIn(inner), ['service/vci_1/ab/file', `${folder}kept`, `${folder}other`]);
});

test('an abort ends the check, and is no problem of the bucket', async () => {
  const stop = new AbortController();
  const store = aroundStore(emptyMemoryStore(), async ({ operation, signal, run }) => {
    if (operation === 'put') stop.abort(new Error('stopped'));
    signal?.throwIfAborted();
    return await run(signal);
  });
  await assert.rejects(check(store, { signal: stop.signal }), { message: 'stopped' });
});

test('an agent starts while one of three buckets of service_multi:// is out, and not if one denies deletion', async () => {
  const buckets = testBuckets(3);
  const deps = { clock: systemClock, random: seededRandom(1), log: silentLog, metrics: new Metrics() };
  const store = openMultiStore(buckets, deps);
  buckets[1]!.setOut(true);
  assert.equal(await check(store), undefined);
  buckets[0]!.setOut(true);
  assert.match((await check(store)) ?? '', /buckets answered|failed by design/);
  for (const bucket of buckets) bucket.setOut(false);
  const denying = openMultiStore(
    buckets.map((bucket, index) =>
      index === 1 ? { ...bucket, store: refusing(bucket.store, ['delete']) } : bucket,
    ),
    deps,
  );
  assert.match((await check(denying)) ?? '', /may not delete objects/);
  await store.close();
  await denying.close();
});
