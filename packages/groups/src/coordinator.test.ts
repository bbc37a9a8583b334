import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupError } from '@weir/cluster';
import { agentDescription } from '@weir/cluster/testing';
import { coreLimits } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import {
  commitOf,
  createTopic,
  GroupWorld,
  joinOf,
  stableGroup,
  subscriptionTo,
  syncOf,
  withoutDelay,
} from '@weir/metadata/testing';

const minuteMs = 60_000;

async function leader(): Promise<{ world: GroupWorld; node: ClusterNode }> {
  const world = new GroupWorld();
  const { node } = await world.start('a');
  await withoutDelay(node);
  return { world, node };
}

const connections = { one: {}, two: {} };

async function offsetsOf(node: ClusterNode, groupId: string, requireStable = false) {
  const query = { groupId, memberId: null, memberEpoch: -1, requireStable, partitions: null };
  const [{ offsets } = { offsets: [] }] = await node.fetchOffsets([query]);
  return Object.fromEntries(offsets.map(({ partition, offset }) => [partition, offset]));
}

async function leave(node: ClusterNode, groupId: string, memberIds: readonly string[]): Promise<void> {
  const members = memberIds.map((memberId) => ({ memberId, groupInstanceId: null }));
  await node.leaveGroup({ groupId, members });
}

test('the first rebalance waits three seconds unless configured otherwise', async () => {
  const world = new GroupWorld();
  const { node } = await world.start('a');
  const joins = [node.joinGroup(joinOf('g')), node.joinGroup(joinOf('g'))];
  let isAnswered = false;
  joins[0]!.then(() => {
    isAnswered = true;
  });
  await world.clock.pass(2_999);
  assert.equal(isAnswered, false);
  await world.clock.pass(3_001);
  const [first, second] = await Promise.all(joins);
  assert.equal(first!.leader, first!.memberId);
  assert.equal(second!.leader, first!.memberId);
  assert.match(first!.memberId, /^client-\d+$/);
});

for (const [what, lose] of [
  ['dies', async (node: ClusterNode) => node.agentDisconnected('one', connections.one, true)],
  ['leaves', (node: ClusterNode) => node.leave('one')],
] as const) {
  test(`members that waited at an agent that ${what} do not delay the group`, async () => {
    const world = new GroupWorld();
    const { node } = await world.start('a');
    for (const [agentId, connection] of Object.entries(connections)) {
      await node.heartbeat(agentDescription(agentId));
      node.agentConnected(agentId, connection);
    }
    let lost: GroupError | undefined;
    node.joinGroup(joinOf('g', { agentId: 'one' })).then(({ error }) => {
      lost = error;
    });
    const remaining = node.joinGroup(joinOf('g', { agentId: 'two' }));
    await lose(node);
    await world.clock.pass(1);
    assert.equal(lost, 'UNKNOWN_MEMBER_ID');
    await world.clock.pass(6_000);
    const { leader: leaderId, memberId, members } = await remaining;
    assert.equal(leaderId, memberId);
    assert.equal(members.length, 1);
  });
}

test('agents that die every two seconds do not keep a group from its first generation', async () => {
  const world = new GroupWorld();
  const { node } = await world.start('a');
  const agentIds = Array.from({ length: 5 }, (_, number) => `agent-${number}`);
  for (const agentId of agentIds) {
    await node.heartbeat(agentDescription(agentId));
    node.agentConnected(agentId, agentIds);
  }
  let joined = 0;
  /** Joins anew over the next agent when its member id was forgotten. */
  const join = (at: number) => {
    node.joinGroup(joinOf('g', { agentId: agentIds[at]! })).then(({ error }) => {
      if (error === 'NONE') joined++;
      else join(at + 1);
    });
  };
  join(agentIds.length - 1);
  join(0);
  for (const agentId of agentIds.slice(0, 3)) {
    await world.clock.pass(2_000);
    node.agentDisconnected(agentId, agentIds, true);
  }
  await world.clock.pass(1_900);
  assert.equal(joined, 2);
});

