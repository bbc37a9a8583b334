import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSequenceSilenceMsMax, type ReplayTask, readReplayTask, sequenceReplayKind } from '@weir/cluster';
import { agentDescription } from '@weir/cluster/testing';
import { TestCluster } from '../../testing/test-cluster.ts';
import { metadataLimits } from '../limits.ts';

const ids = Array.from({ length: 5 }, (_, n) => n.toString(16).padStart(13, '0'));
const sequence = (n: number, isNew: boolean) => ({ sequenceId: ids[n]!, fromMs: 1_000 + n, isNew });

const left = (n: number) => ({ ...sequence(n, false), isRipcord: true, isLeft: true });

/** Passes time, and returns the sequences whose replay the leader has planned by then. */
async function plannedAfter(cluster: TestCluster, ms: number): Promise<number[]> {
  await cluster.clock.pass(ms);
  const planned: number[] = [];
  for (let claims = 0; claims < 2; claims++) {
    const claim = cluster.claimJobs({ agentId: 'z', kinds: [sequenceReplayKind], slots: 8, waitMs: 6_000 });
    for (let seconds = 0; seconds < 7; seconds++) {
      await cluster.heartbeat(agentDescription('z'));
      await cluster.clock.pass(1_000);
    }
    planned.push(...(await claim).map(({ task }) => ids.indexOf(readReplayTask(task).sequenceId)));
  }
  return planned;
}

/** The same, with whether the bucket may still give leases of them. */
async function tasksAfter(cluster: TestCluster, ms: number) {
  await cluster.clock.pass(ms);
  const tasks: ReplayTask[] = [];
  for (let claims = 0; claims < 2; claims++) {
    const claim = cluster.claimJobs({ agentId: 'z', kinds: [sequenceReplayKind], slots: 8, waitMs: 6_000 });
    for (let seconds = 0; seconds < 7; seconds++) {
      await cluster.heartbeat(agentDescription('z'));
      await cluster.clock.pass(1_000);
    }
    tasks.push(...(await claim).map(({ task }) => readReplayTask(task)));
  }
  return tasks.map(({ sequenceId, hasBucketLease = false }) => [ids.indexOf(sequenceId), hasBucketLease]);
}

test('a sequence is open until it is closed, for its agent alone', async () => {
  const cluster = new TestCluster();
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, false)]), [false]);
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, true), sequence(1, true)]), [
    true,
    true,
  ]);
  // The answer was lost.
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, true)]), [true]);
  assert.deepEqual(await cluster.keepFileSequences('b', [sequence(0, true)]), [false]);
  await cluster.closeFileSequences([ids[0]!]);
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, false), sequence(1, false)]), [
    false,
    true,
  ]);
  const many = Array.from({ length: metadataLimits.fileSequencesPerCallMax + 1 }, () => sequence(0, true));
  await assert.rejects(cluster.keepFileSequences('a', many), /too many/);
  await assert.rejects(cluster.closeFileSequences(many.map(({ sequenceId }) => sequenceId)), /too many/);
});

test('a silent sequence is ended for good, and replayed, of each agent the oldest first', async () => {
  const cluster = new TestCluster();
  await cluster.keepFileSequences('a', [sequence(0, true), sequence(1, true)]);
  await cluster.keepFileSequences('b', [sequence(2, true)]);
  await cluster.keepFileSequences('c', [sequence(3, true)]);
  for (let passedMs = 0; passedMs < 2 * fileSequenceSilenceMsMax; passedMs += 5_000) {
    await cluster.clock.pass(5_000);
    assert.deepEqual(await cluster.keepFileSequences('c', [sequence(3, false)]), [true]);
  }
  assert.deepEqual(await plannedAfter(cluster, 0), [0, 2]);
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, false), sequence(1, true)]), [
    false,
    false,
  ]);
  await cluster.keepFileSequences('c', [sequence(3, false)]);
  await cluster.closeFileSequences([ids[0]!]);
  assert.ok((await plannedAfter(cluster, 5_000)).includes(1));
});

test('a new leader waits as long as an earlier one that heard of a sequence a moment ago', async () => {
  const cluster = new TestCluster();
  await cluster.keepFileSequences('a', [sequence(0, true)]);
  await cluster.clock.pass(fileSequenceSilenceMsMax - 10_000);
  cluster.failOver();
  assert.deepEqual(await plannedAfter(cluster, 5_000), []);
  assert.deepEqual(await cluster.keepFileSequences('a', [sequence(0, false)]), [true]);
  assert.deepEqual(await plannedAfter(cluster, fileSequenceSilenceMsMax), [0]);
});

test('a sequence that its agent has left is replayed at once, and open until it is closed', async () => {
  const cluster = new TestCluster();
  const kept = { ...sequence(1, true), isRipcord: true };
  await cluster.keepFileSequences('a', [{ ...sequence(0, true), isRipcord: true }, kept]);
  assert.deepEqual(await cluster.keepFileSequences('a', [left(0), kept]), [true, true]);
  assert.deepEqual(await tasksAfter(cluster, 0), [[0, false]]);
  assert.deepEqual(await cluster.keepFileSequences('b', [left(0)]), [false], 'it belongs to another agent');
  assert.deepEqual(await cluster.keepFileSequences('a', [left(0), kept]), [true, true]);
  await cluster.closeFileSequences([ids[0]!]);
  assert.deepEqual(await cluster.keepFileSequences('a', [left(0), kept]), [false, true]);
});

test('a sequence that was left and is not known, as after a restore, is replayed', async () => {
  const cluster = new TestCluster();
  assert.deepEqual(await cluster.keepFileSequences('a', [left(0)]), [false]);
  assert.deepEqual(await cluster.keepFileSequences('a', [{ ...left(0), isNew: true }]), [true]);
  assert.deepEqual(await tasksAfter(cluster, 0), [[0, false]]);
});

test('what an agent has left waits for an older sequence that is still open', async () => {
  const cluster = new TestCluster();
  // The younger one was registered first.
  await cluster.keepFileSequences('a', [sequence(1, true)]);
  await cluster.keepFileSequences('a', [sequence(0, true)]);
  await cluster.keepFileSequences('a', [left(1), sequence(0, false)]);
  assert.deepEqual(await tasksAfter(cluster, 0), []);
  await cluster.closeFileSequences([ids[0]!]);
  assert.deepEqual(await tasksAfter(cluster, 0), [[1, false]]);
});

test('the job of a silent agent with ripcord first ends the leases of the bucket', async () => {
  const cluster = new TestCluster();
  await cluster.keepFileSequences('a', [{ ...sequence(0, true), isRipcord: true }]);
  await cluster.keepFileSequences('b', [sequence(1, true)]);
  const tasks = await tasksAfter(cluster, fileSequenceSilenceMsMax);
  assert.deepEqual(tasks.sort(), [
    [0, true],
    [1, false],
  ]);
});
