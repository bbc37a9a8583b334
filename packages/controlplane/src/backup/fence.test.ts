import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { SimulatedProcess } from '@weir/metadata/testing';
import { BackupStage, clusterId, endOffset, freshDatabase, intervalMs } from '../../testing/backup-stage.ts';
import { closedKey } from './backup-objects.ts';

const minuteMs = 60_000;

/** A control plane that can be paused, which leads; and a topic. */
async function pausable(t: TestContext, stage: BackupStage, databaseUrl: string, backupMs?: number) {
  const process = new SimulatedProcess(stage.clock, seededRandom(1));
  /** Seconds that the wall clock is ahead, and that the monotonic clock is behind. */
  const jumps = { wallMs: 0, suspendedMs: 0 };
  const clock = {
    ...process.clock,
    nowMs: () => stage.clock.nowMs() + jumps.wallMs,
    monotonicMs: () => stage.clock.monotonicMs() - jumps.suspendedMs,
  };
  const simulated = { clock, journal: process.journal.bind(process) };
  const { node } = await stage.serve(t, databaseUrl, 'one', undefined, undefined, simulated, backupMs);
  assert.ok(await stage.clock.pass(minuteMs, () => node.role === 'leader'));
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 3);
  await stage.clock.pass(intervalMs);
  return { process, jumps, node, topicId };
}

/** Commits all the time for a while. Returns how many commits were acknowledged. */
async function acknowledgedIn(
  stage: BackupStage,
  node: ClusterNode,
  topicId: string,
  ms: number,
): Promise<number> {
  let acknowledged = 0;
  let isOver = false;
  const commits = (async () => {
    while (!isOver) {
      await stage.commit(node, topicId).then(
        () => acknowledged++,
        () => undefined,
      );
      await new Promise<void>((resolve) => stage.clock.after(50, resolve));
    }
  })();
  await stage.clock.pass(ms);
  isOver = true;
  await stage.clock.pass(10);
  void commits;
  return acknowledged;
}

for (const [what, backupMs] of [
  ['the usual interval', intervalMs],
  ['a long interval', 10 * minuteMs],
] as const)
  test(`a control plane that comes back after a restore acknowledges nothing, with ${what}`, async (t) => {
    const stage = await BackupStage.open(t);
    const database = freshDatabase();
    const { process, topicId } = await pausable(t, stage, database, backupMs);
    await stage.clock.pass(backupMs);
    process.kill();
    const next = freshDatabase();
    assert.equal((await stage.restore(next)).isComplete, false);

    const old = await stage.serve(t, database, 'two', undefined, undefined, undefined, backupMs);
    assert.equal(await acknowledgedIn(stage, old.node, topicId, minuteMs), 0);
    assert.equal(old.node.role, 'stopped');
    await assert.rejects(stage.commit(old.node, topicId), /restored from its bucket/);
    assert.ok(await stage.store.head(closedKey(clusterId, 0)), 'what it had is in the bucket');

    const renewed = await stage.leader(t, next, 'three');
    assert.equal(await endOffset(renewed.node, topicId), 30);
    await renewed.stop();
  });

test('a control plane that starts while a restore waits for it stores what it has, and nothing is lost', async (t) => {
  const stage = await BackupStage.open(t);
  const database = freshDatabase();
  const { process, node, topicId } = await pausable(t, stage, database, 10 * minuteMs);
  assert.equal(node.role, 'leader');
  await stage.clock.pass(10 * minuteMs);
  await stage.commit(node, topicId, 2);
  process.kill();
  const next = freshDatabase();
  const restoring = stage.restore(next);
  await stage.serve(t, database, 'two', undefined, undefined, undefined, 10 * minuteMs);
  assert.equal((await restoring).isComplete, true);
  const renewed = await stage.leader(t, next, 'three');
  assert.equal(await endOffset(renewed.node, topicId), 50);
  await renewed.stop();
});

test('a control plane that was stopped while its cluster was restored acknowledges nothing when it goes on', async (t) => {
  const stage = await BackupStage.open(t);
  const { process, node, topicId } = await pausable(t, stage, freshDatabase());
  const underWay = stage.commit(node, topicId).then(
    () => 'acknowledged',
    () => 'refused',
  );
  process.pause();
  assert.equal((await stage.restore(freshDatabase())).isComplete, false);
  process.resume();
  assert.equal(await acknowledgedIn(stage, node, topicId, minuteMs), 0);
  assert.equal(await underWay, 'refused', 'the journal has it, but not the restored cluster');
  assert.equal(node.role, 'stopped');
});

