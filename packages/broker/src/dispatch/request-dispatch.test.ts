import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '@weir/wire';
import { testAgent } from '../../testing/agent.ts';
import { startTestAgent } from '../../testing/test-agent-server.ts';

test('a client that asks for another agent group or cluster is refused', async () => {
  const { call } = await startTestAgent({ self: testAgent('a', { group: 'blue' }) });
  const cases: [clientId: string | null, refused: boolean][] = [
    [null, false],
    ['app', false],
    ['app,ws_ag=blue', false],
    ['app,ws_ag=red', true],
    ['"service_agent_group=red"', true],
    ['ws_ag=', true],
    ['service_cluster_id=vci_test', false],
    ['service_cluster_id=vci_other', true],
  ];
  for (const [clientId, refused] of cases) {
    const first = await call('ApiVersions', 0, {}, clientId);
    assert.equal(first === 'close', refused, String(clientId));
    const later = await call('Metadata', 0, { topics: [] }, clientId);
    assert.equal(later === 'close', refused, String(clientId));
  }
});

test('only stable versions of APIs in the table are served', async () => {
  const { server } = await startTestAgent();
  assert.equal(server.serves(apis.InitProducerId, 5), true);
  assert.equal(server.serves(apis.InitProducerId, 6), false);
  // WriteShareGroupState, which brokers send each other.
  assert.equal(server.serves({ ...apis.InitProducerId, key: 85 }, 0), false);
});
