import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamsHeartbeat, StreamsTopology } from '@weir/cluster';
import type { ClusterNode } from '@weir/metadata';
import { commitOf, createTopic, GroupWorld, joinOf, syncOf, withoutDelay } from '@weir/metadata/testing';
import { subtopologyOf } from '../../testing/streams-story.ts';

/** An application of Kafka Streams changes its protocol while it is stopped (KIP-1071), there and back. */

/** Longer than the lease, so that the standby takes over. */
const failoverMs = 5_000;

const copying: StreamsTopology = { epoch: 0, subtopologies: [subtopologyOf('0', { from: ['t'] })] };

async function beat(node: ClusterNode, memberEpoch: number, fields: Partial<StreamsHeartbeat> = {}) {
  const heartbeat: StreamsHeartbeat = {
    ...{ groupId: 'g', memberId: 'm', memberEpoch, endpointEpoch: 0, instanceId: null, rackId: null },
    ...{ clientId: 'client', clientHost: '/127.0.0.1', rebalanceTimeoutMs: -1, topology: null, owned: null },
    ...{ processId: null, endpoint: null, clientTags: null, shutdownApplication: false, ...fields },
  };
  return (await node.streamsGroupHeartbeats([heartbeat]))[0]!;
}

const join = (node: ClusterNode) =>
  beat(node, 0, {
    ...{ rebalanceTimeoutMs: 60_000, topology: copying, owned: { active: [], standby: [] }, processId: 'p' },
  });

async function offsetsOf(node: ClusterNode): Promise<readonly string[]> {
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: true, partitions: null };
  const [answer] = await node.fetchOffsets([query]);
  assert.equal(answer!.error, 'NONE');
  return answer!.offsets.map(({ partition, offset }) => `${partition}: ${offset}`);
}

async function typeOf(node: ClusterNode): Promise<string> {
  const [listing] = await node.listGroups({ states: [], types: [] });
  return `${listing!.type} ${listing!.state}`;
}

/** A leader, and a classic group `g` with one member that has committed. */
async function classicApplication() {
  const world = new GroupWorld();
  const { node, process } = await world.start('a');
  await withoutDelay(node);
  await node.execute({
    kind: 'alterClusterConfigs',
    configs: { 'group.streams.initial.rebalance.delay.ms': '0' },
  });
  const topicId = await createTopic(node, 't', 2);
  const { memberId, generationId } = await node.joinGroup(joinOf('g'));
  const assignments = [{ memberId, assignment: Buffer.from('tasks') }];
  await node.syncGroup(syncOf('g', memberId, generationId, { assignments }));
  const asMember = { memberId, generationIdOrMemberEpoch: generationId };
  assert.equal(
    (await node.commitOffsets([commitOf('g', topicId, { 0: 7, 1: 9 }, asMember)]))[0]!.error,
    'NONE',
  );
  const leave = () => node.leaveGroup({ groupId: 'g', members: [{ memberId, groupInstanceId: null }] });
  return { world, node, process, topicId, memberId, generationId, leave };
}

test('a classic group with members does not become a streams group', async () => {
  const { node, memberId, generationId } = await classicApplication();
  assert.equal((await join(node)).error, 'GROUP_ID_NOT_FOUND');
  assert.equal(await typeOf(node), 'classic Stable');
  const member = { groupId: 'g', memberId, generationId, groupInstanceId: null };
  assert.deepEqual(await node.groupHeartbeats([member]), ['NONE']);
});

test('a classic group without members becomes a streams group that goes on from its offsets', async () => {
  const { node, topicId, generationId, leave } = await classicApplication();
  await leave();
  const joined = await join(node);
  assert.equal(joined.error, 'NONE');
  assert.ok(joined.memberEpoch > generationId, 'commits of classic members are too old from here on');
  assert.deepEqual(joined.tasks?.active, [{ subtopologyId: '0', partitions: [0, 1] }]);
  assert.equal(await typeOf(node), 'streams Stable');
  assert.deepEqual(await offsetsOf(node), ['0: 7', '1: 9']);
  const late = { memberId: 'm', generationIdOrMemberEpoch: generationId };
  assert.notEqual((await node.commitOffsets([commitOf('g', topicId, { 0: 1 }, late)]))[0]!.error, 'NONE');
  const present = { memberId: 'm', generationIdOrMemberEpoch: joined.memberEpoch };
  assert.equal((await node.commitOffsets([commitOf('g', topicId, { 0: 8 }, present)]))[0]!.error, 'NONE');
  assert.deepEqual(await offsetsOf(node), ['0: 8', '1: 9']);
});

test('a streams group without members becomes a classic group that goes on from its offsets', async () => {
  const { node, topicId, leave } = await classicApplication();
  await leave();
  const { memberEpoch } = await join(node);
  const present = { memberId: 'm', generationIdOrMemberEpoch: memberEpoch };
  await node.commitOffsets([commitOf('g', topicId, { 0: 8 }, present)]);
  assert.equal((await node.joinGroup(joinOf('g'))).error, 'INCONSISTENT_GROUP_PROTOCOL');
  assert.equal((await beat(node, -1)).error, 'NONE');
  const back = await node.joinGroup(joinOf('g'));
  assert.equal(back.error, 'NONE');
  assert.ok(back.generationId > memberEpoch);
  assert.match(await typeOf(node), /^classic/);
  assert.deepEqual(await offsetsOf(node), ['0: 8', '1: 9']);
});

test('the next leader of the cluster knows the group by its new type', async () => {
  const { world, node, process, leave } = await classicApplication();
  const standby = await world.start('b');
  await leave();
  const { memberEpoch } = await join(node);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(await typeOf(standby.node), 'streams Stable');
  assert.equal((await beat(standby.node, memberEpoch)).error, 'NONE');
  assert.deepEqual(await offsetsOf(standby.node), ['0: 7', '1: 9']);
});
