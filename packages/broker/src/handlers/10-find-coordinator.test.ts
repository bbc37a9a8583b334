import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('the agent that serves the request is the coordinator of groups', async () => {
  const self = testAgent('b');
  const { call } = await startTestAgent({ self, agents: ['a', 'b', 'c'].map((id) => testAgent(id)) });
  for (const version of [0, 1, 2, 3]) {
    const answer = answered(await call('FindCoordinator', version, { key: 'group' }));
    assert.deepEqual(
      [answer.errorCode, answer.nodeId, answer.host, answer.port],
      [0, self.nodeId, 'b.test', 9092],
    );
  }
  for (const version of [4, 5, 6]) {
    const request = { keyType: 0, coordinatorKeys: ['x', 'y'] };
    const { coordinators } = answered(await call('FindCoordinator', version, request));
    assert.deepEqual(
      coordinators.map(({ key, nodeId, errorCode }) => [key, nodeId, errorCode]),
      [
        ['x', self.nodeId, 0],
        ['y', self.nodeId, 0],
      ],
    );
  }
});

test('the coordinator of a transactional id is the same whichever agent is asked', async () => {
  const ids = ['a', 'b', 'c'];
  const keys = Array.from({ length: 30 }, (_, number) => `producer ${number}`);
  const found = async (self: string, alive: readonly string[]) => {
    const { call } = await startTestAgent({
      self: testAgent(self),
      agents: alive.map((id) => testAgent(id)),
    });
    const nodes = [];
    for (const key of keys) nodes.push(answered(await call('FindCoordinator', 2, { key, keyType: 1 })).host);
    const many = answered(await call('FindCoordinator', 6, { keyType: 1, coordinatorKeys: keys }));
    assert.deepEqual(
      many.coordinators.map(({ host }) => host),
      nodes,
    );
    return nodes;
  };
  const nodes = await found('a', ids);
  assert.deepEqual(new Set(nodes), new Set(['a.test', 'b.test', 'c.test']), 'all agents have some');
  for (const self of ['b', 'c']) assert.deepEqual(await found(self, ids), nodes);
  const without = await found('a', ['a', 'b']);
  for (const [at, host] of nodes.entries()) {
    if (host !== 'c.test') assert.equal(without[at], host, 'only those of an agent that left move');
    else assert.notEqual(without[at], 'c.test');
  }
});

test('key types', async () => {
  const { call } = await startTestAgent();
  const share = 'g:roup:AAAAAAAAAAAAAAAAAAAAAQ:0';
  const cases: [version: number, keyType: number, ok: boolean, key?: string][] = [
    [1, 0, true],
    [1, 1, true],
    [1, 2, false],
    [5, 2, false],
    [6, 2, true, share],
    [6, 2, false],
    [6, 2, false, 'group:topic:0'],
    [6, 2, false, 'group:AAAAAAAAAAAAAAAAAAAAAQ:x'],
    [6, 3, false],
  ];
  for (const [version, keyType, ok, key = 'k'] of cases) {
    const keys = version >= 4 ? { coordinatorKeys: [key] } : { key };
    const answer = answered(await call('FindCoordinator', version, { keyType, ...keys }));
    const { errorCode, nodeId } = answer.coordinators[0] ?? answer;
    assert.equal(errorCode, codeOf(ok ? 'NONE' : 'INVALID_REQUEST'), `v${version} type ${keyType}`);
    assert.equal(nodeId === -1, !ok);
  }
});
