import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  type ConsumerHeartbeat,
  type ModernHeartbeatAnswer,
  readAssignment,
  writeAssignment,
} from '@weir/cluster';
import { type Log, silentLog } from '@weir/core';
import { ByteReader, ByteWriter } from '@weir/machine';
import type { ClusterNode } from '@weir/metadata';
import { commitOf, createTopic, GroupWorld, joinOf, syncOf, withoutDelay } from '@weir/metadata/testing';
import { RE2JS } from 're2js';
import { subscriptionBytes } from '../../testing/classic-consumer.ts';
import { unchangedHeartbeat } from '../../testing/consumer-story.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { memberKey, readConsumerMember, writeConsumerMember } from './record.ts';

/** Longer than the lease, so that the standby takes over. */
const failoverMs = 5_000;

type HeartbeatOptions = Partial<Omit<ConsumerHeartbeat, 'groupId' | 'memberId'>>;

async function beat(
  node: ClusterNode,
  groupId: string,
  memberId: string,
  memberEpoch: number,
  options: HeartbeatOptions = {},
): Promise<ModernHeartbeatAnswer> {
  const heartbeat = { ...unchangedHeartbeat, groupId, memberId, memberEpoch, ...options };
  return (await node.consumerGroupHeartbeats([heartbeat]))[0]!;
}

const joining: HeartbeatOptions = {
  rebalanceTimeoutMs: 60_000,
  subscribedTopicNames: ['t'],
  ownedPartitions: [],
};
const join = (node: ClusterNode, groupId: string, memberId: string, options: HeartbeatOptions = {}) =>
  beat(node, groupId, memberId, 0, { ...joining, ...options });

const partitionsOf = ({ assignment }: ModernHeartbeatAnswer) =>
  assignment?.flatMap(({ partitions }) => [...partitions]) ?? null;

/** The stored entry of a member, with another pattern. */
function withPattern(memberId: string, record: Buffer, pattern: string): Buffer {
  const read = readConsumerMember(new ConsumerGroup('g'), memberId, new ByteReader(record));
  assert.equal(read.problem, undefined);
  const { member } = read as Extract<typeof read, { member: unknown }>;
  const writer = new ByteWriter();
  writeConsumerMember({ ...member, subscription: { names: [], pattern } }, writer);
  return writer.take();
}

async function leader() {
  const world = new GroupWorld();
  const a = await world.start('a');
  await withoutDelay(a.node);
  const topicId = await createTopic(a.node, 't');
  return { world, ...a, topicId };
}

async function typeOf(node: ClusterNode, groupId: string): Promise<string> {
  const listings = await node.listGroups({ states: [], types: [] });
  const { type, state } = listings.find((listing) => listing.groupId === groupId)!;
  return `${type} ${state}`;
}

/** A classic group with one member that owns all four partitions, as its own assignor decided. */
async function classicMember(node: ClusterNode, groupId: string) {
  const protocols = [{ name: 'range', metadata: subscriptionBytes(['t']) }];
  const { memberId, generationId } = await node.joinGroup(joinOf(groupId, { protocols }));
  const assignment = writeAssignment(1, [{ topic: 't', partitions: [0, 1, 2, 3] }]);
  await node.syncGroup(syncOf(groupId, memberId, generationId, { assignments: [{ memberId, assignment }] }));
  return { memberId, generationId, protocols };
}

test('members keep epochs and partitions when the cluster leader is killed', async () => {
  const { world, node, process, topicId } = await leader();
  const standby = await world.start('b');
  await join(node, 'g', 'one');
  await join(node, 'g', 'two');
  assert.deepEqual(partitionsOf(await beat(node, 'g', 'one', 1)), [0, 1]);
  const owned = { ownedPartitions: [{ topicId, partitions: [0, 1] }] };
  assert.equal((await beat(node, 'g', 'one', 1, owned)).memberEpoch, 2);
  assert.deepEqual(partitionsOf(await beat(node, 'g', 'two', 2)), [2, 3]);
  const before = await node.describeConsumerGroups(['g']);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(standby.node.role, 'leader');
  for (const memberId of ['one', 'two']) {
    const answer = await beat(standby.node, 'g', memberId, 2);
    assert.deepEqual([answer.error, answer.memberEpoch, answer.assignment], ['NONE', 2, null], memberId);
  }
  assert.deepEqual(await standby.node.describeConsumerGroups(['g']), before);
});

