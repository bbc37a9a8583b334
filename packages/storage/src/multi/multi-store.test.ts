import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { latencyStore, logNormalLatency } from '../../testing/latency-store.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { type TestBucket, testBuckets } from '../../testing/sub-buckets.ts';
import { storageLimits } from '../limits.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import { votesPrefix } from './claim.ts';
import { openMultiStore } from './multi-store.ts';

const deps = () => ({ clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() });

const needsAll = 'a deletion is acknowledged by all buckets';
const deletions = {
  'reports missing objects': needsAll,
  'accepts a key that must be absent only once': needsAll,
  'deletes objects': needsAll,
  'deletes many objects, also missing ones, and no others': needsAll,
};

for (const count of [2, 3])
  objectStoreContract(`service_multi:// of ${count}`, {
    open: async () => openMultiStore(testBuckets(count), deps()),
    manyObjects: count === 3 ? 2100 : 50,
  });

for (const out of [0, 2])
  objectStoreContract(`service_multi:// of 3 without bucket ${out}`, {
    async open() {
      const buckets = testBuckets(3);
      buckets[out]!.setOut(true);
      return openMultiStore(buckets, deps());
    },
    manyObjects: 20,
    except: deletions,
  });

objectStoreContract('service_multi:// of 3 with a bucket that fails now and then', {
  async open() {
    const buckets = testBuckets(3);
    buckets[1]!.store.faults = { failBefore: 0.3, failAfter: 0.3 };
    return openMultiStore(buckets, deps());
  },
  manyObjects: 50,
  except: deletions,
});

objectStoreContract('service_multi:// of 3 with a slow bucket', {
  async open() {
    const buckets = testBuckets(3);
    buckets[2]!.store.faults = { slow: 1, slowMs: 5 };
    return openMultiStore(buckets, deps());
  },
  manyObjects: 50,
});

interface Stage {
  readonly clock: HandClock;
  readonly buckets: readonly TestBucket[];
  readonly store: ObjectStore;
  readonly metrics: Metrics;
}

function stage(count = 3, seed = 1): Stage {
  const clock = new HandClock();
  const random = seededRandom(seed);
  const metrics = new Metrics();
  const buckets = testBuckets(count, { clock, random });
  return {
    clock,
    buckets,
    metrics,
    store: openMultiStore(buckets, { clock, random, log: silentLog, metrics }),
  };
}

/** Objects that a bucket is behind, as the metric says. */
function behindOf(metrics: Metrics, name: string): number {
  const line = new RegExp(`^\\w*blob_store_objects_behind\\{name="${name}"\\} (\\d+)$`, 'm');
  return Number(line.exec(metrics.render())?.[1]);
}

const content = (text: string) => [Buffer.from(text)];
const hasObject = async ({ inner }: TestBucket, key: string) => (await inner.head(key)) !== undefined;
const keysOf = async (store: ObjectStore, prefix = '') =>
  (await Array.fromAsync(store.list(prefix))).flat().map(({ key }) => key);

test('a put below the quorum fails, and leaves its slices alone', async () => {
  const { buckets, store, clock } = stage();
  buckets[0]!.setOut(true);
  buckets[2]!.setOut(true);
  await assert.rejects(clock.until(store.put('key', content('x'))), { kind: 'unavailable' });
  await assert.rejects(clock.until(store.putIfAbsent('claim', content('x'))), { kind: 'unavailable' });
  await assert.rejects(clock.until(store.beginUpload('upload')), { kind: 'unavailable' });
  await store.close();
});

test('a denial is not taken for an outage when too many buckets deny', async () => {
  const { buckets, store, clock } = stage();
  buckets[0]!.store.faults = { failBefore: 1, kind: 'denied' };
  await clock.until(store.put('key', content('x')));
  buckets[1]!.setOut(true);
  await assert.rejects(clock.until(store.put('other', content('x'))), { kind: 'unavailable' });
  buckets[1]!.store.faults = { failBefore: 1, kind: 'denied' };
  await assert.rejects(clock.until(store.put('other', content('x'))), { kind: 'denied' });
  await store.close();
});

test('an object that a bucket missed is read from another, and copied when it is back', async () => {
  const { buckets, store, clock, metrics } = stage();
  const large = Buffer.alloc(storageLimits.uploadPartBytes + 7, 'large ');
  buckets[1]!.setOut(true);
  await clock.until(store.put('small', content('x')));
  const upload = await clock.until(store.beginUpload('large'));
  await clock.until(upload.putPart(0, [large.subarray(0, storageLimits.uploadPartBytes)]));
  await clock.until(upload.putPart(1, [large.subarray(storageLimits.uploadPartBytes)]));
  await clock.until(upload.finish(2));
  const behind = () => behindOf(metrics, 'bucket-1');
  assert.equal(behind(), 2);
  await clock.pass(10_000);
  assert.equal(behind(), 2);
  buckets[1]!.setOut(false);
  // Before the copy: the bucket is there, and has not got it.
  assert.equal(String(await clock.until(store.getRange('small', 0, 9))), 'x');
  await clock.pass(60_000);
  assert.equal(behind(), 0);
  assert.equal(String(await buckets[1]!.inner.getRange('small', 0, 9)), 'x');
  assert.ok((await buckets[1]!.inner.getRange('large', 0, large.length + 1)).equals(large));
  await store.close();
  assert.equal(clock.waiting, 0);
});

