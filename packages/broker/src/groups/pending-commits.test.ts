import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import { watchedPort } from '../../testing/watched-port.ts';
import { brokerLimits } from '../limits.ts';

const configs = { 'group.initial.rebalance.delay.ms': '0' };
const groupId = 'g';
const topic = 't';

/** The port of an agent whose commits wait for a promise. `onCall` is called before each call of the leader. */
function portWithHeldCommits(
  released: Promise<void>,
  onCall: (method: string) => void = () => {},
): (node: ClusterNode) => ClusterPort {
  return (node) => {
    const port = watchedPort(node, onCall);
    const commitOffsets: ClusterPort['commitOffsets'] = async (commits) => {
      await released;
      return port.commitOffsets(commits);
    };
    return new Proxy(port, {
      get: (target, name) => (name === 'commitOffsets' ? commitOffsets : Reflect.get(target, name)),
    });
  };
}

/** Joins as the only member of the group, over a connection. */
async function joinAlone(agent: LeaderAgent, connection: AbortSignal): Promise<string> {
  const joined = answered(
    await agent.call(
      'JoinGroup',
      3,
      {
        groupId,
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 10_000,
        memberId: '',
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata: Buffer.from('m') }],
      },
      'test',
      connection,
    ),
  );
  const { memberId } = joined;
  const assignments = [{ memberId, assignment: Buffer.from('a') }];
  const sync = { groupId, generationId: 1, memberId, assignments };
  assert.equal(answered(await agent.call('SyncGroup', 3, sync, 'test', connection)).errorCode, 0);
  return memberId;
}

/** Commits the first partitions, and returns the errors that occurred. */
async function commit(
  agent: LeaderAgent,
  { count, memberId = '', connection }: { count: number; memberId?: string; connection?: AbortSignal },
): Promise<number[]> {
  const partitions = Array.from({ length: count }, (_, partitionIndex) => ({
    partitionIndex,
    committedOffset: 1n,
    committedMetadata: '',
  }));
  const { topics } = answered(
    await agent.call(
      'OffsetCommit',
      8,
      {
        groupId: memberId === '' ? 'another group' : groupId,
        generationIdOrMemberEpoch: memberId === '' ? -1 : 1,
        memberId,
        topics: [{ name: topic, partitions }],
      },
      'test',
      connection,
    ),
  );
  return [...new Set(topics[0]!.partitions.map(({ errorCode }) => errorCode))];
}

async function leave(agent: LeaderAgent, memberId: string, connection: AbortSignal): Promise<number> {
  const request = { groupId, members: [{ memberId }] };
  return answered(await agent.call('LeaveGroup', 3, request, 'test', connection)).errorCode;
}

test('a member that leaves behind a commit of many partitions leaves after it', async () => {
  await using agent = await startLeaderAgent(configs);
  const count = 3 * brokerLimits.entriesPerTurnMax;
  await agent.addTopic(topic, count);
  const connection = new AbortController().signal;
  const memberId = await joinAlone(agent, connection);
  const outcomes = await Promise.all([
    commit(agent, { count, memberId, connection }),
    leave(agent, memberId, connection),
  ]);
  assert.deepEqual(outcomes, [[0], 0]);
});

test('a member that leaves behind a commit that waits for those of others leaves after it', async () => {
  const calls: string[] = [];
  const inFlight = Promise.withResolvers<void>();
  await using agent = await startLeaderAgent(configs, {
    port: portWithHeldCommits(inFlight.promise, (method) => void calls.push(method)),
  });
  await agent.addTopic(topic, 1);
  const connection = new AbortController().signal;
  const memberId = await joinAlone(agent, connection);
  const outcomes = [
    commit(agent, { count: 1 }),
    commit(agent, { count: 1, memberId, connection }),
    leave(agent, memberId, connection),
  ];
  await settle();
  await settle();
  inFlight.resolve();
  assert.deepEqual(await Promise.all(outcomes), [[0], [0], 0]);
  const ordered = calls.filter((method) => method === 'commitOffsets' || method === 'leaveGroup');
  assert.deepEqual(ordered, ['commitOffsets', 'commitOffsets', 'leaveGroup']);
});

test('requests do not wait for commits of other connections', async () => {
  const inFlight = Promise.withResolvers<void>();
  await using agent = await startLeaderAgent(configs, {
    port: portWithHeldCommits(inFlight.promise),
  });
  await agent.addTopic(topic, 1);
  const connection = new AbortController().signal;
  const memberId = await joinAlone(agent, connection);
  const committed = commit(agent, { count: 1 });
  assert.equal(await leave(agent, memberId, connection), 0);
  inFlight.resolve();
  assert.deepEqual(await committed, [0]);
});
