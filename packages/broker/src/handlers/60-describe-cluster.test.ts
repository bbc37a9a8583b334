import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationBits, operationsOfResource } from '@weir/core';
import { operationsNotRequested } from '@weir/security';
import type { ErrorName } from '@weir/wire';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('every version describes the agents', async () => {
  const agents = ['a', 'b'].map((id) => testAgent(id));
  const { call } = await startTestAgent({ self: agents[1]!, agents });
  for (const version of [0, 1, 2]) {
    for (const includesOperations of [true, false]) {
      const request = { includeClusterAuthorizedOperations: includesOperations };
      const answer = answered(await call('DescribeCluster', version, request));
      assert.deepEqual([answer.errorCode, answer.clusterId], [0, 'vci_test']);
      assert.equal(answer.controllerId, agents[1]!.nodeId);
      assert.deepEqual(
        answer.brokers.map(({ brokerId, host, rack, isFenced }) => [brokerId, host, rack, isFenced]),
        agents.map(({ nodeId, host }) => [nodeId, host, 'service-fake-rack', false]),
      );
      const everything = operationBits(operationsOfResource.CLUSTER);
      assert.equal(
        answer.clusterAuthorizedOperations,
        includesOperations ? everything : operationsNotRequested,
      );
    }
  }
});

test('endpoint types', async () => {
  const { call } = await startTestAgent();
  const cases: [endpointType: number, error: ErrorName][] = [
    [1, 'NONE'],
    [2, 'MISMATCHED_ENDPOINT_TYPE'],
    [3, 'UNSUPPORTED_ENDPOINT_TYPE'],
  ];
  for (const [endpointType, error] of cases) {
    const request = { includeClusterAuthorizedOperations: false, endpointType };
    const answer = answered(await call('DescribeCluster', 1, request));
    assert.deepEqual([answer.errorCode, answer.endpointType], [codeOf(error), 1]);
    assert.equal(answer.clusterId === '', error !== 'NONE');
  }
});