test('what is deleted while a bucket is out does not come back with it', async () => {
  const { buckets, store, clock } = stage();
  await clock.until(store.put('whole', content('x')));
  buckets[1]!.setOut(true);
  await clock.until(store.put('missed', content('x')));
  await assert.rejects(clock.until(store.delete('whole')), { kind: 'unavailable' });
  const failed = store.deleteMany(['whole', 'missed']);
  await assert.rejects(clock.until(failed), { kind: 'unavailable' });
  buckets[1]!.setOut(false);
  await clock.pass(120_000);
  // It was not deleted as far as the caller knows, so that it tries again.
  assert.deepEqual(await clock.until(store.deleteMany(['whole', 'missed'])), []);
  await clock.pass(300_000);
  for (const bucket of buckets) assert.deepEqual(await keysOf(bucket.inner), []);
  assert.equal(await clock.until(store.head('whole')), undefined);
  await store.close();
});

test('a copy of an object that another process deleted meanwhile is removed again', async () => {
  const { buckets, store, clock } = stage();
  buckets[1]!.setOut(true);
  await clock.until(store.put('key', content('x')));
  buckets[1]!.setOut(false);
  assert.ok(await clock.pass(60_000, () => buckets[1]!.store.faults.failBefore === undefined));
  await clock.pass(40_000);
  assert.ok(await hasObject(buckets[1]!, 'key'));
  // The deletion reached this bucket before the copy, and the others after it.
  for (const index of [0, 2]) await buckets[index]!.inner.delete('key');
  await clock.pass(120_000);
  assert.deepEqual(await Promise.all(buckets.map((bucket) => hasObject(bucket, 'key'))), [
    false,
    false,
    false,
  ]);
  await store.close();
});

test('a list names the buckets that lack an object, and repair copies it there', async () => {
  const { buckets, store, clock } = stage();
  for (const [key, holders] of [
    ['a', [0, 1, 2]],
    ['b', [0]],
    ['c', [1, 2]],
  ] as const)
    for (const index of holders) await buckets[index]!.inner.put(key, content(key));
  const listed = (await Array.fromAsync(store.list(''))).flat();
  assert.deepEqual(
    listed.map(({ key, missingIn }) => [key, missingIn]),
    [
      ['a', undefined],
      ['b', [1, 2]],
      ['c', [0]],
    ],
  );
  for (const info of listed) if (info.missingIn) assert.ok(await clock.until(store.replicas!.repair(info)));
  for (const bucket of buckets) assert.deepEqual(await keysOf(bucket.inner), ['a', 'b', 'c']);
  assert.equal(await clock.until(store.replicas!.repair({ key: 'gone', missingIn: [0] })), false);
  // A bucket that does not answer is not taken for one that lacks everything.
  buckets[0]!.setOut(true);
  const without = (await clock.until(Array.fromAsync(store.list('')))).flat();
  assert.deepEqual(
    without.map(({ missingIn }) => missingIn),
    [undefined, undefined, undefined],
  );
  buckets[1]!.setOut(true);
  await assert.rejects(clock.until(Array.fromAsync(store.list(''))), { kind: 'unavailable' });
  await store.close();
});

test('a bucket gets no copy of an object that another sends in part', async () => {
  let cutBytes = 1;
  const decorate = (inner: ObjectStore): ObjectStore => ({
    ...inner,
    async getRange(...call) {
      const range = await inner.getRange(...call);
      return range.subarray(0, range.length - cutBytes);
    },
  });
  const buckets = testBuckets(3, { decorate });
  const store = openMultiStore(buckets, deps());
  for (const { inner } of buckets.slice(0, 2)) await inner.put('key', content('whole'));
  const [found] = (await Array.fromAsync(store.list(''))).flat();
  await assert.rejects(store.replicas!.repair(found!), { kind: 'unavailable' });
  assert.equal(await hasObject(buckets[2]!, 'key'), false);
  cutBytes = 0;
  assert.equal(await store.replicas!.repair(found!), true);
  assert.equal(String(await buckets[2]!.inner.getRange('key', 0, 10)), 'whole');
  await store.close();
});

test('an object is missing only if enough buckets say so', async () => {
  const { buckets, store, clock } = stage();
  buckets[0]!.setOut(true);
  assert.equal(await clock.until(store.head('missing')), undefined);
  await assert.rejects(clock.until(store.getRange('missing', 0, 1)), ObjectNotFound);
  buckets[1]!.setOut(true);
  await assert.rejects(clock.until(store.head('missing')), { kind: 'unavailable' });
  await store.close();
});

