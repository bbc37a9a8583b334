import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { silentLog, systemClock } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type ClusterSnapshot, clusterSecretBytes, clusterSecrets } from '@weir/metadata';
import { startLeader, startNode } from '../testing/leading-node.ts';
import { until } from '../testing/until.ts';
import { expulsionMs, keepClusterSecrets } from './cluster-secrets.ts';

const { agentTokens, pageExchange } = clusterSecrets;

test('the first leader makes the secrets, and every process has the same', async (t) => {
  const databaseUrl = `memory://${randomUUID()}`;
  const leader = await startLeader(t, databaseUrl);
  t.after(keepClusterSecrets(leader, { randomBytes, clock: systemClock, log: silentLog }));
  await until(() => leader.record(agentTokens.namespace, agentTokens.key) !== undefined);
  const made = Buffer.from(leader.record(agentTokens.namespace, agentTokens.key)!);
  assert.equal(made.length, clusterSecretBytes);

  const standby = await startNode(t, databaseUrl, 'two');
  t.after(keepClusterSecrets(standby, { randomBytes, clock: systemClock, log: silentLog }));
  await until(() => standby.record(agentTokens.namespace, agentTokens.key)?.equals(made) === true);
  await leader.stop();
  await until(() => standby.role === 'leader');
  assert.deepEqual(standby.record(agentTokens.namespace, agentTokens.key), made, 'made once');
});

test('agents are told by what they recognise each other, and not what signs their tokens', async (t) => {
  const leader = await startLeader(t);
  t.after(keepClusterSecrets(leader, { randomBytes, clock: systemClock, log: silentLog }));
  await until(() => leader.record(pageExchange.namespace, pageExchange.key) !== undefined);
  const { records } = await new Promise<ClusterSnapshot>((resolve) => {
    leader.follow({ onSnapshot: resolve, onChanges() {} });
  });
  const told = new Set(records.map(({ namespace, key }) => `${namespace} ${key}`));
  assert.ok(told.has(`${pageExchange.namespace} ${pageExchange.key}`));
  assert.ok(!told.has(`${agentTokens.namespace} ${agentTokens.key}`));
});

test('after a key was revoked agents get another secret, when nobody with the key is connected any more', async (t) => {
  const clock = new HandClock();
  const leader = await startLeader(t);
  const secret = () => leader.record(pageExchange.namespace, pageExchange.key)?.toString('hex');
  t.after(keepClusterSecrets(leader, { randomBytes, clock, log: silentLog }));
  await until(() => secret() !== undefined);
  /** As long as the secret stays: how many seconds, at most a minute. */
  const secondsUntilReplaced = async () => {
    const before = secret();
    for (let seconds = 0; seconds < 60; seconds++) {
      if (secret() !== before) return seconds;
      clock.advance(1_000);
      await leader.execute({ kind: 'putRecords', changes: [] });
      await settle();
    }
    return undefined;
  };
  assert.equal(await secondsUntilReplaced(), undefined, 'without a reason it stays');
  for (const again of [1, 2]) {
    await leader.replaceSecrets();
    const seconds = (await secondsUntilReplaced())!;
    assert.ok(seconds * 1_000 >= expulsionMs, `${seconds} s, time ${again}`);
  }
  await leader.replaceSecrets();
  clock.advance(expulsionMs / 2);
  await settle();
  await leader.replaceSecrets();
  assert.ok((await secondsUntilReplaced())! * 1_000 >= expulsionMs, 'the last revocation counts');
  assert.equal(await secondsUntilReplaced(), undefined, 'once');
});
