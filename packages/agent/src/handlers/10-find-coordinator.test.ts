import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, codeOf, startTestAgent, testAgent } from '../../testing/index.ts';

test('the agent that serves the request is the coordinator', async () => {
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
    const request = { keyType: 1, coordinatorKeys: ['x', 'y'] };
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

test('key types', async () => {
  const { call } = await startTestAgent();
  const cases: [version: number, keyType: number, ok: boolean][] = [
    [1, 0, true],
    [1, 1, true],
    [1, 2, false],
    [5, 2, false],
    [6, 2, true],
    [6, 3, false],
  ];
  for (const [version, keyType, ok] of cases) {
    const keys = version >= 4 ? { coordinatorKeys: ['k'] } : { key: 'k' };
    const answer = answered(await call('FindCoordinator', version, { keyType, ...keys }));
    const { errorCode, nodeId } = answer.coordinators[0] ?? answer;
    assert.equal(errorCode, codeOf(ok ? 'NONE' : 'INVALID_REQUEST'), `v${version} type ${keyType}`);
    assert.equal(nodeId === -1, !ok);
  }
});