test('a machine that was suspended, whose monotonic clock stood still, acknowledges nothing before it looks', async (t) => {
  const stage = await BackupStage.open(t);
  const { process, jumps, node, topicId } = await pausable(t, stage, freshDatabase());
  const startMs = stage.clock.monotonicMs();
  process.pause();
  assert.equal((await stage.restore(freshDatabase())).isComplete, false);
  jumps.suspendedMs = stage.clock.monotonicMs() - startMs;
  process.resume();
  assert.equal(await acknowledgedIn(stage, node, topicId, minuteMs), 0);
  assert.equal(node.role, 'stopped');
});

test('a paused control plane goes on when there was no restore, also with a clock that was set', async (t) => {
  const stage = await BackupStage.open(t);
  const { process, jumps, node, topicId } = await pausable(t, stage, freshDatabase());
  process.pause();
  await stage.clock.pass(minuteMs);
  process.resume();
  assert.ok((await acknowledgedIn(stage, node, topicId, minuteMs)) > 100);
  for (const jumpMs of [7 * 3_600_000, -7 * 3_600_000]) {
    jumps.wallMs += jumpMs;
    assert.ok((await acknowledgedIn(stage, node, topicId, minuteMs)) > 100);
  }
  assert.equal(node.role, 'leader');
  // It cannot be known while the bucket is out.
  stage.store.faults = { failBefore: 1 };
  assert.ok((await acknowledgedIn(stage, node, topicId, minuteMs)) > 100, 'it knows that it was not paused');
  process.pause();
  await stage.clock.pass(minuteMs);
  process.resume();
  assert.equal(await acknowledgedIn(stage, node, topicId, minuteMs), 0);
  stage.store.faults = {};
  assert.ok((await acknowledgedIn(stage, node, topicId, minuteMs)) > 100);
});

test('a control plane whose bucket is out when it starts waits for it, and lets another one lead', async (t) => {
  const stage = await BackupStage.open(t);
  const database = freshDatabase();
  const { process, topicId } = await pausable(t, stage, database);
  process.kill();
  for (const faults of [{ failBefore: 1 }, { slow: 1, slowMs: 10 * minuteMs }]) {
    stage.store.faults = faults;
    const { node, stop } = await stage.serve(t, database, 'two');
    assert.equal(await acknowledgedIn(stage, node, topicId, minuteMs), 0);
    await assert.rejects(
      stage.commit(node, topicId),
      /no leader now \(the bucket cannot be asked whether the cluster was restored elsewhere: /,
    );
    stage.store.faults = {};
    assert.ok((await acknowledgedIn(stage, node, topicId, minuteMs)) > 100);
    await stop();
  }
});

test('a cluster whose bucket is yet to be made is served; one that had a bucket waits for it', async (t) => {
  const stage = await BackupStage.open(t);
  stage.store.faults = { failBefore: 1, kind: 'bucketMissing' };
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stop();

  stage.store.faults = {};
  const database = freshDatabase();
  const first = await stage.leader(t, database);
  await first.node.claimBucket('bkt_1');
  await first.stop();
  stage.store.faults = { failBefore: 1, kind: 'bucketMissing' };
  const again = await stage.serve(t, database, 'two');
  assert.equal(await acknowledgedIn(stage, again.node, topicId, minuteMs), 0);
  assert.equal(again.node.role, 'standby');
});

test('a slow bucket does not keep a leader from finding the fence', async (t) => {
  const stage = await BackupStage.open(t);
  const { node, topicId } = await pausable(t, stage, freshDatabase());
  const { store } = stage;
  const put = store.put.bind(store);
  store.put = async (...args) => {
    await new Promise<void>((resolve) => stage.clock.after(minuteMs, resolve));
    return put(...args);
  };
  await stage.commit(node, topicId);
  await stage.clock.pass(intervalMs);
  const restoring = stage.restore(freshDatabase());
  void restoring;
  await stage.clock.pass(2 * intervalMs);
  assert.equal(node.role, 'stopped');
  await restoring;
});