test('reads go to the fastest bucket, and to another when it becomes slow', async () => {
  const { buckets, store, clock } = stage();
  for (const [index, slowMs] of [30, 3, 90].entries()) buckets[index]!.store.faults = { slow: 1, slowMs };
  await clock.until(store.put('key', content('x')));
  const read = async () => {
    const startMs = clock.monotonicMs();
    await clock.until(store.getRange('key', 0, 1));
    return clock.monotonicMs() - startMs;
  };
  for (let i = 0; i < 20; i++) await read();
  assert.equal(await read(), 3);
  buckets[1]!.store.faults = { slow: 1, slowMs: 5_000 };
  assert.ok((await read()) < 100);
  for (let i = 0; i < 20; i++) await read();
  assert.equal(await read(), 30);
  await store.close();
});

test('a slow bucket does not delay puts, and gets the objects later', async () => {
  const { buckets, store, clock, metrics } = stage();
  for (const [index, slowMs] of [5, 5, 3_000].entries()) buckets[index]!.store.faults = { slow: 1, slowMs };
  await clock.until(store.put('first', content('x')));
  const startMs = clock.monotonicMs();
  const slice = Buffer.from('before');
  const count = storageLimits.multiBackgroundPutsMax + 20;
  for (let i = 0; i < count; i++) await clock.until(store.put(`key/${i}`, [slice]));
  assert.ok(clock.monotonicMs() - startMs < count * 10);
  slice.fill('x');
  // Those that were too many are copied from the others.
  assert.ok(behindOf(metrics, 'bucket-2') >= 20);
  await clock.pass(600_000, () => behindOf(metrics, 'bucket-2') === 0);
  for (let i = 0; i < count; i++)
    assert.equal(String(await buckets[2]!.inner.getRange(`key/${i}`, 0, 9)), 'before', `key/${i}`);
  await store.close();
});

test('votes are not visible, and are gone when the object is there', async () => {
  const { buckets, store, clock } = stage();
  assert.ok(await clock.until(store.putIfAbsent('key', content('x'))));
  for (const bucket of buckets) assert.deepEqual(await keysOf(bucket.inner), ['key']);
  await buckets[0]!.inner.put(`${votesPrefix}left`, []);
  assert.deepEqual(await keysOf(store), ['key']);
  await store.close();
});

test('an acknowledged object is readable without any one bucket, under faults of every kind', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const clock = new HandClock();
    const random = seededRandom(seed);
    const slow = (store: ObjectStore) =>
      latencyStore(store, { clock, random, latencyMs: logNormalLatency({ medianMs: 20, tail: 10 }) });
    const buckets = testBuckets(3, { clock, random, decorate: slow });
    const store = openMultiStore(buckets, { clock, random, log: silentLog, metrics: new Metrics() });
    const acknowledged = new Map<string, string>();
    const write = async (i: number) => {
      if (i % 7 === 0) {
        const sick = buckets[random.below(3)]!;
        sick.store.faults = {
          failBefore: random.next(),
          failAfter: random.next(),
          slow: random.next() / 2,
          slowMs: 2_000,
        };
        for (const bucket of buckets) if (bucket !== sick) bucket.store.faults = {};
      }
      const key = `key/${i}`;
      const slice = Buffer.from(`content of ${i}`);
      try {
        if (i % 5 === 0) {
          const upload = await store.beginUpload(key);
          await upload.putPart(0, [slice]);
          await upload.finish(1);
        } else if (i % 5 === 1) assert.equal(await store.putIfAbsent(key, [slice]), true);
        else await store.put(key, [slice]);
        acknowledged.set(key, String(slice));
      } catch (error) {
        assert.ok(error instanceof Error);
        assert.match(error.message, /failed by design|buckets answered/);
      }
      // It belongs to the caller again.
      slice.fill('!');
    };
    for (let i = 0; i < 60; i += 6)
      await clock.until(Promise.all(Array.from({ length: 6 }, (_, n) => write(i + n))));
    assert.ok(acknowledged.size > 30, `${acknowledged.size} of 60`);
    for (const gone of buckets) {
      for (const bucket of buckets) bucket.store.faults = bucket === gone ? { failBefore: 1 } : {};
      for (const [key, text] of acknowledged)
        assert.equal(String(await clock.until(store.getRange(key, 0, 99))), text, `${key} of seed ${seed}`);
      const listed = new Set(await clock.until(keysOf(store)));
      for (const key of acknowledged.keys()) assert.ok(listed.has(key), `${key} is listed, seed ${seed}`);
    }
    for (const bucket of buckets) bucket.store.faults = {};
    // In the end each bucket has all.
    await clock.pass(600_000);
    for (const bucket of buckets)
      for (const [key, text] of acknowledged)
        assert.equal(String(await bucket.inner.getRange(key, 0, 99)), text, `${key} of ${bucket.name}`);
    await clock.until(store.close());
    assert.equal(clock.waiting, 0, 'no timer is left');
  }
});
