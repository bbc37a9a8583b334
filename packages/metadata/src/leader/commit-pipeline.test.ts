import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange, ClusterSnapshot } from '@weir/cluster';
import { type HandClock, settle } from '@weir/core/testing';
import { ControlPlanes } from '../../testing/control-planes.ts';
import { file, follow, leader, leaderAndStandby, nextOffset, topicOf } from '../../testing/leader-stage.ts';
import { noFaults } from '../../testing/simulated-process.ts';
import { metadataLimits } from '../limits.ts';
import type { ClusterNode } from './cluster-node.ts';

/** Commands, the journal and its snapshots, and what followers see of them. */

test('failed appends are retried while the lease holds, and stored once', async () => {
  const { clock, process, node } = await leader();
  const topicId = await topicOf(node);
  for (const faults of [
    { ...noFaults, refuse: 1 },
    { ...noFaults, loseAnswer: 1 },
  ]) {
    process.faults = faults;
    const committed = node.commitFiles([file(faults.refuse, topicId)]);
    await clock.pass(500);
    process.faults = noFaults;
    await clock.pass(500);
    await committed;
  }
  assert.equal(await nextOffset(node, topicId), 2);
});

test('commands that wait for an append share the next one', async () => {
  const { clock, process, node } = await leader();
  const topicId = await topicOf(node);
  process.faults = { ...noFaults, delayMsMax: 5 };
  const before = process.appendCount;
  const commits = Array.from({ length: 64 }, (_, number) => node.commitFiles([file(number, topicId)]));
  await settle();
  const later = Array.from({ length: 64 }, (_, number) => node.commitFiles([file(100 + number, topicId)]));
  await clock.pass(100);
  const results = await Promise.all([...commits, ...later]);
  assert.equal(process.appendCount - before, 2);
  assert.deepEqual(
    results.map(([result]) => result!.baseOffset[0]),
    results.map((_, offset) => offset),
  );
});

test('nothing is visible before it is durable', async () => {
  const { clock, process, node } = await leader();
  const topicId = await topicOf(node);
  const early = follow(node);
  await settle();
  process.faults = { ...noFaults, refuse: 1 };
  const order: string[] = [];
  node.commitFiles([file(1, topicId)]).then(() => order.push('commit'));
  await settle();
  nextOffset(node, topicId).then((offset) => order.push(`read ${offset}`));
  const late = follow(node);
  node.commitFiles([file(2, topicId)]).then(() => order.push('commit'));
  await clock.pass(300);
  assert.deepEqual(order, []);
  assert.equal(early.events.length, 1);
  assert.equal(late.events.length, 0);

  process.faults = noFaults;
  await clock.pass(300);
  assert.deepEqual(order, ['commit', 'read 1', 'commit']);
  const offsets = (events: typeof early.events) =>
    events
      .slice(1)
      .flatMap((event) => event as readonly ClusterChange[])
      .map((change) => (change.kind === 'appended' ? change.pointers.baseOffset[0] : change.kind));
  assert.deepEqual(offsets(early.events), [0, 1]);
  assert.equal((late.events[0] as ClusterSnapshot).nextOffset[0], 1);
  assert.deepEqual(offsets(late.events), [1]);
});

test('the queue of the journal is limited', async () => {
  const { clock, process, node } = await leader();
  process.faults = { ...noFaults, refuse: 1 };
  const settled = Array.from({ length: metadataLimits.waitingCallsMax + 1 }, () =>
    node.allocateProducerIds(1).then(
      () => 'done',
      (error: Error) => error.message,
    ),
  );
  assert.match((await settled.at(-1))!, /20000 calls are queued for the journal; try again later/);
  process.faults = noFaults;
  await clock.pass(200);
  assert.equal(await settled[0], 'done');
  assert.equal(await node.allocateProducerIds(1), metadataLimits.waitingCallsMax + 1);
});

test('a malformed command fails only for its caller', async () => {
  const { node } = await leader();
  await assert.rejects(node.allocateProducerIds(-1), TypeError);
  assert.equal(await node.allocateProducerIds(5), 1);
});

