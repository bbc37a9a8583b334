import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { missingTool } from '../apache/tools.ts';
import { openJavaClient } from '../brokers/java-client.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { javaSettings } from './foreign-clients.ts';
import { SecretFiles } from './secured.ts';

/** A gateway that writes on behalf of its users: ACLs of the named principal apply, and records carry its name. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const passwordOf = (user: string) => `the password of ${user}`;
const broker = skip
  ? ''
  : (
      await startLocal(lifetime, [
        '-requireSASLAuthentication',
        ...['-impersonatorPrincipals', 'User:gateway', '-injectPrincipalHeader', 'written-by'],
        ...files.credentials(
          ['root', 'gateway', 'mallory'].map((user) => ({
            name: user,
            username: user,
            password: passwordOf(user),
            superuser: user === 'root',
          })),
        ),
      ])
    ).address('Kafka');
const java = skip ? undefined! : openJavaClient(lifetime);
const header = 'service-impersonate-principal';
const topic = 'on-behalf';

const clientOf = (user: string) =>
  new Kafka({
    clientId: user,
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    sasl: { mechanism: 'scram-sha-512', username: user, password: passwordOf(user) },
  });

async function write(
  user: string,
  value: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const producer = clientOf(user).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  await producer
    .send({ topic, messages: [{ value, headers: { ...headers } }] })
    .finally(() => producer.disconnect());
}

test('a gateway writes for those who may, and nobody else does', { skip, timeout: 120_000 }, async () => {
  const login = { mechanism: 'PLAIN', user: 'root', password: passwordOf('root') } as const;
  const root = files.java('root', javaSettings(broker, { login }));
  await java.ask('create-topic', root, topic, 1);
  const rule = (user: string, operation: string) =>
    `TOPIC:LITERAL:${topic}:User:${user}:*:${operation}:ALLOW`;
  await java.ask(
    'create-acls',
    root,
    rule('alice', 'WRITE'),
    rule('mallory', 'ALL'),
    rule('gateway', 'DESCRIBE'),
  );
  await java.ask('cluster-config', root, 'service.acls.enabled=true');

  await write('gateway', 'of alice', { [header]: 'User:alice' });
  await assert.rejects(write('gateway', 'of bob', { [header]: 'User:bob' }), /authorized/i);
  await assert.rejects(write('gateway', 'its own'), /authorized/i);
  await assert.rejects(write('gateway', 'of a superuser', { [header]: 'User:root' }), /authorized/i);
  // For clients that may not impersonate, the impersonation header is an ordinary header, and the principal header
  // always names the authenticated user.
  await write('mallory', 'of mallory', { [header]: 'User:alice', 'written-by': 'alice' });

  const read = await java.ask<readonly (readonly unknown[])[]>('read', root, topic);
  const stored = read.map((record) => ({ value: record[4], headers: record[5] }));
  assert.deepEqual(stored, [
    { value: 'of alice', headers: ['written-by=alice'] },
    { value: 'of mallory', headers: [`${header}=User:alice`, 'written-by=mallory'] },
  ]);
});
