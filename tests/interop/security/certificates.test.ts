import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { allClients, atOnce, bounded } from './all-clients.ts';
import { javaSettings, refusedTriesMs } from './foreign-clients.ts';
import { SecretFiles } from './secured.ts';

/** Third-party clients that authenticate with certificates. */
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const { java, noJava, clients } = allClients(lifetime, files);
const broker = (
  await startLocal(lifetime, [
    ...(await files.serverFlags()),
    '-requireMTLSAuthentication',
    ...['-tlsClientCACertFile', files.caFile],
    ...['-mtlsPrincipalMappingRules', 'RULE:^CN=([^,]+),OU=robots.*$/$1/L,DEFAULT'],
    ...files.credentials([{ name: 'root', username: 'root', password: 'never used here', superuser: true }]),
  ])
).address('Kafka');

const values = ['one', 'two'];
const { caFile } = files;
const robot = await files.client('Robot', { subject: 'OU=robots, CN=Robot' });
const foreign = await files.client('foreign', {}, await TestCa.create('CN=Somebody Else'));
const expired = await files.client('expired', {
  validFrom: new Date(Date.UTC(2020, 0, 1)),
  validTo: new Date(Date.UTC(2021, 0, 1)),
});
let topicCount = 0;

describe('clients with and without certificates', atOnce, () => {
  for (const client of clients) {
    test(`${client.label} gets in by its certificate`, { ...bounded, skip: client.cannot({}) }, async () => {
      const topic = `known-${topicCount++}`;
      assert.deepEqual(await client.writeAndRead(broker, { caFile, own: robot }, topic, values), values);
    });
    for (const [what, own] of [
      ['no certificate', undefined],
      ['a certificate of a foreign authority', foreign],
      ['a certificate that has expired', expired],
    ] as const) {
      test(`${client.label} does not get in with ${what}`, {
        ...bounded,
        skip: client.cannot({}),
      }, async () => {
        const way = { caFile, triesMs: refusedTriesMs, ...(own && { own }) };
        await assert.rejects(client.writeAndRead(broker, way, `unknown-${topicCount++}`, values));
      });
    }
  }
});

test('rules speak of a client by the name that is made of its certificate', {
  ...bounded,
  skip: noJava,
}, async () => {
  const root = await files.client('root', { subject: 'OU=robots, CN=root' });
  const asRoot = files.java('root', javaSettings(broker, { caFile, own: root }));
  const asRobot = files.java('robot', javaSettings(broker, { caFile, own: robot }));
  const topic = 'for-robots';
  await java.ask('create-topic', asRoot, topic, 1);
  await java.ask('cluster-config', asRoot, 'service.acls.enabled=true');
  try {
    const write = () => java.ask('produce', asRobot, topic, 1, 1, 1_700_000_000_000);
    await assert.rejects(write(), /TopicAuthorizationException/);
    await java.ask('create-acls', asRoot, `TOPIC:LITERAL:${topic}:User:robot:*:WRITE:ALLOW`);
    await write();
  } finally {
    await java.ask('cluster-config', asRoot, 'service.acls.enabled=false');
  }
});