test('a follower gets a snapshot in each term, and nothing after it unsubscribed', async () => {
  const { clock, process, node } = await leader();
  const topicId = await topicOf(node);
  const { events, stop } = follow(node);
  await node.commitFiles([file(1, topicId)]);
  process.faults = { ...noFaults, refuse: 1 };
  await clock.pass(4_000);
  assert.equal(node.role, 'standby');
  process.faults = noFaults;
  await clock.pass(1_000);
  assert.deepEqual(
    events.map((event) => (Array.isArray(event) ? 'changes' : 'snapshot')),
    ['snapshot', 'changes', 'snapshot'],
  );
  stop();
  await node.commitFiles([file(2, topicId)]);
  await settle();
  assert.equal(events.length, 3);
});

/** Commits forty files into a new topic. */
async function commitForTwentySeconds(clock: HandClock, node: ClusterNode): Promise<string> {
  const topicId = await topicOf(node);
  for (let number = 0; number < 40; number++) {
    await node.commitFiles([file(number, topicId)]);
    await clock.pass(500);
  }
  return topicId;
}

test('the standby takes the snapshots, and without one the leader does', async () => {
  for (const hasStandby of [true, false]) {
    const { world, clock, ...a } = await leader({ snapshotBytesMin: 1_000 });
    const b = hasStandby ? world.start('b', { snapshotBytesMin: 1_000 }) : undefined;
    const topicId = await commitForTwentySeconds(clock, a.node);
    assert.ok((await world.journal().snapshotPosition()) > 0);
    assert.equal(a.process.snapshotCount > 0, !hasStandby);
    a.process.kill();
    b?.process.kill();

    const c = world.start('c');
    await clock.pass(4_000);
    assert.equal(await nextOffset(c.node, topicId), 40);
  }
});

test('an unreadable snapshot is skipped for the previous one', async () => {
  const { world, clock, node } = await leader({ snapshotBytesMin: 500 });
  const topicId = await commitForTwentySeconds(clock, node);
  await node.stop();
  const broken = world.journal();
  const position = await broken.snapshotPosition();
  await broken.saveSnapshot(position + 1, [Buffer.from('not a snapshot')]);
  const b = world.start('b');
  await clock.pass(1_000);
  assert.equal(b.node.role, 'leader');
  assert.equal(await nextOffset(b.node, topicId), 40);
});

test('cluster time does not run backwards with the wall clock', async () => {
  const world = new ControlPlanes();
  const { clock } = world;
  let nowMs = 2_000_000;
  const skewed = {
    nowMs: () => nowMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs: number, run: () => void) => clock.after(delayMs, run),
  };
  const { node } = await world.startLeader('a', { clock: skewed });
  const created = async (name: string) => {
    const topics = [{ name, partitionCount: 1, configs: {} }];
    const [result] = await node.createTopics(topics, { validateOnly: false });
    return result!.topic!.createdMs;
  };
  assert.equal(await created('first'), 2_000_000);
  nowMs = 1_000_000;
  assert.equal(await created('second'), 2_000_000);
});

test('a leader that was paused gives followers nothing before it knows whether it still leads', async () => {
  const { clock, a, b } = await leaderAndStandby(0);
  const topicId = await topicOf(a.node);
  await a.node.commitFiles([file(1, topicId)]);
  a.process.pause();
  assert.ok(await clock.pass(60_000, () => b.node.role === 'leader'));
  await b.node.deleteRecords([{ topicId, partition: 0, offset: 1 }]);
  a.process.resume();
  const { events } = follow(a.node);
  await clock.pass(60_000);
  assert.deepEqual([a.node.role, events], ['standby', []]);

  // One that still leads does.
  b.process.pause();
  const { events: later } = follow(b.node);
  await clock.pass(1_000);
  b.process.resume();
  await clock.pass(60_000);
  assert.equal((later[0] as ClusterSnapshot).logStartOffset[0], 1);
});
