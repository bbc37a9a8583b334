import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalTopicPrefix } from '@weir/core';
import { until } from '@weir/core/testing';
import { testAgent } from '../../testing/agent.ts';
import { batchOf } from '../../testing/data-path.ts';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

async function describe(
  agent: Pick<LeaderAgent, 'call'>,
  version: number,
  topics: { topic: string; partitions: number[] }[] | null,
) {
  const { errorCode, results } = answered(await agent.call('DescribeLogDirs', version, { topics }));
  assert.deepEqual([errorCode, results.length], [0, 1]);
  return results[0]!;
}

async function produce(agent: LeaderAgent, name: string, index: number, records: Buffer) {
  const topicData = [{ name, partitionData: [{ index, records }] }];
  answered(await agent.call('Produce', 9, { transactionalId: null, acks: -1, timeoutMs: 1000, topicData }));
}

test('every version returns the size of partitions', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('a', 2);
  await agent.addTopic('b');
  const batch = batchOf(['one', 'two']);
  await produce(agent, 'a', 1, batch);
  await produce(agent, 'a', 1, batch);
  for (const version of [1, 2, 3, 4, 5]) {
    const { errorCode, logDir, topics, totalBytes, usableBytes } = await describe(agent, version, null);
    assert.deepEqual([errorCode, logDir], [0, `service/${agent.view.clusterId}`]);
    assert.deepEqual([totalBytes, usableBytes], [-1n, -1n]);
    const lines = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, partitionSize }) => `${name}-${partitionIndex} ${partitionSize}`),
    );
    assert.deepEqual(lines, ['a-0 0', `a-1 ${2 * batch.length}`, 'b-0 0']);
    const some = await describe(agent, version, [
      { topic: 'a', partitions: [1, 7] },
      { topic: 'nothing', partitions: [0] },
    ]);
    assert.deepEqual(
      some.topics.map(({ name, partitions }) => [name, partitions.length]),
      [['a', 1]],
    );
  }
});

test('internal topics count, also when all topics are requested', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('a');
  await agent.addTopic(`${internalTopicPrefix}x`);
  const { topics } = await describe(agent, 4, null);
  assert.deepEqual(topics.map(({ name }) => name).sort(), [`${internalTopicPrefix}x`, 'a']);
});

test('deleted records do not count', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('a');
  await produce(agent, 'a', 0, batchOf(['one']));
  await agent.node.deleteRecords([{ topicId, partition: 0, offset: -1 }]);
  const { topics } = await describe(agent, 4, null);
  assert.equal(topics[0]!.partitions[0]!.partitionSize, 0n);
});

test('each agent reports its own partitions, and together they report all', async () => {
  await using agent = await startLeaderAgent();
  await agent.node.heartbeat(testAgent('agent-2'));
  await agent.addTopic('a', 20);
  await until(() => agent.view.agents().length === 2);
  const { topics } = await describe(agent, 4, null);
  const own = topics[0]!.partitions.map(({ partitionIndex }) => partitionIndex);
  const { topics: described } = answered(await agent.call('Metadata', 9, { topics: [{ name: 'a' }] }));
  const self = agent.view.agents().find(({ agentId }) => agentId === 'agent-1')!.nodeId;
  const led = described[0]!.partitions.filter(({ leaderId }) => leaderId === self);
  assert.deepEqual(
    own,
    led.map(({ partitionIndex }) => partitionIndex),
  );
  assert.ok(own.length > 0 && own.length < 20);
});

test('KAFKA_STORAGE_ERROR if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  agent.cluster.unavailable = true;
  assert.equal((await describe(agent, 4, null)).errorCode, codeOf('KAFKA_STORAGE_ERROR'));
});