test('answers for empty or too long names, and for missing groups', async () => {
  const { node } = await leader();
  const long = 'x'.repeat(coreLimits.groupNameCharsMax + 1);
  const query = { memberId: null, memberEpoch: -1, requireStable: false, partitions: null };
  for (const groupId of ['', long]) {
    assert.equal((await node.joinGroup(joinOf(groupId))).error, 'INVALID_GROUP_ID');
    assert.equal((await node.syncGroup(syncOf(groupId, 'm', 1))).error, 'INVALID_GROUP_ID');
    assert.equal((await node.leaveGroup({ groupId, members: [] })).error, 'INVALID_GROUP_ID');
    assert.equal((await node.commitOffsets([commitOf(groupId, 't', {})]))[0]!.error, 'INVALID_GROUP_ID');
  }
  // Clients before Kafka 2.2 may ask for the offsets of no group, which has none.
  assert.equal((await node.fetchOffsets([{ ...query, groupId: '' }]))[0]!.error, 'NONE');
  assert.equal((await node.fetchOffsets([{ ...query, groupId: long }]))[0]!.error, 'INVALID_GROUP_ID');
  assert.equal((await node.joinGroup(joinOf('g', { memberId: long }))).error, 'INVALID_REQUEST');
  assert.equal((await node.joinGroup(joinOf('g', { memberId: 'm' }))).error, 'UNKNOWN_MEMBER_ID');
  assert.equal((await node.syncGroup(syncOf('g', 'm', 1))).error, 'UNKNOWN_MEMBER_ID');
  const beat = { groupId: 'g', memberId: 'm', generationId: 1, groupInstanceId: null };
  assert.deepEqual(await node.groupHeartbeats([beat, { ...beat, groupId: '' }]), [
    'UNKNOWN_MEMBER_ID',
    'INVALID_GROUP_ID',
  ]);
  const left = await node.leaveGroup({ groupId: 'g', members: [{ memberId: 'm', groupInstanceId: null }] });
  assert.deepEqual(left, { error: 'NONE', members: ['UNKNOWN_MEMBER_ID'] });
  const asMember = { memberId: 'm', generationIdOrMemberEpoch: 1 };
  const [committed] = await node.commitOffsets([commitOf('g', 't', {}, asMember)]);
  assert.equal(committed!.error, 'GROUP_ID_NOT_FOUND');
  assert.deepEqual((await node.fetchOffsets([{ ...query, groupId: 'g' }]))[0], {
    error: 'NONE',
    offsets: [],
  });
  assert.equal((await node.deleteOffsets({ groupId: 'g', partitions: [] })).error, 'GROUP_ID_NOT_FOUND');
  assert.equal((await node.deleteOffsets({ groupId: '', partitions: [] })).error, 'INVALID_GROUP_ID');
  assert.deepEqual(await node.deleteGroups(['g', '']), ['GROUP_ID_NOT_FOUND', 'GROUP_ID_NOT_FOUND']);
  for (const described of await node.describeGroups(['g', ''])) {
    assert.deepEqual([described.error, described.state], ['GROUP_ID_NOT_FOUND', 'Dead']);
  }
  assert.deepEqual(
    await node.listGroups({ states: [], types: [] }),
    [],
    'requests for a missing group do not create it',
  );
});

test('many groups commit in one call, each with its own answer', async () => {
  const { node } = await leader();
  const topicId = await createTopic(node, 't');
  const { memberIds, generationId } = await stableGroup(node, 'members', 2);
  const asMember = { memberId: memberIds[1]!, generationIdOrMemberEpoch: generationId };
  const answers = await node.commitOffsets([
    commitOf('simple', topicId, { 0: 10, 1: 11, 9: 19 }),
    commitOf('members', topicId, { 0: 20 }),
    commitOf('members', topicId, { 0: 30 }, asMember),
    commitOf('members', topicId, { 0: 31 }, { ...asMember, generationIdOrMemberEpoch: 1 }),
    commitOf('simple', 'no such topic', { 0: 5 }),
  ]);
  assert.deepEqual(answers, [
    { error: 'NONE', offsets: ['NONE', 'NONE', 'UNKNOWN_TOPIC_OR_PARTITION'] },
    { error: 'UNKNOWN_MEMBER_ID', offsets: [] },
    { error: 'NONE', offsets: ['NONE'] },
    { error: 'ILLEGAL_GENERATION', offsets: [] },
    { error: 'NONE', offsets: ['UNKNOWN_TOPIC_ID'] },
  ]);
  assert.deepEqual(await offsetsOf(node, 'simple'), { 0: 10, 1: 11 });
  assert.deepEqual(await offsetsOf(node, 'members'), { 0: 30 });
});

test('offsets are fetched as requested, missing ones included', async () => {
  const { node } = await leader();
  const topicId = await createTopic(node, 't');
  const [commit] = [commitOf('g', topicId, { 1: 7 })];
  await node.commitOffsets([
    { ...commit, offsets: [{ ...commit.offsets[0]!, metadata: 'note', leaderEpoch: 3 }] },
  ]);
  const partitions = [1, 0].map((partition) => ({ topicId, partition }));
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: true, partitions };
  assert.deepEqual(await node.fetchOffsets([query]), [
    {
      error: 'NONE',
      offsets: [
        { topicId, partition: 1, offset: 7, leaderEpoch: 3, metadata: 'note', error: 'NONE' },
        { topicId, partition: 0, offset: -1, leaderEpoch: -1, metadata: '', error: 'NONE' },
      ],
    },
  ]);
});

