import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { acceptedSecrets, clusterSecrets } from '@weir/metadata';
import { connectAgent, freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';
import { memberToken } from '../hosting/member-tokens.ts';

const agent = {
  ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
  ...{ roles: ['proxy'], release: 'v830', cpuCount: 1, cpuLoad: 0 },
};

test('a query goes over connections: from another process, as from the leader, and back', async (t) => {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const { url, whenLeader } = await startProcess(t, { firstCluster: () => first });
  const node = await whenLeader();
  const worker = connectAgent(t, url, first.id, first.agentKey);
  await worker.heartbeat(agent);
  // Another control-plane process connects in the way that agents do, with a token that only such processes can make.
  const secrets = acceptedSecrets(clusterSecrets.agentTokens, ({ namespace, key }) =>
    node.record(namespace, key),
  );
  const token = memberToken(first.id, () => secrets, systemClock);
  const caller = connectAgent(t, url, first.id, token!);
  const taken = worker.takeQuery({ agentId: 'a', waitMs: 20_000 });
  const asked = caller.runQuery({ queryId: 'q1', request: Buffer.from('ask'), limitMs: 5_000 });
  const query = (await taken)!;
  assert.deepEqual([query.queryId, Buffer.from(query.request).toString()], ['q1', 'ask']);
  const report = { agentId: 'a', queryId: 'q1', message: '' };
  assert.equal(await worker.reportQuery({ ...report, state: 'running', answer: null }), true);
  await worker.reportQuery({ ...report, state: 'done', answer: Buffer.from('found') });
  const outcome = await asked;
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
