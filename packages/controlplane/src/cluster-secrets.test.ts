import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { type ClusterSnapshot, clusterSecretBytes, clusterSecrets } from '@weir/metadata';
import { startLeader, startNode } from '../testing/leading-node.ts';
import { until } from '../testing/until.ts';
import { keepClusterSecrets } from './cluster-secrets.ts';

const { agentTokens, pageExchange } = clusterSecrets;

test('the first leader makes the secrets, and every process has the same', async (t) => {
  const databaseUrl = `memory://${randomUUID()}`;
  const leader = await startLeader(t, databaseUrl);
  keepClusterSecrets(leader, { randomBytes, log: silentLog });
  await until(() => leader.record(agentTokens.namespace, agentTokens.key) !== undefined);
  const made = Buffer.from(leader.record(agentTokens.namespace, agentTokens.key)!);
  assert.equal(made.length, clusterSecretBytes);

  const standby = await startNode(t, databaseUrl, 'two');
  keepClusterSecrets(standby, { randomBytes, log: silentLog });
  await until(() => standby.record(agentTokens.namespace, agentTokens.key)?.equals(made) === true);
  await leader.stop();
  await until(() => standby.role === 'leader');
  assert.deepEqual(standby.record(agentTokens.namespace, agentTokens.key), made, 'made once');
});

test('agents are told by what they recognise each other, and not what signs their tokens', async (t) => {
  const leader = await startLeader(t);
  keepClusterSecrets(leader, { randomBytes, log: silentLog });
  await until(() => leader.record(pageExchange.namespace, pageExchange.key) !== undefined);
  const { records } = await new Promise<ClusterSnapshot>((resolve) => {
    leader.follow({ onSnapshot: resolve, onChanges() {} });
  });
  const told = new Set(records.map(({ namespace, key }) => `${namespace} ${key}`));
  assert.ok(told.has(`${pageExchange.namespace} ${pageExchange.key}`));
  assert.ok(!told.has(`${agentTokens.namespace} ${agentTokens.key}`));
});
