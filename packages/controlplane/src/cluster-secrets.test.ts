import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  acceptedSecrets,
  type ClusterSnapshot,
  clusterSecretBytes,
  clusterSecrets,
  type SecretPlace,
  secretsPeriodMs,
} from '@weir/cluster';
import { silentLog, systemClock } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { startLeader, startNode } from '../testing/leading-node.ts';
import { until } from '../testing/until.ts';
import { expulsionMs, keepClusterSecrets } from './cluster-secrets.ts';
import { authorizeMembers, memberToken } from './hosting/member-tokens.ts';

const { agentTokens, pageExchange } = clusterSecrets;

test('the first leader creates the secrets, and every process has the same', async (t) => {
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

test('agents get the secret by which they authenticate each other, and not the token signing key', async (t) => {
  const leader = await startLeader(t);
  t.after(keepClusterSecrets(leader, { randomBytes, clock: systemClock, log: silentLog }));
  await until(() => leader.record(pageExchange.namespace, pageExchange.key) !== undefined);
  const { records } = await new Promise<ClusterSnapshot>((resolve) => {
    leader.follow({ onSnapshot: resolve, onChanges() {} });
  });
  const sent = new Set(records.map(({ namespace, key }) => `${namespace} ${key}`));
  assert.ok(sent.has(`${pageExchange.namespace} ${pageExchange.key}`));
  assert.ok(!sent.has(`${agentTokens.namespace} ${agentTokens.key}`));
});

test('after a revocation agents get another secret, when no connection with the key is left', async (t) => {
  const clock = new HandClock();
  const leader = await startLeader(t);
  const secret = () => leader.record(pageExchange.namespace, pageExchange.key)?.toString('hex');
  t.after(keepClusterSecrets(leader, { randomBytes, clock, log: silentLog }));
  await until(() => secret() !== undefined);
  /** Returns how many seconds the secret stays the same, at most a minute. */
  const secondsUntilReplaced = async () => {
    const before = secret();
    for (let seconds = 0; seconds < 60; seconds++) {
      if (secret() !== before) return seconds;
      clock.advance(1_000);
      await leader.execute({ kind: 'putEntries', changes: [] });
      await settle();
    }
    return undefined;
  };
  assert.equal(await secondsUntilReplaced(), undefined, 'unchanged without a request');
  for (const again of [1, 2]) {
    await leader.replaceSecrets();
    const seconds = (await secondsUntilReplaced())!;
    assert.ok(seconds * 1_000 >= expulsionMs, `${seconds} s, time ${again}`);
  }
  await leader.replaceSecrets();
  clock.advance(expulsionMs / 2);
  await settle();
  await leader.replaceSecrets();
  assert.ok(
    (await secondsUntilReplaced())! * 1_000 >= expulsionMs,
    'the delay begins at the last revocation',
  );
  assert.equal(await secondsUntilReplaced(), undefined, 'once');
});

/** The values of a secret that the node accepts, the signing one first. */
function accepted(node: ClusterNode, secret: SecretPlace): string[] {
  const read = ({ namespace, key }: SecretPlace) => node.record(namespace, key);
  return acceptedSecrets(secret, read)?.map((value) => value.toString('hex')) ?? [];
}

/** Triggers the leader's check of its secrets, and waits until it is done. */
async function checkOnce(node: ClusterNode, clock: HandClock): Promise<void> {
  for (let times = 0; times < 5; times++) {
    clock.advance(2_000);
    await settle();
    await node.execute({ kind: 'putEntries', changes: [] });
    await settle();
  }
}

test('both secrets are rotated, and the previous value is accepted for a period', async (t) => {
  const clock = new HandClock();
  const leader = await startLeader(t);
  const { scramDecoys } = clusterSecrets;
  t.after(keepClusterSecrets(leader, { randomBytes, clock, log: silentLog }));
  await until(
    () => accepted(leader, agentTokens).length === 2 && accepted(leader, pageExchange).length === 2,
  );
  await checkOnce(leader, clock);
  const decoys = leader.record(scramDecoys.namespace, scramDecoys.key)?.toString('hex');
  const rotating = [agentTokens, pageExchange];
  const all = () => rotating.map((secret) => accepted(leader, secret));
  const made = all();
  clock.advance(secretsPeriodMs / 2);
  await checkOnce(leader, clock);
  assert.deepEqual(all(), made, 'not before the period ends');
  clock.advance(secretsPeriodMs / 2);
  await checkOnce(leader, clock);
  const rotated = all();
  clock.advance(secretsPeriodMs);
  await checkOnce(leader, clock);
  const again = all();
  for (const [index, [first, second]] of made.entries()) {
    const [current, next, before] = rotated[index]!;
    assert.deepEqual(
      [current, before],
      [second, first],
      'the next key signs, and the previous one is accepted',
    );
    assert.ok(next !== first && next !== second, 'there is a new next key');
    assert.deepEqual([again[index]![0], again[index]![2]], [next, current]);
    assert.ok(!again[index]!.includes(first!), 'one period later it is not accepted');
  }
  assert.equal(leader.record(scramDecoys.namespace, scramDecoys.key)?.toString('hex'), decoys, 'decoys stay');
});

test('after a revocation no secret that the key has seen is accepted', async (t) => {
  const clock = new HandClock();
  const leader = await startLeader(t);
  t.after(keepClusterSecrets(leader, { randomBytes, clock, log: silentLog }));
  await until(() => accepted(leader, pageExchange).length === 2);
  await checkOnce(leader, clock);
  clock.advance(secretsPeriodMs);
  await checkOnce(leader, clock);
  const [before, tokens] = [accepted(leader, pageExchange), accepted(leader, agentTokens)];
  assert.equal(before.length, 3);
  await leader.replaceSecrets();
  for (let times = 0; times < 3; times++) await checkOnce(leader, clock);
  const replaced = accepted(leader, pageExchange);
  assert.equal(replaced.filter((secret) => before.includes(secret)).length, 0);
  assert.deepEqual(accepted(leader, agentTokens), tokens, 'agents do not have these');
});

test('tokens of members stay valid across a rotation, in processes that have seen it and in others', async (t) => {
  const clock = new HandClock();
  const leader = await startLeader(t);
  t.after(keepClusterSecrets(leader, { randomBytes, clock, log: silentLog }));
  const read = ({ namespace, key }: SecretPlace) => leader.record(namespace, key);
  await until(() => accepted(leader, agentTokens).length === 2);
  await checkOnce(leader, clock);
  const late = acceptedSecrets(agentTokens, read)!;
  clock.advance(secretsPeriodMs);
  await checkOnce(leader, clock);
  const early = () => acceptedSecrets(agentTokens, read)!;
  assert.notDeepEqual(early()[0], late[0]);
  for (const [signing, admitting] of [
    [() => late, early],
    [early, () => late],
  ] as const) {
    const token = memberToken('c', signing, clock)!;
    assert.equal(await authorizeMembers(admitting, clock)('c', token), true);
  }
});
