import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommitMark, type OffsetsCommit, takeSnapshot } from '@weir/cluster';
import type { ClusterNode } from '@weir/metadata';
import { commitOf, createTopic, GroupWorld, stableGroup, withoutDelay } from '@weir/metadata/testing';
import { CommitOrder } from './commit-order.ts';
import { groupLimits } from './limits.ts';

const late = 'COORDINATOR_LOAD_IN_PROGRESS';

/** Models how an agent forwards commits: it may be paused between the receipt of a request and its forwarding. */
class Agent {
  mark: CommitMark | undefined;

  static async at(node: ClusterNode): Promise<Agent> {
    const agent = new Agent();
    await agent.follow(node);
    return agent;
  }

  async follow(node: ClusterNode): Promise<void> {
    const { term } = await takeSnapshot(node);
    this.mark = { term: term!, count: 0 };
  }

  receive(commit: OffsetsCommit, connection: string): OffsetsCommit {
    return { ...commit, origin: { connection, heard: this.mark } };
  }

  async forward(node: ClusterNode, ...commits: OffsetsCommit[]): Promise<string[]> {
    const answers = await node.commitOffsets(commits);
    this.mark = answers[0]!.mark;
    return answers.map(({ error }) => error);
  }
}

async function start() {
  const world = new GroupWorld();
  const { node, process } = await world.start('a');
  await withoutDelay(node);
  const topicId = await createTopic(node, 't');
  return { world, node, process, topicId };
}

async function offsetOf(node: ClusterNode, groupId: string): Promise<number | undefined> {
  const query = { groupId, memberId: null, memberEpoch: -1, requireStable: false, partitions: null };
  return (await node.fetchOffsets([query]))[0]!.offsets[0]?.offset;
}

async function consumerMember(node: ClusterNode) {
  const heartbeat = {
    ...{
      groupId: 'g',
      memberId: 'member',
      memberEpoch: 0,
      instanceId: null,
      rackId: null,
      clientId: 'client',
    },
    ...{ clientHost: '/127.0.0.1', rebalanceTimeoutMs: 60_000, subscribedTopicNames: ['t'] },
    ...{ subscribedTopicRegex: null, serverAssignor: null, ownedPartitions: [], requiresMemberId: true },
  };
  const [{ memberEpoch } = { memberEpoch: -1 }] = await node.consumerGroupHeartbeats([heartbeat]);
  return { memberId: 'member', generationIdOrMemberEpoch: memberEpoch };
}

async function classicMember(node: ClusterNode) {
  const { memberIds, generationId } = await stableGroup(node, 'g', 1);
  return { memberId: memberIds[0]!, generationIdOrMemberEpoch: generationId };
}

for (const [kind, memberOf] of Object.entries({ consumer: consumerMember, classic: classicMember })) {
  test(`a commit that an agent forwards late does not undo a later one of a ${kind} member`, async () => {
    const { node, topicId } = await start();
    const member = await memberOf(node);
    const [paused, other] = [await Agent.at(node), await Agent.at(node)];
    const commit = (offset: number) => commitOf('g', topicId, { 0: offset }, member);
    assert.deepEqual(await paused.forward(node, paused.receive(commit(90), 'a/1')), ['NONE']);
    const held = [paused.receive(commit(100), 'a/1'), paused.receive(commit(110), 'a/1')];
    // The client drops the connection, repeats the commit elsewhere, and continues. Its first attempt there is
    // indistinguishable from a late one.
    assert.deepEqual(await other.forward(node, other.receive(commit(100), 'b/1')), [late]);
    assert.deepEqual(await other.forward(node, other.receive(commit(100), 'b/1')), ['NONE']);
    assert.deepEqual(await other.forward(node, other.receive(commit(150), 'b/1')), ['NONE']);
    assert.deepEqual(await paused.forward(node, ...held), [late, late]);
    assert.equal(await offsetOf(node, 'g'), 150);
    // A returning client retries, which an abandoned connection never does.
    assert.deepEqual(await paused.forward(node, paused.receive(commit(160), 'a/1')), ['NONE']);
    assert.equal(await offsetOf(node, 'g'), 160);
  });
}

test('a connection preserves order, so its commits are never late', async () => {
  const { node, topicId } = await start();
  const member = await consumerMember(node);
  const agent = await Agent.at(node);
  const commits = [1, 2, 3].map((offset) =>
    agent.receive(commitOf('g', topicId, { 0: offset }, member), 'a/1'),
  );
  assert.deepEqual(await agent.forward(node, ...commits.slice(0, 2)), ['NONE', 'NONE']);
  assert.deepEqual(await agent.forward(node, commits[2]!), ['NONE']);
  assert.equal(await offsetOf(node, 'g'), 3);
});

