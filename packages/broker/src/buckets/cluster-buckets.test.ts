import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BucketToRegister,
  bucketFact,
  type MetadataEntry,
  nextBucketNumber,
  readBuckets,
  writeBucket,
} from '@weir/cluster';
import { type Log, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { bucketIdKey, logFileKey, newFileId, type ObjectStore, StoreError } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { brokerLimits } from '../limits.ts';
import { ClusterBuckets, type ClusterBucketsOptions } from './cluster-buckets.ts';

const clusterId = 'vci_test';
const random = seededRandom(1);

/** A cluster with its facts and its config, and the buckets of the world by URL. */
class World {
  readonly clock = new HandClock();
  readonly stores = new Map<string, ObjectStore>();
  readonly facts = new Map<string, Uint8Array>([['bucketId', Buffer.from('bki_a')]]);
  named = '';
  readonly problems: string[] = [];
  readonly agents: ClusterBuckets[] = [];
  #ids = 0;

  async registerBucket({ bucketId, url }: BucketToRegister): Promise<number> {
    const known = readBuckets(this.facts).find((bucket) => bucket.bucketId === bucketId);
    const number = known?.number ?? nextBucketNumber(this.facts)!;
    if (known === undefined || (url !== null && url !== known.url)) {
      const { key } = bucketFact(number);
      this.facts.set(key, writeBucket({ bucketId, url: url ?? '' }));
      const change = { kind: 'record', namespace: 'clusterFact', key, value: this.facts.get(key)! } as const;
      for (const agent of this.agents) agent.observe([change]);
    }
    return number;
  }

  async bucket(url: string, bucketId?: string): Promise<ObjectStore> {
    const store = emptyMemoryStore();
    this.stores.set(url, store);
    if (bucketId !== undefined) await store.put(bucketIdKey(clusterId), [Buffer.from(`${bucketId}\n`)]);
    return store;
  }

  /** An agent that was started with the first bucket. */
  agent(options: Partial<ClusterBucketsOptions> = {}): ClusterBuckets {
    const own = { url: 'file:///a', store: this.stores.get('file:///a')!, bucketId: 'bki_a', number: 0 };
    const error: Log['error'] = (_message, fields) => void this.problems.push(String(fields?.error));
    const agent = new ClusterBuckets({
      clusterId,
      cluster: this,
      own: { ingestion: own, compaction: own },
      open: async (url) => {
        const store = this.stores.get(url);
        if (store === undefined) throw new StoreError('unavailable', url, 'does not answer');
        return store;
      },
      problemOf: () => undefined,
      preferredUrl: (url) => url,
      shownUrl: (url) => url,
      storedUrl: (url) => url,
      freshId: () => `bki_fresh${++this.#ids}`,
      clock: this.clock,
      log: { ...silentLog, error },
      ...options,
    });
    this.agents.push(agent);
    agent.restart(this.snapshot());
    return agent;
  }

  snapshot() {
    const records = Array.from(this.facts, ([key, value]): MetadataEntry => {
      return { namespace: 'clusterFact', key, value };
    });
    return { clusterConfigs: this.#configs(), records };
  }

  async name(url: string): Promise<void> {
    this.named = url;
    for (const agent of this.agents) agent.observe([{ kind: 'clusterConfigs', configs: this.#configs() }]);
    await this.settled();
  }

  async settled(): Promise<void> {
    await settle();
    for (const agent of this.agents) await agent.settled();
  }

  #configs(): Record<string, string> {
    return this.named === '' ? {} : { 'service.bucket.url': this.named };
  }
}

async function world(): Promise<World> {
  const made = new World();
  await made.bucket('file:///a', 'bki_a');
  await made.bucket('file:///b');
  return made;
}

const content = [Buffer.from('x')];
const write = async (agent: ClusterBuckets, bucket = agent.ingestion) => {
  const key = logFileKey(clusterId, newFileId(1_700_000_000_000, random, bucket));
  await agent.store.put(key, content);
  return key;
};

test('new files follow the bucket that the cluster names, and old ones stay readable', async () => {
  const one = await world();
  const agent = one.agent();
  await one.settled();
  assert.deepEqual([agent.ingestion, agent.compaction], [0, 0]);
  const before = await write(agent);
  await one.name('file:///b');
  assert.deepEqual([agent.ingestion, agent.compaction], [1, 1]);
  const after = await write(agent);
  assert.equal((await one.stores.get('file:///b')!.head(after))?.bytes, 1);
  assert.equal(await one.stores.get('file:///a')!.head(after), undefined);
  for (const key of [before, after]) assert.equal(String(await agent.store.getRange(key, 0, 9)), 'x');
  // Back, by no name and by the name of the first bucket; the numbers stay.
  await one.name('');
  assert.deepEqual([agent.ingestion, agent.compaction], [0, 0]);
  await one.name('file:///b');
  assert.equal(agent.ingestion, 1);
  await one.name('file:///a');
  assert.equal(agent.ingestion, 0);
  for (const key of [before, after]) assert.equal(String(await agent.store.getRange(key, 0, 9)), 'x');
  assert.deepEqual(
    readBuckets(one.facts).map(({ number, url }) => [number, url]),
    [
      [0, 'file:///a'],
      [1, 'file:///b'],
    ],
  );
  assert.deepEqual(agent.urls(), [
    { number: 0, url: 'file:///a' },
    { number: 1, url: 'file:///b' },
  ]);
});

test('agents that find a new bucket at the same time give it one number', async () => {
  const one = await world();
  const agents = [one.agent(), one.agent(), one.agent()];
  await one.name('file:///b');
  assert.deepEqual(
    agents.map(({ ingestion }) => ingestion),
    [1, 1, 1],
  );
  const late = one.agent();
  await one.settled();
  assert.equal(late.ingestion, 1);
});

test('an agent that may not use the bucket keeps the one before, and says why when it has to read there', async () => {
  const one = await world();
  const writer = one.agent();
  const refusing = one.agent({ problemOf: (url) => (url === 'file:///b' ? 'not allowed here' : undefined) });
  await one.settled();
  const tried: unknown[] = [];
  refusing.onTried(() => tried.push(refusing.tried));
  await one.name('file:///b');
  assert.deepEqual([writer.ingestion, refusing.ingestion], [1, 0]);
  assert.equal(refusing.problem, 'not allowed here');
  assert.deepEqual([writer.tried, refusing.tried, tried], ['file:///b', 'file:///b', ['file:///b']]);
  assert.deepEqual(one.problems, ['not allowed here']);
  const key = await write(writer);
  await assert.rejects(
    async () => refusing.store.getRange(key, 0, 1),
    /^StoreError: bucket 1 .*not allowed here/,
  );
  assert.deepEqual(refusing.urls(), [{ number: 0, url: 'file:///a' }]);
  // A deletion of the file is left to other agents.
  assert.deepEqual((await refusing.store.deleteMany([key, await write(refusing, 0)])).length, 1);
  assert.deepEqual(refusing.numbers(), [0, 1]);
  await one.name('');
  assert.equal(refusing.problem, undefined);
});

test('a bucket that does not open, or cannot be used, is tried again, and used when it can be', async () => {
  const one = await world();
  let isFull = true;
  const agent = one.agent({
    check: async () => {
      if (isFull) throw new Error('no room');
    },
  });
  await one.name('file:///c');
  assert.equal(agent.ingestion, 0);
  assert.match(agent.problem!, /does not answer/);
  await one.bucket('file:///c');
  one.clock.advance(brokerLimits.bucketRetryMs);
  await one.settled();
  assert.equal(agent.problem, 'no room');
  assert.equal(
    await one.stores.get('file:///c')!.head(bucketIdKey(clusterId)),
    undefined,
    'nothing is put there',
  );
  isFull = false;
  one.clock.advance(brokerLimits.bucketRetryMs);
  await one.settled();
  assert.deepEqual([agent.problem, agent.ingestion], [undefined, 1]);
});

test('a bucket that cannot be used is opened once, however often it is tried', async () => {
  const place = await world();
  await place.bucket('file:///c', 'bki_of_another');
  const opened: string[] = [];
  const agent = place.agent({
    open: async (url) => {
      opened.push(url);
      return place.stores.get(url)!;
    },
    check: async () => {
      throw new StoreError('denied', 'file:///b', 'may not write');
    },
  });
  await place.registerBucket({ bucketId: 'bki_c', url: 'file:///c' });
  await place.name('file:///b');
  for (let attempt = 0; attempt < 5; attempt++) {
    await assert.rejects(write(agent, 1), { kind: 'denied' });
    place.clock.advance(brokerLimits.bucketRetryMs);
    await place.settled();
  }
  assert.match(agent.problem!, /may not write/);
  assert.deepEqual(opened.sort(), ['file:///b', 'file:///c']);
});

test('a bucket whose id is another one is not read', async () => {
  const one = await world();
  one.facts.set(bucketFact(1).key, writeBucket({ bucketId: 'bki_b', url: 'file:///b' }));
  const agent = one.agent();
  await one.settled();
  const key = logFileKey(clusterId, newFileId(1, random, 1));
  await assert.rejects(async () => agent.store.getRange(key, 0, 1), /bucket id is missing/);
  await one.stores.get('file:///b')!.put(bucketIdKey(clusterId), [Buffer.from('bki_b\n')]);
  await assert.rejects(
    async () => agent.store.getRange(key, 0, 1),
    /bucket id is missing/,
    'it is not asked at once',
  );
  one.clock.advance(brokerLimits.bucketRetryMs);
  await assert.rejects(async () => agent.store.getRange(key, 0, 1), { name: 'ObjectNotFound' });
});

test('a clone finds the bucket by the id of the cluster that was cloned', async () => {
  const one = await world();
  const store = await one.bucket('file:///b');
  await store.put(bucketIdKey('vci_source'), [Buffer.from('bki_b')]);
  one.facts.set(bucketFact(1).key, writeBucket({ bucketId: 'bki_b', url: 'file:///b', idOf: 'vci_source' }));
  const agent = one.agent();
  await one.name('file:///b');
  assert.equal(agent.ingestion, 1);
});

test('a cluster that was restored to an earlier point learns the bucket again', async () => {
  const one = await world();
  const agent = one.agent();
  await one.name('file:///b');
  assert.equal(agent.ingestion, 1);
  one.facts.delete(bucketFact(1).key);
  one.facts.set(bucketFact(2).key, writeBucket({ bucketId: 'bki_other', url: 'file:///c' }));
  agent.restart(one.snapshot());
  await one.settled();
  assert.equal(agent.ingestion, 3);
  assert.equal(readBuckets(one.facts).at(-1)!.number, 3);
});

test('a pair: new files and compacted ones have different buckets, until the cluster names one', async () => {
  const one = await world();
  one.facts.set(bucketFact(1).key, writeBucket({ bucketId: 'bki_b', url: 'file:///b' }));
  const own = (url: string, bucketId: string, number: number) => ({
    url,
    store: one.stores.get(url)!,
    bucketId,
    number,
  });
  await one.bucket('file:///b', 'bki_b');
  await one.bucket('file:///c');
  const pair = { ingestion: own('file:///a', 'bki_a', 0), compaction: own('file:///b', 'bki_b', 1) };
  const agent = one.agent({ own: pair });
  await one.settled();
  assert.deepEqual([agent.ingestion, agent.compaction], [0, 1]);
  await one.name('file:///b');
  assert.deepEqual([agent.ingestion, agent.compaction], [1, 1]);
  await one.name('file:///c');
  assert.deepEqual([agent.ingestion, agent.compaction], [2, 2]);
  await one.name('');
  assert.deepEqual([agent.ingestion, agent.compaction], [0, 1]);
});