test('a reconciliation in progress continues with the next leader', async () => {
  const { world, node, process, topicId } = await leader();
  const standby = await world.start('b');
  await join(node, 'g', 'one');
  await join(node, 'g', 'two');
  await beat(node, 'g', 'one', 1);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(partitionsOf(await beat(standby.node, 'g', 'two', 2)), null);
  const owned = { ownedPartitions: [{ topicId, partitions: [0, 1] }] };
  assert.equal((await beat(standby.node, 'g', 'one', 1, owned)).memberEpoch, 2);
  assert.deepEqual(partitionsOf(await beat(standby.node, 'g', 'two', 2)), [2, 3]);
});

test('a new leader finds topics that were created before it read the group', async () => {
  const { world, node, process } = await leader();
  const standby = await world.start('b');
  await join(node, 'g', 'one', { subscribedTopicNames: null, subscribedTopicRegex: 't|u.*' });
  process.kill();
  await world.clock.pass(failoverMs);
  await createTopic(standby.node, 'u1', 2);
  const answer = await beat(standby.node, 'g', 'one', 1);
  assert.equal(answer.memberEpoch, 2);
  assert.equal(partitionsOf(answer)!.length, 6);
});

test('a leader drops members whose patterns this release refuses, and compiles none to read them', async (t) => {
  const { world, node, process } = await leader();
  const regex = (subscribedTopicRegex: string) => ({ subscribedTopicNames: null, subscribedTopicRegex });
  await join(node, 'g', 'one', regex('t'));
  await join(node, 'g', 'two', regex('t'));
  // As an earlier release stored it.
  const attack = '.{0,999}'.repeat(455);
  const key = memberKey('g', 'two');
  const value = withPattern('two', node.record('groupMember', key)!, attack);
  const changes = [{ namespace: 'groupMember' as const, key, value }];
  assert.equal((await node.execute({ kind: 'putEntries', changes })).error, 'NONE');

  const warnings: unknown[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => warnings.push({ message, memberId: fields?.memberId }),
    with: () => log,
  };
  const standby = await world.start('b', log);
  const compiled = t.mock.method(RE2JS, 'compile');
  process.kill();
  await world.clock.pass(failoverMs);
  // The compiled form of the other pattern is still cached, because the test runs both nodes in one process.
  assert.deepEqual(
    compiled.mock.calls.map(({ arguments: [expression] }) => expression),
    [],
  );
  const dropped = { message: 'dropped member with refused pattern', memberId: 'two' };
  assert.deepEqual(
    warnings.filter((warning) => isDeepStrictEqual(warning, dropped)),
    [dropped],
  );
  const [group] = await standby.node.describeConsumerGroups(['g']);
  assert.deepEqual(
    group!.members.map(({ memberId, target }) => [memberId, target.flatMap(({ partitions }) => partitions)]),
    [['one', [0, 1, 2, 3]]],
  );
  assert.equal(standby.node.record('groupMember', key), undefined);
  assert.equal((await beat(standby.node, 'g', 'two', 2)).error, 'UNKNOWN_MEMBER_ID');
  const again = await join(standby.node, 'g', 'two', regex(attack));
  assert.equal(again.error, 'INVALID_REGULAR_EXPRESSION');
});

test('a change within the assignment interval of the group takes effect after it, without a heartbeat', async () => {
  const { world, node } = await leader();
  await node.execute({
    kind: 'alterClusterConfigs',
    configs: { 'group.consumer.assignment.interval.ms': '1000' },
  });
  const changes = [{ name: 'consumer.assignment.interval.ms', operation: 'set', value: '4000' }] as const;
  await node.alterConfigs([{ kind: 'group', name: 'own', replacesAll: false, changes }], {
    validateOnly: false,
  });
  const epochs = async () =>
    (await node.describeConsumerGroups(['usual', 'own'])).map(({ assignmentEpoch }) => assignmentEpoch);
  for (const groupId of ['usual', 'own']) {
    await join(node, groupId, 'one');
    await join(node, groupId, 'two');
  }
  assert.deepEqual(await epochs(), [1, 1]);
  await world.clock.pass(1_500);
  assert.deepEqual(await epochs(), [2, 1]);
  await world.clock.pass(3_000);
  assert.deepEqual(await epochs(), [2, 2]);
});