test('commits of different members do not wait for each other', async () => {
  const { node, topicId } = await start();
  const { memberIds, generationId } = await stableGroup(node, 'g', 2);
  const [one, two] = [await Agent.at(node), await Agent.at(node)];
  for (const [index, agent] of [one, two].entries()) {
    const member = { memberId: memberIds[index]!, generationIdOrMemberEpoch: generationId };
    assert.deepEqual(
      await agent.forward(node, agent.receive(commitOf('g', topicId, { [index]: 5 }, member), `${index}`)),
      ['NONE'],
    );
  }
});

test('commits that were received before the term are refused, later ones are not', async () => {
  const { world, node, process, topicId } = await start();
  const standby = await world.start('b');
  const member = await consumerMember(node);
  const agent = await Agent.at(node);
  const commit = (offset: number) => commitOf('g', topicId, { 0: offset }, member);
  const held = agent.receive(commit(100), 'a/1');
  assert.deepEqual(await agent.forward(node, agent.receive(commit(150), 'a/2')), ['NONE']);
  process.kill();
  await world.clock.pass(5_000);
  const outsider = { ...held, groupId: 'others', memberId: '', generationIdOrMemberEpoch: -1 };
  assert.deepEqual(await agent.forward(standby.node, held, outsider), [late, late]);
  assert.equal(await offsetOf(standby.node, 'g'), 150);
  await agent.follow(standby.node);
  assert.deepEqual(await agent.forward(standby.node, agent.receive(commit(160), 'a/2')), ['NONE']);
});

test('commits without a member or connection are accepted in order of arrival', async () => {
  const { node, topicId } = await start();
  const [one, two] = [await Agent.at(node), await Agent.at(node)];
  const commit = (offset: number) => commitOf('g', topicId, { 0: offset });
  assert.deepEqual(await one.forward(node, one.receive(commit(1), 'a/1')), ['NONE']);
  assert.deepEqual(await two.forward(node, two.receive(commit(2), 'b/1')), ['NONE']);
  assert.equal((await node.commitOffsets([commit(3)]))[0]!.error, 'NONE');
  assert.equal(await offsetOf(node, 'g'), 3);
});

test('offsets of a transaction are not undone by a late request', async () => {
  const { node, topicId } = await start();
  const { producerId, producerEpoch } = await node.initTransactionalProducer({
    ...{ transactionalId: 'tx', timeoutMs: 10_000, producerId: -1, producerEpoch: -1 },
  });
  const [paused, other] = [await Agent.at(node), await Agent.at(node)];
  const commit = async (agent: Agent, received: OffsetsCommit) => {
    const { offsets, origin } = received;
    const caller = { transactionalId: 'tx', producerId, producerEpoch, addsGroup: true };
    const member = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null };
    const { error, mark } = await node.commitTransactionOffsets({ ...caller, ...member, origin, offsets });
    agent.mark = mark;
    return error;
  };
  const held = paused.receive(commitOf('g', topicId, { 0: 100 }), 'a/1');
  assert.equal(await commit(other, other.receive(commitOf('g', topicId, { 0: 100 }), 'b/1')), 'NONE');
  assert.equal(await commit(other, other.receive(commitOf('g', topicId, { 0: 150 }), 'b/1')), 'NONE');
  assert.equal(await commit(paused, held), late);
  await node.endTransaction({
    ...{ transactionalId: 'tx', producerId, producerEpoch, isCommit: true, bumpsEpoch: true },
    origin: { connection: 'b/2', request: 0 },
  });
  assert.equal(await offsetOf(node, 'g'), 150);
});

test('a commit of an evicted member needs a mark at or after the newest evicted commit', () => {
  const order = new CommitOrder(7);
  const from = (memberId: string, connection: string, count: number) => ({
    ...{ groupId: 'g', generationIdOrMemberEpoch: 1, memberId, groupInstanceId: null },
    origin: { connection, heard: { term: 7, count } },
  });
  order.admitted(from('first', 'a', 0));
  for (let member = 0; member < groupLimits.rememberedCommittersMax; member++)
    order.admitted(from(`${member}`, 'a', 0));
  assert.equal(order.isLate(from('first', 'b', 0)), true);
  assert.equal(order.isLate(from('first', 'b', 1)), false);
  assert.equal(order.isLate(from('0', 'b', 1)), true);
  assert.equal(order.isLate(from('0', 'b', 2)), false);
  assert.deepEqual(order.mark, { term: 7, count: groupLimits.rememberedCommittersMax + 1 });
});
