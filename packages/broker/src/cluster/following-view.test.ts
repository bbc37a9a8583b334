import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  callOn,
  portOf,
} from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { testAgent } from '../../testing/agent.ts';
import { commitOf } from '../../testing/file-commit.ts';
import type { ClusterView } from './cluster-view.ts';
import { type ClusterViewOptions, createClusterView, staleMs } from './following-view.ts';

async function viewOf(cluster: TestCluster, options: Partial<ClusterViewOptions> = {}) {
  const view = createClusterView(cluster, { log: silentLog, ...options });
  await view.ready();
  return view;
}

test('the first snapshot makes the view ready', async () => {
  const cluster = new TestCluster({ clusterConfigs: { 'num.partitions': '2' }, agents: [testAgent('one')] });
  const { topicId } = cluster.addTopic('t', 2);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 1, records: 3 }])]);
  const view = await viewOf(cluster);
  assert.equal(view.clusterId, 'vci_test');
  assert.deepEqual(view.clusterConfigs(), { 'num.partitions': '2' });
  assert.deepEqual(
    view.agents().map(({ agentId }) => agentId),
    ['one'],
  );
  assert.equal(view.topicByName('t')?.topicId, topicId);
  assert.equal(view.topicById(topicId)?.name, 't');
  assert.deepEqual(view.ends(topicId, 1), { logStartOffset: 0, nextOffset: 3, lastStableOffset: 3 });
  assert.equal(view.ends(topicId, 2), undefined);
  assert.equal(view.ends('other', 0), undefined);
});

test('the revision of the schema registry is followed', async () => {
  const cluster = new TestCluster();
  const change = (expectedRevision: number, key: string) =>
    cluster.changeRegistry({ expectedRevision, changes: [{ key, value: Buffer.of(1) }] });
  await change(0, 'a');
  const view = await viewOf(cluster);
  assert.equal(view.registryRevision(), 1);
  const seen: number[] = [];
  const end = view.onRegistryChange(() => seen.push(view.registryRevision()));
  await change(1, 'b');
  await settle();
  end();
  await change(2, 'c');
  await settle();
  assert.deepEqual([seen, view.registryRevision()], [[2], 3]);
  const page = await view.port.readRegistry({ afterRevision: 1, startRevision: 0, bytesMax: 1000 });
  assert.deepEqual(
    page.entries.map(({ key }) => key),
    ['b', 'c'],
  );
});

test('a view that is closed before it is ready rejects', async () => {
  const cluster = new TestCluster();
  cluster.holdChanges();
  const view = createClusterView(cluster, { log: silentLog });
  const ready = view.ready();
  view.close();
  await assert.rejects(ready, ClusterUnavailable);
  await assert.rejects(view.ready(), ClusterUnavailable);
  assert.equal(cluster.followerCount, 0);
});

test('snapshots and changes are reported before the view applies them', async () => {
  const cluster = new TestCluster({ agents: [testAgent('one')] });
  const reported: string[] = [];
  const view: ClusterView = await viewOf(cluster, {
    onSnapshot: ({ agents }) => reported.push(`snapshot with ${agents[0]!.agentId}`),
    onChanges: (changes) =>
      reported.push(...changes.map(({ kind }) => `${kind} at ${[...view.topics()].length}`)),
  });
  cluster.addTopic('t', 1);
  await settle();
  assert.deepEqual(reported, ['snapshot with one', 'topic at 0']);
});

test('changes are applied in order', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster);
  const { topicId } = cluster.addTopic('t', 1);
  await cluster.createPartitions([{ name: 't', partitionCount: 3 }], { validateOnly: false });
  await cluster.commitFiles([commitOf(topicId, [{ partition: 2, records: 4 }])]);
  assert.equal(view.topicByName('t')?.partitionCount, 3);
  assert.equal(view.ends(topicId, 2)?.nextOffset, 4);
  await cluster.heartbeat(testAgent('two'));
  assert.equal(view.agents().length, 1);
  await cluster.deleteTopics([{ name: 't' }]);
  assert.equal(view.topicByName('t'), undefined);
  assert.equal(view.topicById(topicId), undefined);
  assert.equal(view.recentPointers(topicId, 2, 0, 1), undefined);
  const again = cluster.addTopic('t', 1);
  await settle();
  assert.equal(view.topicByName('t')?.topicId, again.topicId);
  assert.deepEqual([...view.topics()], [again]);
});

