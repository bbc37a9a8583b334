import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import { Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import {
  aroundStore,
  bucketIdKey,
  dropMemoryBucket,
  type ObjectStore,
  openStore,
  StoreError,
} from '@weir/storage';
import { type ClusterBucket, checkClusterBucket, type FoundBucket } from './cluster-bucket.ts';

const clusterId = 'vci_test';
const key = bucketIdKey(clusterId);

/** A cluster that stores the first id that it receives, as the leader does. */
class Cluster {
  bucketId: string | null = null;
  failures = 0;

  async claimBucket(bucketId: string | null): Promise<string | null> {
    if (this.failures-- > 0) throw new ClusterUnavailable('it has no leader now');
    this.bucketId ??= bucketId;
    return this.bucketId;
  }
}

async function bucket(t: TestContext): Promise<ObjectStore> {
  const name = randomUUID();
  const deps = { clock: new HandClock(), random: seededRandom(1), environment: {}, log: silentLog };
  const store = await openStore(`mem://${name}`, { ...deps, metrics: new Metrics() });
  t.after(async () => {
    await store.close();
    dropMemoryBucket(name);
  });
  return store;
}

function check(
  cluster: Cluster,
  store: ObjectStore,
  differences: Partial<ClusterBucket> = {},
): Promise<FoundBucket> {
  return checkClusterBucket({
    clusterId,
    cluster,
    store,
    bucketUrl: 's3://key:secret@orders?region=eu-west-1&prefix=eu',
    freshId: () => `bki_${randomUUID()}`,
    clock: new HandClock(),
    log: silentLog,
    stop: new AbortController().signal,
    ...differences,
  });
}

const idIn = async (store: ObjectStore) => (await store.getRange(key, 0, 100)).toString().trim();

test('the first agent puts an id into the bucket and the cluster stores it; the others find it', async (t) => {
  const cluster = new Cluster();
  const store = await bucket(t);
  await check(cluster, store);
  assert.match(cluster.bucketId!, /^bki_/);
  assert.equal(await idIn(store), cluster.bucketId);
  await check(cluster, store);
  assert.equal(await idIn(store), cluster.bucketId);
});

test('an agent with another bucket fails with one line without secrets, and leaves nothing there', async (t) => {
  const cluster = new Cluster();
  await check(cluster, await bucket(t));
  const other = await bucket(t);
  await assert.rejects(check(cluster, other), {
    name: 'Failure',
    message:
      `-bucketURL: s3://orders?prefix=eu is not the bucket of vci_test, whose id is ${cluster.bucketId} (service/vci_test/bucket-id is missing); start the agent with the ` +
      'bucket of the other agents; if this one was copied or emptied on purpose, write the id of the cluster to that object',
  });
  assert.equal(await other.head(key), undefined);
  await other.put(key, [Buffer.from('bki_other\n')]);
  await assert.rejects(check(cluster, other), /\(service\/vci_test\/bucket-id has bki_other\)/);
  // What the message advises.
  await other.put(key, [Buffer.from(cluster.bucketId!)]);
  await check(cluster, other);
});

test('of concurrent first agents, all with the same bucket continue; with two buckets, only those of one continue', async (t) => {
  for (const bucketCount of [1, 2]) {
    const cluster = new Cluster();
    const stores = await Promise.all(Array.from({ length: bucketCount }, () => bucket(t)));
    const agents = Array.from({ length: 6 }, (_, agent) => agent % bucketCount);
    const outcomes = await Promise.allSettled(agents.map((index) => check(cluster, stores[index]!)));
    const winner = (await Promise.all(stores.map((store) => store.head(key)))).findIndex(
      (found) => found !== undefined,
    );
    for (const [agent, { status }] of outcomes.entries())
      assert.equal(status, agents[agent] === winner ? 'fulfilled' : 'rejected');
    assert.equal(await idIn(stores[winner]!), cluster.bucketId);
  }
});

test('an id that was not claimed, or whose database was lost, is claimed by the next agent', async (t) => {
  const store = await bucket(t);
  await store.put(key, [Buffer.from('bki_before\n')]);
  const cluster = new Cluster();
  await check(cluster, store);
  assert.equal(cluster.bucketId, 'bki_before');
});

test('a bucket in memory is never claimed, and is rejected by a cluster that has another bucket', async (t) => {
  const cluster = new Cluster();
  const store = await bucket(t);
  await check(cluster, store, { bucketUrl: 'mem://x' });
  assert.deepEqual([cluster.bucketId, await store.head(key)], [null, undefined]);
  cluster.bucketId = 'bki_kept';
  await assert.rejects(check(cluster, store, { bucketUrl: 'mem://x' }), /mem:\/\/x is not the bucket/);
});

test('an agent waits for an unreachable bucket or control plane until it is stopped', async (t) => {
  const cluster = new Cluster();
  cluster.failures = 2;
  let failures = 2;
  const store = aroundStore(await bucket(t), ({ run, signal }) => {
    if (failures-- > 0) throw new StoreError('unavailable', key, 'it is away');
    return run(signal);
  });
  const clock = new HandClock();
  const checked = check(cluster, store, { clock });
  await clock.pass(4_000);
  await checked;
  assert.equal(await idIn(store), cluster.bucketId);

  const stop = new AbortController();
  cluster.failures = Number.POSITIVE_INFINITY;
  const stopped = assert.rejects(check(cluster, store, { clock, stop: stop.signal }), { name: 'AbortError' });
  await settle();
  stop.abort();
  await clock.pass(1_000);
  await stopped;
});

test('missing permissions on the bucket are reported, and so is an object that is no id', async (t) => {
  for (const denied of ['getRange', 'putIfAbsent']) {
    const store = aroundStore(await bucket(t), ({ operation, run, signal }) => {
      if (operation === denied) throw new StoreError('denied', key, 'AccessDenied');
      return run(signal);
    });
    await assert.rejects(check(new Cluster(), store), {
      name: 'Failure',
      message:
        's3://orders?prefix=eu: failed to check the id of the bucket: service/vci_test/bucket-id: AccessDenied; check the credentials and the permissions of the bucket',
    });
  }
  const store = await bucket(t);
  await store.put(key, [Buffer.from('<html>\n')]);
  await assert.rejects(check(new Cluster(), store), { name: 'Failure', message: /invalid bucket id/ });
});