test('offsets of a topic that a member subscribes to cannot be deleted', async () => {
  const { node } = await leader();
  const t = await createTopic(node, 't');
  const u = await createTopic(node, 'u');
  await node.commitOffsets([commitOf('g', t, { 0: 1 }), commitOf('g', u, { 0: 2 })]);
  await node.commitOffsets([commitOf('connect', t, { 0: 1 })]);
  await stableGroup(node, 'g', 1);
  const [connect] = await Promise.all([
    node.joinGroup(
      joinOf('connect', { protocolType: 'connect', protocols: [{ name: 'x', metadata: Buffer.from('?') }] }),
    ),
  ]);
  assert.equal(connect.error, 'NONE');
  const partitions = [t, u, 'unknown'].map((topicId) => ({ topicId, partition: 0 }));
  assert.deepEqual(await node.deleteOffsets({ groupId: 'g', partitions }), {
    error: 'NONE',
    offsets: ['GROUP_SUBSCRIBED_TO_TOPIC', 'NONE', 'UNKNOWN_TOPIC_ID'],
  });
  assert.deepEqual(await node.deleteOffsets({ groupId: 'connect', partitions }), {
    error: 'NON_EMPTY_GROUP',
    offsets: [],
  });
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: false, partitions: null };
  const [{ offsets } = { offsets: [] }] = await node.fetchOffsets([query]);
  assert.deepEqual(
    offsets.map(({ topicId }) => topicId),
    [t],
  );
});

test('groups are listed by state and type, described, and deleted if they have no members', async () => {
  const { node } = await leader();
  const topicId = await createTopic(node, 't');
  const { memberIds } = await stableGroup(node, 'busy', 2);
  await node.commitOffsets([commitOf('simple', topicId, { 0: 1 })]);
  const listed = async (states: string[], types: string[] = []) =>
    (await node.listGroups({ states, types })).map(
      ({ groupId, state, type }) => `${groupId} ${state} ${type}`,
    );
  assert.deepEqual(await listed([]), ['busy Stable classic', 'simple Empty classic']);
  assert.deepEqual(await listed(['EMPTY']), ['simple Empty classic']);
  assert.deepEqual(await listed(['stable'], ['Classic']), ['busy Stable classic']);
  assert.deepEqual(await listed([], ['share']), []);

  const [busy, simple] = await node.describeGroups(['busy', 'simple']);
  assert.equal(busy!.protocolData, 'range');
  assert.deepEqual(
    busy!.members.map(({ memberId, assignment }) => [memberId, String(Buffer.from(assignment))]),
    memberIds.map((memberId, row) => [memberId, `${row}`]),
  );
  assert.deepEqual(Buffer.from(busy!.members[0]!.metadata), Buffer.from(subscriptionTo('t')));
  assert.deepEqual([simple!.error, simple!.state, simple!.members], ['NONE', 'Empty', []]);

  assert.deepEqual(await node.deleteGroups(['busy', 'simple']), ['NON_EMPTY_GROUP', 'NONE']);
  await leave(node, 'busy', memberIds);
  assert.deepEqual(await listed([]), ['busy Empty classic']);
  assert.deepEqual(await node.deleteGroups(['busy', 'busy']), ['NONE', 'GROUP_ID_NOT_FOUND']);
  assert.deepEqual(await listed([]), []);
  assert.deepEqual(await offsetsOf(node, 'simple'), {});
});

async function withRetention(node: ClusterNode, minutes: number): Promise<void> {
  await node.execute({ kind: 'alterClusterConfigs', configs: { 'offsets.retention.minutes': `${minutes}` } });
}

test('offsets of a group expire a retention time after its last member left', async () => {
  const { world, node } = await leader();
  await withRetention(node, 5);
  const topicId = await createTopic(node, 't');
  const { memberIds, generationId } = await stableGroup(node, 'g', 1);
  const memberId = memberIds[0]!;
  const asMember = { memberId, generationIdOrMemberEpoch: generationId };
  await node.commitOffsets([commitOf('g', topicId, { 0: 1 }, asMember)]);
  const beat = { groupId: 'g', memberId, generationId, groupInstanceId: null };
  for (let beats = 0; beats < 50; beats++) {
    assert.deepEqual(await node.groupHeartbeats([beat]), ['NONE']);
    await world.clock.pass(9_000);
  }
  await leave(node, 'g', memberIds);
  await world.clock.pass(4 * minuteMs);
  assert.deepEqual(await offsetsOf(node, 'g'), { 0: 1 });
  await world.clock.pass(2 * minuteMs);
  assert.deepEqual(await offsetsOf(node, 'g'), {});
  assert.deepEqual(await node.listGroups({ states: [], types: [] }), [], 'the group is removed');
});

