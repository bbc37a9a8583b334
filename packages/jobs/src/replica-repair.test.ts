import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import {
  clusterPrefix,
  dropMemoryBucket,
  logFileKey,
  newFileId,
  type ObjectStore,
  openStore,
} from '@weir/storage';
import { sidecarKey } from './query/sidecar-names.ts';
import { replicaRepair } from './replica-repair.ts';

const clusterId = 'vci_repair';
const ageMsMin = 6 * 3_600_000;
const never = new AbortController().signal;
let stages = 0;

async function stage(t: TestContext) {
  const clock = new HandClock();
  const random = seededRandom(++stages);
  const metrics = new Metrics();
  const deps = { clock, random, log: silentLog, metrics, environment: {} };
  const names = ['a', 'b', 'c'].map((name) => `repair-${stages}-${name}`);
  for (const name of names) t.after(() => dropMemoryBucket(name));
  const buckets = await Promise.all(names.map((name) => openStore(`mem://${name}`, deps)));
  const store = await openStore(`service_multi://${names.map((name) => `mem://${name}`).join('<>')}`, deps);
  t.after(() => store.close());
  const unknown = new Set<string>();
  const repair = replicaRepair({
    clusterId,
    port: { unknownFiles: async (fileIds) => fileIds.filter((fileId) => unknown.has(fileId)) },
    hasTopic: (topicId) => topicId === 'living',
    clock,
    metrics,
  });
  return {
    clock,
    buckets,
    store,
    unknown,
    newId: () => newFileId(clock.nowMs(), random),
    async repairAll() {
      let copied = 0;
      for await (const page of store.list(clusterPrefix(clusterId)))
        copied += await clock.until(repair(store, page, ageMsMin, never));
      return copied;
    },
  };
}

async function holders(buckets: readonly ObjectStore[], key: string): Promise<boolean[]> {
  return await Promise.all(buckets.map(async (bucket) => (await bucket.head(key)) !== undefined));
}

const everywhere = [true, true, true];

test('a file that the cluster knows is copied to buckets that lack it, and one that it does not know is not', async (t) => {
  const { buckets, unknown, newId, repairAll } = await stage(t);
  const known = newId();
  const orphan = newId();
  unknown.add(orphan);
  for (const fileId of [known, orphan])
    await buckets[1]!.put(logFileKey(clusterId, fileId), [Buffer.from('records')]);
  assert.equal(await repairAll(), 1);
  assert.deepEqual(await holders(buckets, logFileKey(clusterId, known)), everywhere);
  assert.deepEqual(await holders(buckets, logFileKey(clusterId, orphan)), [false, true, false]);
  assert.equal(await repairAll(), 0);
});

test('a deletion that a bucket missed is not undone: what is left is no file of the cluster', async (t) => {
  const { clock, buckets, store, unknown, newId, repairAll } = await stage(t);
  const fileId = newId();
  const key = logFileKey(clusterId, fileId);
  await clock.until(store.put(key, [Buffer.from('records')]));
  await clock.pass(200_000);
  // The job that deletes it reached two buckets, and the cluster forgot the file.
  for (const bucket of buckets.slice(0, 2)) await bucket.delete(key);
  unknown.add(fileId);
  assert.equal(await repairAll(), 0);
  assert.deepEqual(await holders(buckets, key), [false, false, true]);
  assert.deepEqual(await clock.until(store.deleteMany([key])), []);
  assert.deepEqual(await holders(buckets, key), [false, false, false]);
});

test('sidecars are copied while their topic exists, and other objects when they are old', async (t) => {
  const { clock, buckets, repairAll } = await stage(t);
  const range = { fromOffset: 0, toOffset: 1, minTimeMs: 1, maxTimeMs: 2 };
  const sidecars = ['living', 'gone'].map((topicId) => sidecarKey(clusterId, topicId, range));
  const backup = `${clusterPrefix(clusterId)}metadata/segment`;
  for (const key of [...sidecars, backup]) await buckets[0]!.put(key, [Buffer.from('x')]);
  assert.equal(await repairAll(), 1);
  assert.deepEqual(await holders(buckets, sidecars[0]!), everywhere);
  assert.deepEqual(await holders(buckets, sidecars[1]!), [true, false, false]);
  assert.deepEqual(await holders(buckets, backup), [true, false, false]);
  await clock.pass(ageMsMin + 1);
  assert.equal(await repairAll(), 1);
  assert.deepEqual(await holders(buckets, backup), everywhere);
});