test('changes of cluster configs and log starts are applied', async () => {
  const cluster = new TestCluster({ clusterConfigs: { 'num.partitions': '2' } });
  const { topicId } = cluster.addTopic('t', 3);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 2, records: 4 }])]);
  const followers: ClusterFollower[] = [];
  const port: ClusterPort = Object.assign(Object.create(cluster) as ClusterPort, {
    follow(follower: ClusterFollower) {
      followers.push(follower);
      return cluster.follow(follower);
    },
  });
  const view = createClusterView(port, { log: silentLog });
  await view.ready();
  const partition = Uint32Array.of(2, 7);
  const logStartOffset = Float64Array.of(3, 1);
  followers[0]!.onChanges([
    { kind: 'clusterConfigs', configs: { c: 'd' } },
    { kind: 'logStarts', topicId, partition, logStartOffset },
    { kind: 'logStarts', topicId: 'gone', partition, logStartOffset },
  ]);
  assert.deepEqual(view.clusterConfigs(), { c: 'd' });
  assert.equal(view.ends(topicId, 2)?.logStartOffset, 3);
  assert.equal(view.ends(topicId, 0)?.logStartOffset, 0);
  view.close();
});

test('a log start never goes back, whether an answer, a change or a snapshot showed it', async () => {
  const cluster = new TestCluster();
  const { topicId } = cluster.addTopic('t', 1);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 9 }])]);
  let follower: ClusterFollower | undefined;
  let first: ClusterSnapshot | undefined;
  const port: ClusterPort = Object.assign(Object.create(cluster) as ClusterPort, {
    follow(target: ClusterFollower) {
      follower = target;
      return cluster.follow({
        onSnapshot(snapshot) {
          first = snapshot;
          target.onSnapshot(snapshot);
        },
        // The stream is behind.
        onChanges() {},
      });
    },
  });
  const view = createClusterView(port, { log: silentLog });
  await view.ready();
  const logStart = () => view.ends(topicId, 0)!.logStartOffset;
  const moved = (offset: number) =>
    follower!.onChanges([
      { kind: 'logStarts', topicId, partition: Uint32Array.of(0), logStartOffset: Float64Array.of(offset) },
    ]);
  await view.port.deleteRecords([{ topicId, partition: 0, offset: 2 }]);
  assert.equal(logStart(), 2);
  await cluster.deleteRecords([{ topicId, partition: 0, offset: 4 }]);
  await view.port.findBatches([{ topicId, partition: 0, offset: 9, bytesMax: 1 }]);
  assert.equal(logStart(), 4);
  await cluster.deleteRecords([{ topicId, partition: 0, offset: 5 }]);
  await view.port.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.equal(logStart(), 5);
  moved(7);
  moved(6);
  assert.equal(logStart(), 7);
  follower!.onSnapshot(first!);
  assert.deepEqual(view.ends(topicId, 0), { logStartOffset: 7, nextOffset: 10, lastStableOffset: 9 });
  view.close();
});

test('a view is stale when the leader has not answered for a while', async () => {
  const clock = new HandClock();
  const cluster = new TestCluster();
  const { topicId } = cluster.addTopic('t', 1);
  let delayMs = 0;
  const port: ClusterPort = {
    ...portOf(async (name, args) => {
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      return callOn(cluster, name, args);
    }),
    follow: (follower) => cluster.follow(follower),
  };
  const view = createClusterView(port, { clock, log: silentLog });
  await view.ready();
  assert.equal(view.isStale(), false);
  clock.advance(staleMs + 1);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.equal(view.isStale(), true, 'changes may have waited on their way');
  const ask = () => view.port.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  await clock.until(ask());
  assert.equal(view.isStale(), false);
  // An answer shows what was true when its call was sent.
  delayMs = staleMs + 1;
  await clock.until(ask());
  assert.equal(view.isStale(), true);
  view.close();
});

test('recent pointers equal the result of findBatches, without a call', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster);
  const { topicId } = cluster.addTopic('t', 2);
  for (const records of [3, 1, 2, 5]) {
    await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records, bytes: 100 }])]);
  }
  for (let offset = 0; offset <= 11; offset++) {
    for (const bytesMax of [0, 1, 100, 101, 250, 1000]) {
      const [found] = await cluster.findBatches([{ topicId, partition: 0, offset, bytesMax }]);
      assert.deepEqual(
        view.recentPointers(topicId, 0, offset, bytesMax),
        found!.pointers,
        `${offset} ${bytesMax}`,
      );
    }
  }
  assert.equal(view.recentPointers(topicId, 0, 12, 1), undefined);
  assert.equal(view.recentPointers(topicId, 1, 0, 1), undefined);
});

