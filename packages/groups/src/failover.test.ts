import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import {
  commitOf,
  createTopic,
  GroupWorld,
  joinOf,
  stableGroup,
  syncOf,
  withoutDelay,
} from '@weir/metadata/testing';

/** Longer than the lease, so that the standby takes over. */
const failoverMs = 5_000;

test('members keep generation and assignment when the cluster leader is killed', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  await withoutDelay(a.node);
  const topicId = await createTopic(a.node, 't');
  const { memberIds, generationId } = await stableGroup(a.node, 'g', 3);
  const [, member = ''] = memberIds;
  const asMember = { memberId: member, generationIdOrMemberEpoch: generationId };
  await a.node.commitOffsets([commitOf('g', topicId, { 1: 42 }, asMember)]);
  a.process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(b.node.role, 'leader');

  const heartbeats = memberIds.map((memberId) => ({
    groupId: 'g',
    memberId,
    generationId,
    groupInstanceId: null,
  }));
  assert.deepEqual(await b.node.groupHeartbeats(heartbeats), ['NONE', 'NONE', 'NONE']);
  const { assignment } = await b.node.syncGroup(syncOf('g', member, generationId));
  assert.equal(String(Buffer.from(assignment)), '1');
  const [described] = await b.node.describeGroups(['g']);
  assert.equal(described!.state, 'Stable');
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: true, partitions: null };
  const [fetched] = await b.node.fetchOffsets([query]);
  assert.deepEqual(fetched!.offsets, [
    { topicId, partition: 1, offset: 42, leaderEpoch: 0, metadata: '', error: 'NONE' },
  ]);
});

test('sessions restart with the next leader, and a silent member is removed after one session', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  await withoutDelay(a.node);
  const { memberIds, generationId } = await stableGroup(a.node, 'g', 2);
  await world.clock.pass(8_000);
  await a.node.groupHeartbeats([
    { groupId: 'g', memberId: memberIds[0]!, generationId, groupInstanceId: null },
  ]);
  await world.clock.pass(1_000);
  a.process.kill();
  await world.clock.pass(failoverMs);
  const beat = { groupId: 'g', memberId: memberIds[1]!, generationId, groupInstanceId: null };
  assert.deepEqual(await b.node.groupHeartbeats([beat]), ['NONE']);
  await world.clock.pass(9_000);
  assert.deepEqual(
    await b.node.groupHeartbeats([beat]),
    ['REBALANCE_IN_PROGRESS'],
    'the silent member is removed',
  );
});

test('a generation without an assignment continues with the next cluster leader', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  await withoutDelay(a.node);
  const { memberId, generationId } = await a.node.joinGroup(joinOf('g'));
  a.process.kill();
  await world.clock.pass(failoverMs);
  const assignments = [{ memberId, assignment: Buffer.from('x') }];
  const { error } = await b.node.syncGroup(syncOf('g', memberId, generationId, { assignments }));
  assert.equal(error, 'NONE');
});

test('waiting requests fail as unavailable when the term ends', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  await withoutDelay(a.node);
  const { memberIds } = await stableGroup(a.node, 'g', 2);
  const waiting = a.node.joinGroup(joinOf('g', { memberId: memberIds[0]! }));
  const refused = assert.rejects(waiting, ClusterUnavailable);
  const stopped = a.node.stop();
  await world.clock.pass(3_000);
  await stopped;
  await refused;
});

test('a change that was not durable is not answered, and the group continues unchanged on the next leader', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  await withoutDelay(a.node);
  const { memberIds, generationId } = await stableGroup(a.node, 'g', 1);
  a.process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  const left = a.node.leaveGroup({
    groupId: 'g',
    members: [{ memberId: memberIds[0]!, groupInstanceId: null }],
  });
  const refused = assert.rejects(left, ClusterUnavailable);
  await world.clock.pass(failoverMs);
  const beat = { groupId: 'g', memberId: memberIds[0]!, generationId, groupInstanceId: null };
  assert.deepEqual(await b.node.groupHeartbeats([beat]), ['NONE']);
  await refused;
});

test('members that waited for their first generation do not wait as long again at the next leader', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  a.node.joinGroup(joinOf('g')).catch(() => {});
  await world.clock.pass(2_500);
  a.process.kill();
  while (b.node.role !== 'leader') await world.clock.pass(100);
  let generationId = 0;
  b.node.joinGroup(joinOf('g')).then((answer) => {
    generationId = answer.generationId;
  });
  await world.clock.pass(999);
  assert.equal(generationId, 0);
  await world.clock.pass(2);
  assert.equal(generationId, 1);
  // A group that comes later waits as usual.
  await world.clock.pass(10_000);
  let isAnswered = false;
  b.node.joinGroup(joinOf('later')).then(() => {
    isAnswered = true;
  });
  await world.clock.pass(2_999);
  assert.equal(isAnswered, false);
  await world.clock.pass(2);
  assert.equal(isAnswered, true);
});

test('deleted groups stay deleted, and pending member ids are unknown to the next leader', async () => {
  const world = new GroupWorld();
  const a = await world.start('a');
  const b = await world.start('b');
  await withoutDelay(a.node);
  const { memberIds } = await stableGroup(a.node, 'gone', 1);
  await a.node.leaveGroup({ groupId: 'gone', members: [{ memberId: memberIds[0]!, groupInstanceId: null }] });
  assert.deepEqual(await a.node.deleteGroups(['gone']), ['NONE']);
  const given = await a.node.joinGroup(joinOf('g', { requiresKnownMemberId: true }));
  assert.equal(given.error, 'MEMBER_ID_REQUIRED');
  a.process.kill();
  await world.clock.pass(failoverMs);
  assert.deepEqual(await b.node.listGroups({ states: [], types: [] }), []);
  const again = joinOf('g', { requiresKnownMemberId: true, memberId: given.memberId });
  assert.equal((await b.node.joinGroup(again)).error, 'UNKNOWN_MEMBER_ID');
});
