import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';
import { dropMemoryBucket, openStore } from '@weir/storage';
import { type FaultyStore, faultyStore } from '@weir/storage/testing';
import { oneBatchFile } from '../../testing/one-batch-file.ts';
import { backupMetrics } from './backup-metrics.ts';
import { chainFrom, listBackedUpClusters, listBackup, listGenerations } from './backup-objects.ts';
import { ClusterBackup } from './cluster-backup.ts';
import { RestoreProblem, restoreCluster } from './restore-cluster.ts';

const clusterId = 'vci_test';
const intervalMs = 5_000;

/** One bucket and the databases around it, in virtual time. */
class Stage {
  readonly clock: HandClock;
  readonly metrics = new Metrics();
  readonly store: FaultyStore;
  #fileNumber = 0;

  private constructor(clock: HandClock, store: FaultyStore) {
    this.clock = clock;
    this.store = store;
  }

  static async open(t: TestContext): Promise<Stage> {
    const name = randomUUID();
    const clock = new HandClock();
    const deps = { clock, random: systemRandom, environment: {}, log: silentLog, metrics: new Metrics() };
    const store = await openStore(`mem://${name}`, deps);
    t.after(() => dropMemoryBucket(name));
    return new Stage(clock, faultyStore(store, {}, deps));
  }

  hub(databaseUrl: string) {
    return openJournals(databaseUrl, { clock: this.clock, log: silentLog });
  }

  /** A control-plane process of a database, with backups. */
  async serve(t: TestContext, databaseUrl: string, id = 'one', snapshotBytesMin = 1e9) {
    const hub = this.hub(databaseUrl);
    const node = new ClusterNode({
      clusterId,
      journal: hub.journal(clusterId),
      self: { id, url: `http://${id}` },
      clock: this.clock,
      log: silentLog,
      metrics: this.metrics,
      snapshotBytesMin,
    });
    const backup = new ClusterBackup({
      clusterId,
      node,
      journal: hub.journal(clusterId),
      store: this.store,
      intervalMs,
      clock: this.clock,
      log: silentLog,
      metrics: backupMetrics(this.metrics, clusterId),
    });
    node.start();
    const stop = async () => {
      await this.clock.until(backup.end().then(() => node.stop()));
    };
    t.after(() => hub.close());
    return { node, stop };
  }

  async leader(t: TestContext, databaseUrl: string, id?: string, snapshotBytesMin?: number) {
    const served = await this.serve(t, databaseUrl, id, snapshotBytesMin);
    assert.ok(await this.clock.pass(60_000, () => served.node.role === 'leader'));
    return served;
  }

  async createTopic(node: ClusterNode, name: string): Promise<string> {
    const [made] = await node.createTopics([{ name, partitionCount: 1, configs: {} }], {
      validateOnly: false,
    });
    assert.equal(made!.error, 'NONE');
    return made!.topic!.topicId;
  }

  async commit(node: ClusterNode, topicId: string, count = 1): Promise<void> {
    for (let left = count; left > 0; left--)
      await node.commitFiles([oneBatchFile(++this.#fileNumber, topicId, 0, 10)]);
  }

  /** Restores into a new database, while time passes. */
  async restore(databaseUrl: string, steps: string[] = []) {
    const hub = this.hub(databaseUrl);
    const { clock, store } = this;
    const restored = restoreCluster({
      clusterId,
      store,
      hub,
      clock,
      fenceMs: 4 * intervalMs,
      onStep: (line) => steps.push(line),
    });
    return clock.until(restored.finally(() => hub.close()));
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.store.list('')) for (const { key } of page) keys.push(key);
    return keys;
  }
}

const freshDatabase = () => `memory://${randomUUID()}`;

async function endOffset(node: ClusterNode, topicId: string): Promise<number> {
  const [found] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  assert.equal(found!.error, 'NONE');
  return found!.nextOffset;
}

const segment = (firstPosition: number, endPosition: number) => ({
  key: `${firstPosition}-${endPosition}`,
  firstPosition,
  endPosition,
});

const chains: [what: string, snapshot: number | undefined, segments: [number, number][], chain: string[]][] =
  [
    ['nothing', undefined, [], []],
    [
      'segments in a row',
      undefined,
      [
        [0, 3],
        [3, 7],
      ],
      ['0-3', '3-7'],
    ],
    [
      'a gap ends it',
      undefined,
      [
        [0, 3],
        [4, 7],
      ],
      ['0-3'],
    ],
    [
      'longer versions win',
      undefined,
      [
        [0, 3],
        [0, 5],
        [0, 4],
        [5, 6],
      ],
      ['0-5', '5-6'],
    ],
    [
      'overlaps',
      undefined,
      [
        [0, 5],
        [2, 4],
        [3, 9],
        [4, 8],
        [9, 10],
      ],
      ['0-5', '3-9', '9-10'],
    ],
    [
      'behind a snapshot',
      4,
      [
        [0, 3],
        [3, 5],
        [5, 6],
      ],
      ['3-5', '5-6'],
    ],
    [
      'a snapshot that nothing continues',
      9,
      [
        [0, 3],
        [3, 5],
      ],
      [],
    ],
    [
      'a snapshot beyond a gap',
      9,
      [
        [0, 3],
        [9, 12],
      ],
      ['9-12'],
    ],
  ];

for (const [what, position, segments, expected] of chains) {
  test(`chain of a backup: ${what}`, () => {
    const snapshot = position === undefined ? undefined : { key: 'snapshot', position };
    const chain = chainFrom(
      snapshot,
      segments.map(([first, end]) => segment(first, end)),
    );
    assert.deepEqual(
      chain.segments.map(({ key }) => key),
      expected,
    );
    assert.equal(chain.endPosition, chain.segments.at(-1)?.endPosition ?? position ?? 0);
  });
}

test('a restored cluster has what the leader had when it last backed up', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 3);
  await stage.clock.pass(intervalMs);
  await stage.commit(node, topicId, 2);
  await stop();
  assert.deepEqual(await listBackedUpClusters(stage.store), [clusterId]);

  const database = freshDatabase();
  const steps: string[] = [];
  const restored = await stage.restore(database, steps);
  assert.deepEqual([restored.generation, restored.topicCount, restored.isComplete], [1, 1, false]);
  assert.equal(steps.length, 3);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 50);
  await stage.commit(again.node, topicId);
  assert.equal(await endOffset(again.node, topicId), 60);
  await again.stop();