test('the oldest pointers are dropped first, per partition and overall', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster, { recentPointersPerPartitionMax: 3, recentPointersMax: 5 });
  const { topicId } = cluster.addTopic('t', 3);
  const commit = (partition: number) => cluster.commitFiles([commitOf(topicId, [{ partition, records: 1 }])]);
  const known = (partition: number) =>
    Array.from(
      { length: 10 },
      (_, offset) => view.recentPointers(topicId, partition, offset, 1e9)?.fileId.length ?? 0,
    );
  for (let count = 0; count < 4; count++) await commit(0);
  assert.deepEqual(known(0).slice(0, 4), [0, 3, 2, 1]);
  await commit(1);
  await commit(1);
  // The sixth pointer evicts the first, which partition 0 had already dropped; the seventh and eighth evict two that it
  // still has.
  assert.deepEqual(known(0).slice(0, 4), [0, 3, 2, 1]);
  await commit(2);
  await commit(2);
  assert.deepEqual(known(0).slice(0, 4), [0, 0, 0, 1]);
  assert.deepEqual(known(1).slice(0, 2), [2, 1]);
});

test('after a lost stream the view returns nothing wrong', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster);
  const { topicId } = cluster.addTopic('t', 2);
  const gone = cluster.addTopic('gone');
  const both = [
    { partition: 0, records: 2 },
    { partition: 1, records: 2 },
  ];
  await cluster.commitFiles([commitOf(topicId, both)]);
  let woken = '';
  view.whenBeyond(topicId, 0, 2, () => {
    woken += 'grown ';
  });
  view.whenBeyond(gone.topicId, 0, 0, () => {
    woken += 'deleted ';
  });
  view.whenBeyond(topicId, 1, 2, () => {
    woken += 'wrong ';
  });
  cluster.holdChanges();
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 3 }])]);
  await cluster.deleteTopics([{ name: 'gone' }]);
  cluster.deleteRecordsBefore(topicId, 1, 1);
  cluster.reconnectFollowers();
  cluster.releaseChanges();
  await settle();
  assert.equal(woken, 'grown deleted ');
  assert.deepEqual(view.ends(topicId, 0), { logStartOffset: 0, nextOffset: 5, lastStableOffset: 5 });
  assert.deepEqual(view.ends(topicId, 1), { logStartOffset: 1, nextOffset: 2, lastStableOffset: 2 });
  assert.equal(view.topicByName('gone'), undefined);
  // Partition 0 grew unseen, so its pointers have a gap; partition 1 did not.
  assert.equal(view.recentPointers(topicId, 0, 0, 1), undefined);
  assert.equal(view.recentPointers(topicId, 1, 1, 1)?.fileId.length, 1);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.equal(view.recentPointers(topicId, 0, 5, 1)?.fileId.length, 1);
  assert.equal(view.recentPointers(topicId, 0, 4, 1), undefined);
});

test('own commits move the end at once, and the pointers follow', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster);
  const { topicId } = cluster.addTopic('t');
  await settle();
  cluster.holdChanges();
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 2 }])]);
  assert.equal(view.ends(topicId, 0)?.nextOffset, 0);
  await view.port.commitFiles([commitOf(topicId, [{ partition: 0, records: 3 }])]);
  assert.equal(view.ends(topicId, 0)?.nextOffset, 5);
  assert.equal(view.recentPointers(topicId, 0, 0, 1e9), undefined);
  cluster.releaseChanges();
  await settle();
  assert.equal(view.ends(topicId, 0)?.nextOffset, 5);
  assert.deepEqual([...view.recentPointers(topicId, 0, 0, 1e9)!.nextOffset], [2, 5]);
});

test('a waiter is called once and then removed', async () => {
  const cluster = new TestCluster();
  const view = await viewOf(cluster);
  const { topicId } = cluster.addTopic('t', 2);
  await settle();
  const calls: string[] = [];
  const note = (word: string) => () => {
    calls.push(word);
  };
  view.whenBeyond(topicId, 0, 0, note('first'));
  view.whenBeyond(topicId, 0, 3, note('later'));
  view.whenBeyond(topicId, 1, 0, note('elsewhere'));
  const cancel = view.whenBeyond(topicId, 0, 0, note('cancelled'));
  cancel();
  cancel();
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 2 }])]);
  assert.deepEqual(calls, ['first']);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.deepEqual(calls, ['first']);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.deepEqual(calls, ['first', 'later']);
  view.whenBeyond(topicId, 0, 0, note('at once'));
  view.whenBeyond('no such topic', 0, 0, note('unknown'));
  assert.deepEqual(calls.slice(2), ['at once', 'unknown']);
  view.close();
  assert.deepEqual(calls.slice(4), ['elsewhere']);
});

test('a waiter that throws does not block the others', async () => {
  const cluster = new TestCluster();
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => void errors.push(message) };
  const view = await viewOf(cluster, { log });
  const { topicId } = cluster.addTopic('t');
  await settle();
  let called = false;
  view.whenBeyond(topicId, 0, 0, () => {
    throw new Error('mine');
  });
  view.whenBeyond(topicId, 0, 0, () => {
    called = true;
  });
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }])]);
  assert.equal(called, true);
  assert.equal(errors.length, 1);
});