test('a member is removed when its session expires, by the configs of cluster and group', async () => {
  const { world, node } = await leader();
  await node.execute({
    kind: 'alterClusterConfigs',
    configs: { 'group.consumer.session.timeout.ms': '20000', 'group.consumer.heartbeat.interval.ms': '3000' },
  });
  await node.alterConfigs(
    [
      {
        kind: 'group',
        name: 'patient',
        replacesAll: false,
        changes: [{ name: 'consumer.session.timeout.ms', operation: 'set', value: '50000' }],
      },
    ],
    { validateOnly: false },
  );
  assert.equal((await join(node, 'g', 'one')).heartbeatIntervalMs, 3_000);
  await join(node, 'patient', 'one');
  await world.clock.pass(19_999);
  assert.equal((await node.describeConsumerGroups(['g']))[0]!.members.length, 1);
  await world.clock.pass(2);
  assert.equal((await node.describeConsumerGroups(['g']))[0]!.state, 'Empty');
  assert.equal((await node.describeConsumerGroups(['patient']))[0]!.members.length, 1);
  await world.clock.pass(30_000);
  assert.equal((await node.describeConsumerGroups(['patient']))[0]!.state, 'Empty');
});

test('members get topics that are created, grown and deleted', async () => {
  const { node } = await leader();
  await join(node, 'g', 'one', { subscribedTopicNames: ['t', 'later'] });
  const laterId = await createTopic(node, 'later', 1);
  const grown = await beat(node, 'g', 'one', 1);
  assert.deepEqual(grown.assignment!.find(({ topicId }) => topicId === laterId)?.partitions, [0]);
  await node.createPartitions([{ name: 'later', partitionCount: 2 }], { validateOnly: false });
  const wider = await beat(node, 'g', 'one', 2);
  assert.deepEqual(wider.assignment!.find(({ topicId }) => topicId === laterId)?.partitions, [0, 1]);
  await node.deleteTopics([{ name: 'later' }]);
  assert.deepEqual(partitionsOf(await beat(node, 'g', 'one', 3)), [0, 1, 2, 3]);
});

test('offsets are committed with the epoch of the member', async () => {
  const { node, topicId } = await leader();
  await join(node, 'g', 'one');
  const commit = async (memberId: string, generationIdOrMemberEpoch: number) =>
    (
      await node.commitOffsets([commitOf('g', topicId, { 0: 7 }, { memberId, generationIdOrMemberEpoch })])
    )[0]!.error;
  assert.equal(await commit('one', 1), 'NONE');
  assert.equal(await commit('one', 0), 'STALE_MEMBER_EPOCH');
  assert.equal(await commit('', -1), 'UNKNOWN_MEMBER_ID');
  const read = async (memberId: string | null, memberEpoch: number) =>
    (
      await node.fetchOffsets([
        { groupId: 'g', memberId, memberEpoch, requireStable: true, partitions: null },
      ])
    )[0]!;
  assert.equal((await read('one', 1)).offsets[0]!.offset, 7);
  assert.equal((await read(null, -1)).offsets[0]!.offset, 7);
  assert.equal((await read('one', 5)).error, 'STALE_MEMBER_EPOCH');
  assert.deepEqual(await node.deleteOffsets({ groupId: 'g', partitions: [{ topicId, partition: 0 }] }), {
    error: 'NONE',
    offsets: ['GROUP_SUBSCRIBED_TO_TOPIC'],
  });
  assert.deepEqual(await node.deleteGroups(['g']), ['NON_EMPTY_GROUP']);
  await beat(node, 'g', 'one', -1);
  assert.equal(await typeOf(node, 'g'), 'consumer Empty');
  assert.deepEqual(await node.deleteGroups(['g']), ['NONE']);
  assert.deepEqual(await node.listGroups({ states: [], types: [] }), []);
  assert.equal((await node.describeConsumerGroups(['g']))[0]!.error, 'GROUP_ID_NOT_FOUND');
});

