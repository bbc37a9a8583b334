import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterSecrets, rotationOf } from '@weir/cluster';
import { PipelineLogins } from './pipeline-logins.ts';

function clusterOf() {
  const places = rotationOf(clusterSecrets.pageExchange);
  const byKey = new Map<string, Uint8Array>([
    [places.current.key, Buffer.alloc(32, 1)],
    [places.next.key, Buffer.alloc(32, 2)],
    [places.before.key, Buffer.alloc(32, 3)],
  ]);
  const agents = new Set(['agent-1', 'agent-2']);
  const logins = new PipelineLogins({
    agentSecrets: { byKey } as never,
    isAgent: (agentId) => agents.has(agentId),
  });
  return { byKey, agents, logins, places };
}

test('a login is accepted while its secret is and its agent is there', () => {
  const { byKey, agents, logins, places } = clusterOf();
  const { username, password } = logins.issue('pi_1', 'agent-1')!;
  assert.equal(logins.isRight(username, password), true);
  assert.deepEqual(logins.principalOf(username), {
    name: 'User:weir-pipeline:pi_1:agent-1',
    aliases: [],
    credentialName: undefined,
    isSuperuser: true,
  });
  const [current, next] = [byKey.get(places.current.key)!, byKey.get(places.next.key)!];
  byKey.set(places.current.key, next).set(places.before.key, current);
  assert.equal(logins.isRight(username, password), true, 'after a rotation');
  assert.notEqual(logins.issue('pi_1', 'agent-1')!.username, username);
  agents.delete('agent-1');
  assert.equal(logins.isRight(username, password), false);
  assert.equal(logins.principalOf(username), undefined);
  agents.add('agent-1');
  byKey.set(places.before.key, Buffer.alloc(32, 9));
  assert.equal(logins.isRight(username, password), false, 'after two rotations');
});

test('no other login is taken for a pipeline', () => {
  const { byKey, logins } = clusterOf();
  const { username, password } = logins.issue('pi_1', 'agent-1')!;
  const other = logins.issue('pi_2', 'agent-1')!;
  for (const [user, secret] of [
    [username, other.password],
    [username, ''],
    [`${username}x`, password],
    [username.replace('pi_1', 'pi_2'), password],
    [username.replace('agent-1', 'agent-2'), password],
    ['weir-pipeline:pi_1:agent-1', password],
    ['weir-pipeline:', ''],
    ['pi_1', password],
  ] as const)
    assert.equal(logins.isRight(user, secret), false, user);
  // As a certificate or a token could say.
  assert.equal(logins.principalOf('weir-pipeline:pi_1:agent-1:'), undefined);
  assert.equal(logins.principalOf('weir-pipeline:pi_1:agent-1'), undefined);
  byKey.clear();
  assert.equal(logins.issue('pi_1', 'agent-1'), undefined);
  assert.equal(logins.isRight(username, password), false);
});
