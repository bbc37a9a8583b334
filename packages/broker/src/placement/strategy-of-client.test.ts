import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';

const agents = ['a', 'b', 'c'].map((id) => testAgent(id));

test('a client id overrides the strategy of the flag', async () => {
  const cases: [clientId: string, flag: 'single_agent' | 'equal_spread', leaders: number][] = [
    ['app', 'equal_spread', 3],
    ['app', 'single_agent', 1],
    ['app,ws_pas=single_agent', 'equal_spread', 1],
    ['app, service_partition_assignment_strategy = "equal_spread_v2"', 'single_agent', 3],
    ['app,ws_pas=nonsense', 'equal_spread', 3],
  ];
  for (const [clientId, strategy, leaders] of cases) {
    const { call, cluster } = await startTestAgent({ self: agents[0]!, agents, strategy });
    cluster.addTopic('orders', 6);
    const { topics } = answered(await call('Metadata', 9, { topics: [{ name: 'orders' }] }, clientId));
    const seen = new Set(topics[0]!.partitions.map(({ leaderId }) => leaderId));
    assert.equal(seen.size, leaders, `${clientId} with ${strategy}`);
  }
});