test('requests fail for a missing group, or one of another type', async () => {
  const { node } = await leader();
  for (const [memberEpoch, instanceId] of [
    [1, null],
    [-1, null],
    [-2, 'i'],
  ] as const) {
    assert.equal(
      (await beat(node, 'g', 'one', memberEpoch, { instanceId })).error,
      'GROUP_ID_NOT_FOUND',
      `epoch ${memberEpoch}`,
    );
  }
  assert.equal(
    (await join(node, 'g', 'one', { subscribedTopicRegex: '(' })).error,
    'INVALID_REGULAR_EXPRESSION',
  );
  assert.deepEqual(await node.listGroups({ states: [], types: [] }), [], 'refused requests create no group');
  const { memberId } = await node.joinGroup(joinOf('connect', { protocolType: 'connect' }));
  assert.equal((await join(node, 'connect', 'one')).error, 'GROUP_ID_NOT_FOUND');
  assert.equal((await beat(node, 'connect', memberId, 1)).error, 'GROUP_ID_NOT_FOUND');
  await join(node, 'new', 'one');
  assert.equal((await node.describeGroups(['new']))[0]!.error, 'GROUP_ID_NOT_FOUND');
  assert.equal(
    (await node.joinGroup(joinOf('new', { protocolType: 'connect' }))).error,
    'INCONSISTENT_GROUP_PROTOCOL',
  );
});

test('a classic group migrates with its members, and back when the last consumer-protocol member leaves', async () => {
  const { world, node, topicId } = await leader();
  const { memberId, generationId, protocols } = await classicMember(node, 'g');
  assert.equal(await typeOf(node, 'g'), 'classic Stable');

  assert.deepEqual(partitionsOf(await join(node, 'g', 'new')), []);
  assert.equal(await typeOf(node, 'g'), 'consumer Reconciling');
  const old = { groupId: 'g', memberId, groupInstanceId: null };
  assert.deepEqual(await node.groupHeartbeats([{ ...old, generationId }]), ['REBALANCE_IN_PROGRESS']);
  const rejoined = await node.joinGroup(joinOf('g', { memberId, protocols }));
  assert.equal(rejoined.error, 'NONE');
  const synced = await node.syncGroup(syncOf('g', memberId, rejoined.generationId));
  assert.deepEqual(readAssignment(synced.assignment), [{ topic: 't', partitions: [0, 1] }]);
  assert.deepEqual(partitionsOf(await beat(node, 'g', 'new', rejoined.generationId)), [2, 3]);
  assert.equal(await typeOf(node, 'g'), 'consumer Stable');
  const asMember = { memberId, generationIdOrMemberEpoch: rejoined.generationId };
  assert.equal((await node.commitOffsets([commitOf('g', topicId, { 0: 3 }, asMember)]))[0]!.error, 'NONE');

  assert.equal((await beat(node, 'g', 'new', -1)).error, 'NONE');
  assert.equal(await typeOf(node, 'g'), 'classic PreparingRebalance');
  const last = await node.joinGroup(joinOf('g', { memberId, protocols }));
  assert.equal(last.leader, memberId);
  assert.ok(last.generationId > rejoined.generationId);
  const assignment = writeAssignment(1, [{ topic: 't', partitions: [0, 1, 2, 3] }]);
  await node.syncGroup(syncOf('g', memberId, last.generationId, { assignments: [{ memberId, assignment }] }));
  assert.equal(await typeOf(node, 'g'), 'classic Stable');
  await world.clock.pass(60_000);
  assert.equal(await typeOf(node, 'g'), 'classic Empty');
});

test('a migrated group survives a failover, both ways', async () => {
  const { world, node, process } = await leader();
  const second = await world.start('b');
  const { memberId, protocols } = await classicMember(node, 'g');
  await join(node, 'g', 'new');
  const { generationId } = await node.joinGroup(joinOf('g', { memberId, protocols }));
  process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(second.node.role, 'leader');
  const synced = await second.node.syncGroup(syncOf('g', memberId, generationId));
  assert.deepEqual(readAssignment(synced.assignment), [{ topic: 't', partitions: [0, 1] }]);
  await beat(second.node, 'g', 'new', -1);
  assert.equal(await typeOf(second.node, 'g'), 'classic PreparingRebalance');
  const third = await world.start('c');
  second.process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(third.node.role, 'leader');
  assert.equal(await typeOf(third.node, 'g'), 'classic CompletingRebalance');
  assert.equal((await join(third.node, 'g', 'newer')).error, 'NONE', 'the group can migrate again');
});

