import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '../../testing/agent.ts';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

async function list(agent: Pick<LeaderAgent, 'call'>, version: number, resourceTypes: number[] = []) {
  const request = version >= 1 ? { resourceTypes } : {};
  const { errorCode, configResources } = answered(await agent.call('ListConfigResources', version, request));
  if (errorCode !== 0) return errorCode;
  return configResources.map(({ resourceName, resourceType }) => `${resourceType} ${resourceName}`);
}

async function lively(): Promise<LeaderAgent> {
  const agent = await startLeaderAgent();
  await agent.addTopic('t');
  const set = (name: string, value: string) => [{ name, operation: 'set' as const, value }];
  await agent.node.alterConfigs(
    [
      { kind: 'group', name: 'g', replacesAll: false, changes: set('share.auto.offset.reset', 'earliest') },
      { kind: 'clientMetrics', name: 'm', replacesAll: false, changes: set('metrics', '*') },
    ],
    { validateOnly: false },
  );
  return agent;
}

test('resources with configs are listed by type', async () => {
  await using agent = await lively();
  const { nodeId } = agent.view.agents()[0]!;
  assert.deepEqual(await list(agent, 0), ['16 m']);
  assert.deepEqual(await list(agent, 1), ['2 t', `4 ${nodeId}`, `8 ${nodeId}`, '16 m', '32 g']);
  assert.deepEqual(await list(agent, 1, [32, 2, 32]), ['32 g', '2 t']);
  assert.equal(await list(agent, 1, [2, 3]), codeOf('UNSUPPORTED_VERSION'));
});

test('without the control plane, only topics and brokers can be listed', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  agent.cluster.unavailable = true;
  const { nodeId } = testAgent('agent-1');
  assert.deepEqual(await list(agent, 1, [2, 4]), ['2 t', `4 ${nodeId}`]);
  assert.equal(await list(agent, 1), codeOf('COORDINATOR_NOT_AVAILABLE'));
});