test('offsets of a committer without membership expire a retention time after each commit', async () => {
  const { world, node } = await leader();
  await withRetention(node, 7);
  const topicId = await createTopic(node, 't');
  await node.commitOffsets([commitOf('g', topicId, { 0: 1, 1: 1 })]);
  await node.commitOffsets([commitOf('short', topicId, { 0: 1 }, { retentionMs: minuteMs })]);
  await world.clock.pass(3 * minuteMs);
  assert.deepEqual(await offsetsOf(node, 'short'), {}, 'the client wanted a minute');
  await node.commitOffsets([commitOf('g', topicId, { 1: 2 })]);
  await world.clock.pass(6 * minuteMs);
  assert.deepEqual(await offsetsOf(node, 'g'), { 1: 2 });
});

test('offsets of topics that present members subscribe to do not expire', async () => {
  const { world, node } = await leader();
  await withRetention(node, 1);
  const t = await createTopic(node, 't');
  const u = await createTopic(node, 'u');
  await node.commitOffsets([commitOf('g', t, { 0: 1 }), commitOf('g', u, { 1: 2 })]);
  const { memberIds, generationId } = await stableGroup(node, 'g', 1);
  const beat = { groupId: 'g', memberId: memberIds[0]!, generationId, groupInstanceId: null };
  for (let beats = 0; beats < 30; beats++) {
    await world.clock.pass(9_000);
    assert.deepEqual(await node.groupHeartbeats([beat]), ['NONE']);
  }
  assert.deepEqual(await offsetsOf(node, 'g'), { 0: 1 });
});

test('offsets of a deleted topic are hidden, and a new topic of the same name starts without any', async () => {
  const { world, node } = await leader();
  const configs = { 'service.soft.delete.topic.ttl.ms': '1000' };
  await node.execute({ kind: 'alterClusterConfigs', configs });
  const topicId = await createTopic(node, 't');
  await node.commitOffsets([commitOf('g', topicId, { 0: 1 })]);
  await node.deleteTopics([{ name: 't' }]);
  assert.deepEqual(await offsetsOf(node, 'g'), {});
  const again = await createTopic(node, 't');
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: false };
  const partitions = [{ topicId: again, partition: 0 }];
  assert.equal((await node.fetchOffsets([{ ...query, partitions }]))[0]!.offsets[0]!.offset, -1);
  await world.clock.pass(2 * minuteMs);
  assert.deepEqual(
    await node.listGroups({ states: [], types: [] }),
    [],
    'offsets are removed with the topic',
  );
});

test('member metadata is copied out of the request buffer', async () => {
  const { node } = await leader();
  const metadata = subscriptionTo('t');
  const protocols = [{ name: 'range', metadata }];
  const { memberId, generationId } = await node.joinGroup(joinOf('g', { protocols }));
  const assignment = Buffer.from('mine');
  await node.syncGroup(syncOf('g', memberId, generationId, { assignments: [{ memberId, assignment }] }));
  metadata.fill(0);
  assignment.fill(0);
  const [described] = await node.describeGroups(['g']);
  assert.deepEqual(Buffer.from(described!.members[0]!.metadata), Buffer.from(subscriptionTo('t')));
  assert.equal(String(Buffer.from(described!.members[0]!.assignment)), 'mine');
});

test('config changes take effect immediately', async () => {
  const { node } = await leader();
  const set = (configs: Record<string, string>) => node.execute({ kind: 'alterClusterConfigs', configs });
  await set({ 'group.max.size': '1', 'group.min.session.timeout.ms': '100' });
  assert.equal(
    (await node.joinGroup(joinOf('g', { sessionTimeoutMs: 99 }))).error,
    'INVALID_SESSION_TIMEOUT',
  );
  assert.equal((await node.joinGroup(joinOf('g', { sessionTimeoutMs: 100 }))).error, 'NONE');
  assert.equal((await node.joinGroup(joinOf('g'))).error, 'GROUP_MAX_SIZE_REACHED');
  await set({ 'offset.metadata.max.bytes': '3' });
  const topicId = await createTopic(node, 't');
  const [commit] = [commitOf('s', topicId, { 0: 1 })];
  const withText = (metadata: string) => [{ ...commit, offsets: [{ ...commit.offsets[0]!, metadata }] }];
  assert.deepEqual((await node.commitOffsets(withText('abcd')))[0]!.offsets, ['OFFSET_METADATA_TOO_LARGE']);
  assert.deepEqual((await node.commitOffsets(withText('abc')))[0]!.offsets, ['NONE']);
});
