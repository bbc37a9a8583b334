import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveAgentIdentity } from './agent-identity.ts';

test('an agent has exactly one way to authenticate to its cluster', () => {
  const cases: readonly [
    id: string | undefined,
    key: string | undefined,
    keyPath: string | undefined,
    source: 'aws' | 'gcp' | undefined,
    expected: object,
  ][] = [
    [
      'vci_1',
      'aks_1',
      undefined,
      undefined,
      { value: { virtualClusterId: 'vci_1', proof: { kind: 'key', key: 'aks_1' } } },
    ],
    ['vci_1', undefined, '/run/key', undefined, { value: { proof: { kind: 'keyFile', path: '/run/key' } } }],
    ['vci_1', undefined, undefined, 'gcp', { value: { proof: { kind: 'workloadIdentity', source: 'gcp' } } }],
    ['vci_1', 'aks_1', undefined, 'aws', forbids('agentKey', 'workloadIdentityTokenSource')],
    ['vci_1', undefined, '/run/key', 'aws', forbids('agentKeyPath', 'workloadIdentityTokenSource')],
    ['vci_1', 'aks_1', '/run/key', undefined, forbids('agentKey', 'agentKeyPath')],
    [undefined, 'aks_1', '/run/key', undefined, forbids('agentKey', 'agentKeyPath')],
    [
      undefined,
      'aks_1',
      undefined,
      undefined,
      { problem: { kind: 'missing', flags: ['defaultVirtualClusterID'] } },
    ],
    ['vci_1', undefined, undefined, undefined, { problem: { kind: 'missing', flags: ['agentKey'] } }],
  ];
  for (const [
    defaultVirtualClusterID,
    agentKey,
    agentKeyPath,
    workloadIdentityTokenSource,
    expected,
  ] of cases) {
    const values = { defaultVirtualClusterID, agentKey, agentKeyPath, workloadIdentityTokenSource };
    assert.partialDeepStrictEqual(resolveAgentIdentity(values), expected);
  }
});

function forbids(...flags: readonly string[]) {
  return { problem: { kind: 'forbidden', flags } };
}