  const third = freshDatabase();
  assert.equal((await stage.restore(third)).generation, 2, 'the restored cluster was backed up as well');
  const last = await stage.leader(t, third);
  assert.equal(await endOffset(last.node, topicId), 60);
  await last.stop();
  assert.deepEqual(await listGenerations(stage.store, clusterId), [0, 1, 2]);
});

test('the leader that is restored elsewhere stores its last entries and serves no more, nor does its standby', async (t) => {
  const stage = await Stage.open(t);
  const database = freshDatabase();
  const old = await stage.leader(t, database);
  const standby = await stage.serve(t, database, 'two');
  const topicId = await stage.createTopic(old.node, 'orders');
  await stage.clock.pass(intervalMs);
  await stage.commit(old.node, topicId, 7);

  const next = freshDatabase();
  const restored = await stage.restore(next);
  assert.equal(restored.isComplete, true);
  await assert.rejects(stage.commit(old.node, topicId), /restored from its bucket/);
  await stage.clock.pass(60_000);
  assert.deepEqual([old.node.role, standby.node.role], ['stopped', 'stopped']);
  await assert.rejects(stage.commit(standby.node, topicId), /restored from its bucket/);

  const renewed = await stage.leader(t, next, 'three');
  assert.equal(await endOffset(renewed.node, topicId), 70);
  await stage.clock.pass(60_000);
  assert.equal(renewed.node.role, 'leader');
  await renewed.stop();
});

test('objects are bounded: a segment is replaced as it grows, and snapshots replace what is before them', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 3_000);
  const topicId = await stage.createTopic(node, 'orders');
  for (let round = 0; round < 40; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  const { snapshots, segments } = await listBackup(stage.store, clusterId, 0);
  assert.equal(snapshots.length, 2);
  assert.ok(segments.length <= 4, `${segments.length} segments`);
  assert.equal((await stage.keys()).length, snapshots.length + segments.length);
  await stop();
  const database = freshDatabase();
  await stage.restore(database);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 2_000);
  await again.stop();
});

test('a bucket that fails for a while leaves no gap', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 2_000);
  const topicId = await stage.createTopic(node, 'orders');
  await stage.clock.pass(intervalMs);
  stage.store.faults = { failBefore: 1 };
  for (let round = 0; round < 20; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  assert.match(stage.metrics.render(), /metadata_backup_failures_total\{[^}]*\} [1-9]/);
  stage.store.faults = {};
  await stage.clock.pass(2 * intervalMs);
  await stop();
  const database = freshDatabase();
  await stage.restore(database);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 1_000);
  await again.stop();
});

test('a damaged snapshot is replaced by the one before it; a damaged segment is named', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 2_000);
  const topicId = await stage.createTopic(node, 'orders');
  for (let round = 0; round < 20; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  await stop();
  const { snapshots, segments } = await listBackup(stage.store, clusterId, 0);
  await stage.store.put(snapshots.at(-1)!.key, [Buffer.from('nonsense')]);
  const steps: string[] = [];
  const database = freshDatabase();
  await stage.restore(database, steps);
  assert.ok(steps.some((line) => line.startsWith(snapshots.at(-1)!.key)));
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 1_000);
  await stage.commit(again.node, topicId);
  await again.stop();

  const later = await listBackup(stage.store, clusterId, 1);
  const { key } = later.segments.at(-1)!;
  await stage.store.put(key, [Buffer.from('nonsense')]);
  assert.ok(segments.length > 0);
  await assert.rejects(
    stage.restore(freshDatabase()),
    (error: Error) => error instanceof RestoreProblem && error.message.startsWith(`${key}: `),
  );
});

test('a restore refuses a bucket without a backup, a database in use, and a chain without its beginning', async (t) => {
  const stage = await Stage.open(t);
  await assert.rejects(stage.restore(freshDatabase()), /no metadata backup of vci_test/);
  const database = freshDatabase();
  const { node, stop } = await stage.leader(t, database);
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId);
  await stage.clock.pass(intervalMs);
  await assert.rejects(stage.restore(database), /has clusters already; name an empty one/);
  await stop();
  const { segments } = await listBackup(stage.store, clusterId, 0);
  const [{ key, endPosition }] = segments as [(typeof segments)[0]];
  const moved = key.replace(/\d{16}-/, '0000000000000001-');
  await stage.store.put(moved, [Buffer.from('x')]);
  await stage.store.delete(key);
  assert.ok(endPosition > 1);
  await assert.rejects(stage.restore(freshDatabase()), /begins at position 1/);
});
