import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { acceptedSecrets, clusterSecrets } from '@weir/cluster';
import { systemClock } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { connectAgent, freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';
import { memberToken } from '../hosting/member-tokens.ts';

const agent = {
  ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
  ...{ roles: ['proxy'], release: 'v830', cpuCount: 1, cpuLoad: 0 },
};

/** Connects as another control-plane process, as agents do, with a token that only such processes can make. */
function connectMember(t: TestContext, url: string, clusterId: string, node: ClusterNode) {
  const secrets = acceptedSecrets(clusterSecrets.agentTokens, ({ namespace, key }) =>
    node.record(namespace, key),
  );
  return connectAgent(t, url, clusterId, memberToken(clusterId, () => secrets, systemClock)!);
}

test('a query runs over connections: from another process as from the leader', async (t) => {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const { url, whenLeader } = await startProcess(t, { firstCluster: () => first });
  const node = await whenLeader();
  const worker = connectAgent(t, url, first.id, first.agentKey);
  await worker.heartbeat(agent);
  const caller = connectMember(t, url, first.id, node);
  const taken = worker.takeQuery({ agentId: 'a', waitMs: 20_000 });
  const running = caller.runQuery({ queryId: 'q1', request: Buffer.from('ask'), limitMs: 5_000 });
  const query = (await taken)!;
  assert.deepEqual([query.queryId, Buffer.from(query.request).toString()], ['q1', 'ask']);
  const report = { agentId: 'a', queryId: 'q1', message: '' };
  assert.equal(await worker.reportQuery({ ...report, state: 'running', answer: null }), true);
  await worker.reportQuery({ ...report, state: 'done', answer: Buffer.from('found') });
  const outcome = await running;
  assert.ok(outcome.kind === 'answered');
  assert.equal(Buffer.from(outcome.answer).toString(), 'found');

  const next = worker.takeQuery({ agentId: 'a', waitMs: 20_000 });
  const given = caller.runQuery({ queryId: 'q2', request: Buffer.from('ask'), limitMs: 5_000 });
  await next;
  await caller.cancelQuery('q2');
  assert.deepEqual((await given).kind, 'refused');
  assert.equal(await worker.reportQuery({ ...report, queryId: 'q2', state: 'running', answer: null }), false);
  assert.equal(await worker.holdJob({ agentId: 'a', job: 'event-sidecars', hasIt: true }), true);
});

test('reads of single topics and configs work over the connection of another process', async (t) => {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const { url, whenLeader } = await startProcess(t, { firstCluster: () => first });
  const node = await whenLeader();
  await node.createTopics([{ name: 'orders', partitionCount: 2, configs: {} }], { validateOnly: false });
  const caller = connectMember(t, url, first.id, node);
  const references = [{ name: 'orders' }, { name: 'none' }];
  const [topic, none] = await caller.describeTopics(references);
  assert.deepEqual([topic?.name, topic?.partitionCount, none], ['orders', 2, null]);
  const { topics, nextOffset } = await caller.describePartitions(references);
  assert.deepEqual([topics, nextOffset], [[topic], new Float64Array(2)]);
  assert.deepEqual(await caller.clusterConfigs(), await node.clusterConfigs());
  assert.deepEqual(await caller.countResources(), await node.countResources());
});
