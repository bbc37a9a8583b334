import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { missingTool } from '../apache/tools.ts';
import { openJavaClient } from '../brokers/java-client.ts';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { javaSettings } from './foreign-clients.ts';
import { SecretFiles } from './secured.ts';

/** Apache's producer, 4.3.1, with a login session of four seconds. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const [user, password] = ['alice', 'the password of alice'];
const local = skip
  ? undefined!
  : await startLocal(lifetime, [
      ...['-requireSASLAuthentication', '-connectionsMaxReauthMs', '4000', '-enablePrometheusMetrics'],
      ...files.credentials([{ name: user, username: user, password }]),
    ]);
const java = skip ? undefined! : openJavaClient(lifetime);

async function metric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${local.address('HTTP')}/metrics`)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
}

test('a producer logs in again on the connection that it has, and loses nothing', {
  skip,
  timeout: 120_000,
}, async () => {
  const login = { mechanism: 'SCRAM-SHA-512', user, password } as const;
  const servers = files.java('renewing', javaSettings(local.address('Kafka'), { login }));
  await java.ask('create-topic', servers, 'renewals', 2);
  await java.ask('start', servers, 'renewals', 2);
  const renewed = () => metric(/^service_agent_kafka_authentication_counter\{.*outcome="renewed".*\} (\d+)/m);
  while ((await renewed()) < 3) await new Promise<void>((resolve) => systemClock.after(100, resolve));
  const { acknowledged, failed } = await java.ask<Readonly<Record<string, readonly unknown[]>>>(
    'finish',
    servers,
  );
  assert.deepEqual(failed, []);
  assert.ok(acknowledged!.length > 0);
  assert.equal(await metric(/^service_agent_kafka_authentication_expired_counter\{.*\} (\d+)/m), 0);
});