test('all members of a migrating group are stored with it', async () => {
  const { world, node, process } = await leader();
  const standby = await world.start('b');
  const { memberId, generationId } = await classicMember(node, 'g');
  await join(node, 'g', 'new');
  process.kill();
  await world.clock.pass(failoverMs);
  const old = { groupId: 'g', memberId, generationId, groupInstanceId: null };
  assert.deepEqual(await standby.node.groupHeartbeats([old]), ['REBALANCE_IN_PROGRESS']);
  const [described] = await standby.node.describeConsumerGroups(['g']);
  assert.deepEqual(
    described!.members.map(({ isClassic }) => isClassic),
    [true, false],
  );
});

test('waiting JoinGroup requests fail as retriable when the group migrates', async () => {
  const { node } = await leader();
  const { memberId, protocols } = await classicMember(node, 'g');
  const waiting = node.joinGroup(joinOf('g', { protocols }));
  await join(node, 'g', 'new');
  assert.equal((await waiting).error, 'REBALANCE_IN_PROGRESS');
  assert.equal((await node.joinGroup(joinOf('g', { memberId, protocols }))).error, 'NONE');
});

test('groups migrate only if the migration policy of the cluster allows it', async () => {
  const cases: [policy: string, joins: string, typeAfter: string][] = [
    ['disabled', 'GROUP_ID_NOT_FOUND', ''],
    ['downgrade', 'GROUP_ID_NOT_FOUND', ''],
    ['upgrade', 'NONE', 'consumer'],
    ['bidirectional', 'NONE', 'classic'],
  ];
  for (const [policy, joins, typeAfter] of cases) {
    const { node } = await leader();
    const configs = { 'group.consumer.migration.policy': policy };
    await node.execute({ kind: 'alterClusterConfigs', configs });
    await classicMember(node, 'g');
    assert.equal((await join(node, 'g', 'new')).error, joins, policy);
    if (joins !== 'NONE') continue;
    await beat(node, 'g', 'new', -1);
    assert.equal((await typeOf(node, 'g')).split(' ')[0], typeAfter, policy);
  }
});

test('a group without members takes the type of the next member', async () => {
  const { node } = await leader();
  await join(node, 'g', 'one');
  await beat(node, 'g', 'one', -1);
  const { memberId, error } = await node.joinGroup(joinOf('g'));
  assert.equal(error, 'NONE');
  assert.equal((await typeOf(node, 'g')).split(' ')[0], 'classic');
  await node.leaveGroup({ groupId: 'g', members: [{ memberId, groupInstanceId: null }] });
  assert.equal((await join(node, 'g', 'two')).error, 'NONE');
  assert.equal(await typeOf(node, 'g'), 'consumer Stable');
});

test('a refused member leaves the classic group unchanged', async () => {
  const { node } = await leader();
  const { memberId, generationId } = await classicMember(node, 'g');
  const refused = await join(node, 'g', 'new', { subscribedTopicRegex: '(' });
  assert.equal(refused.error, 'INVALID_REGULAR_EXPRESSION');
  assert.equal(await typeOf(node, 'g'), 'classic Stable');
  assert.deepEqual(
    await node.groupHeartbeats([{ groupId: 'g', memberId, generationId, groupInstanceId: null }]),
    ['NONE'],
  );
});

test('a group without offsets stays for a member that missed its session', async () => {
  const { world, node } = await leader();
  const { memberEpoch } = await join(node, 'g', 'm');
  // Sessions end after 45 s, and groups are swept every minute.
  await world.clock.pass(70_000);
  assert.equal(await typeOf(node, 'g'), 'consumer Empty');
  assert.equal((await beat(node, 'g', 'm', memberEpoch)).error, 'UNKNOWN_MEMBER_ID');
  assert.equal((await join(node, 'g', 'm')).error, 'NONE');
  await world.clock.pass(180_000);
  assert.deepEqual(await node.listGroups({ states: [], types: [] }), []);
});
