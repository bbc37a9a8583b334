import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { missingTool } from '../apache/tools.ts';
import { openJavaClient } from '../brokers/java-client.ts';
import { lastFirst, startCluster } from '../brokers/weir-process.ts';
import { javaSettings, type Login } from './foreign-clients.ts';
import { SecretFiles } from './secured.ts';

/** ACLs with Apache's clients, 4.3.1: created at one agent and enforced by the other. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const users = ['root', 'alice', 'bob'] as const;
type User = (typeof users)[number];
const passwordOf = (user: User) => `the password of ${user}`;
const cluster = skip
  ? undefined!
  : await startCluster(lifetime, {
      controlPlanes: 1,
      controlPlaneFlags: files.credentials(
        users.map((user) => ({
          name: user,
          username: user,
          password: passwordOf(user),
          superuser: user === 'root',
        })),
      ),
      agents: [
        { zone: 'a', flags: ['-requireSASLAuthentication', '-enablePrometheusMetrics'] },
        { zone: 'a', flags: ['-requireSASLAuthentication', '-enablePrometheusMetrics'] },
      ],
    });
const java = skip ? undefined! : openJavaClient(lifetime);

/** Returns the client settings of a user at one of the two agents. */
const servers = (user: User, agent: 0 | 1) => {
  const login: Login = { mechanism: 'SCRAM-SHA-512', user, password: passwordOf(user) };
  const settings = javaSettings(cluster.agents[agent]!.address('Kafka'), { login });
  return files.java(`${user}-${agent}`, settings);
};
const as = <Answer>(user: User, agent: 0 | 1, command: string, ...args: readonly (string | number)[]) =>
  java.ask<Answer>(command, servers(user, agent), ...args);

/** Retries, because changes made at one agent reach the other with a short delay. */
async function soon<Value>(check: () => Promise<Value>): Promise<Value> {
  for (let left = 50; ; left--) {
    try {
      return await check();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
    }
  }
}

const rejectedSoon = (run: () => Promise<unknown>, error: RegExp) => soon(() => assert.rejects(run, error));
const write = (user: User, topic: string) => as(user, 1, 'produce', topic, 1, 1, 1_700_000_000_000);
const read = (user: User, topic: string) => as<readonly unknown[]>(user, 1, 'read', topic);

test('rules bind those who are no superusers, at every agent', { skip, timeout: 180_000 }, async () => {
  await as('alice', 1, 'create-topic', 'before-the-rules', 1);
  await as('root', 0, 'cluster-config', 'service.acls.enabled=true');

  await rejectedSoon(() => as('alice', 1, 'create-topic', 'orders-1', 1), /AuthorizationException/);
  await assert.rejects(write('alice', 'before-the-rules'), /TopicAuthorizationException/);
  assert.deepEqual(await as('alice', 1, 'list-topics'), [], 'what she may not see is not there');
  assert.deepEqual(await as('root', 1, 'list-topics'), ['before-the-rules']);

  const allowed = 'TOPIC:PREFIXED:orders-:User:alice:*:ALL:ALLOW';
  await as('root', 0, 'create-acls', allowed);
  await soon(() => as('alice', 1, 'create-topic', 'orders-1', 1));
  await write('alice', 'orders-1');
  assert.equal((await read('alice', 'orders-1')).length, 1);
  assert.deepEqual(await as('alice', 1, 'list-topics'), ['orders-1']);
  await assert.rejects(read('bob', 'orders-1'), /TopicAuthorizationException/);
  await assert.rejects(as('alice', 1, 'create-acls', allowed), /ClusterAuthorizationException/);

  const denied = 'TOPIC:LITERAL:orders-1:User:alice:*:WRITE:DENY';
  const others = 'TOPIC:LITERAL:*:User:*:127.0.0.1:READ:ALLOW';
  await as('root', 0, 'create-acls', denied, others);
  await rejectedSoon(() => write('alice', 'orders-1'), /TopicAuthorizationException/);
  assert.equal((await soon(() => read('bob', 'orders-1'))).length, 1);

  const all = 'ANY:ANY:-:-:-:ANY:ANY';
  assert.deepEqual(await as('root', 1, 'describe-acls', all), [denied, allowed, others].sort());
  assert.deepEqual(await as('root', 1, 'delete-acls', 'TOPIC:MATCH:orders-1:User:alice:-:WRITE:DENY'), [
    denied,
  ]);
  await soon(() => write('alice', 'orders-1'));
  await as('root', 1, 'delete-acls', all);
  await rejectedSoon(() => read('bob', 'orders-1'), /TopicAuthorizationException/);
});

test('shadowed rules bind nobody, and tell whom they would have', { skip, timeout: 180_000 }, async () => {
  await assert.rejects(
    as('root', 0, 'cluster-config', 'service.acl.shadowing.enabled=true'),
    /InvalidConfig/,
  );
  await as('root', 0, 'cluster-config', 'service.acls.enabled=false', 'service.acl.shadowing.enabled=true');
  await soon(() => as('bob', 1, 'create-topic', 'in-the-shadow', 1));
  await write('bob', 'in-the-shadow');
  // Either agent may have received the record.
  const agents = cluster.agents;
  const metrics = await Promise.all(
    agents.map(async (agent) => await (await fetch(`${agent.address('HTTP')}/metrics`)).text()),
  );
  assert.match(
    metrics.join('\n'),
    /^service_agent_acl_denied\{.*resource_type="TOPIC",operation="WRITE"\} [1-9]/im,
  );
  const logs = () => agents.map(({ output }) => output.err).join('');
  await soon(async () => assert.match(logs(), /shadow.*in-the-shadow|in-the-shadow.*shadow/i));
});
