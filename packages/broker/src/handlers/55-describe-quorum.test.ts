import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

const requestFor = (topicName: string, partitionIndex: number) => ({
  topics: [{ topicName, partitions: [{ partitionIndex }] }],
});

test('the controller leads the quorum, and its log grows with the journal', async () => {
  await using agent = await startLeaderAgent();
  const { nodeId, host, kafkaPort } = agent.view.agents()[0]!;
  let before = -1n;
  for (const version of [0, 1, 2]) {
    await agent.addTopic(`t${version}`);
    const answer = answered(await agent.call('DescribeQuorum', version, requestFor('__cluster_metadata', 0)));
    assert.equal(answer.errorCode, 0);
    const [partition] = answer.topics[0]!.partitions;
    const { errorCode, leaderId, leaderEpoch, highWatermark, currentVoters, observers } = partition!;
    assert.deepEqual([errorCode, leaderId, observers.length], [0, nodeId, 0]);
    assert.ok(leaderEpoch >= 0);
    assert.ok(highWatermark > before);
    before = highWatermark;
    assert.deepEqual(
      currentVoters.map(({ replicaId, logEndOffset }) => [replicaId, logEndOffset]),
      [[nodeId, highWatermark]],
    );
    if (version < 2) continue;
    assert.deepEqual(answer.nodes, [{ nodeId, listeners: [{ name: 'CONTROLLER', host, port: kafkaPort }] }]);
  }
});

test('there is no other metadata partition', async () => {
  await using agent = await startLeaderAgent();
  for (const [topicName, partition] of [
    ['__cluster_metadata', 1],
    ['t', 0],
  ] as const) {
    const { topics } = answered(await agent.call('DescribeQuorum', 2, requestFor(topicName, partition)));
    assert.equal(topics[0]!.partitions[0]!.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
  }
});

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.unavailable = true;
  const { errorCode } = answered(await agent.call('DescribeQuorum', 2, requestFor('__cluster_metadata', 0)));
  assert.equal(errorCode, codeOf('NOT_CONTROLLER'));
});
