import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createTopic, type KafkaCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { startApache } from '../../../bench/kafka/apache.ts';
import { freePort } from '../../../bench/kafka/free-port.ts';
import { Lifetime } from '../../../bench/kafka/lifetime.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { buildApacheKafka, missingApacheKafka } from '../connectors/apache-kafka.ts';
import { SecretFiles } from '../security/secured.ts';
import { openCluster, openClusterBy, startDestination } from './migrating.ts';
import { assertLogsIn, byUser, moveOrders, overTls, preflight, writeOrder } from './secured-source.ts';

const skip = missingApacheKafka();
const [username, password] = ['mover', 'correct horse battery'];
const iterations = 8_192;

/** Apache's server with all its mechanisms, over TLS. */
test('a migration logs in to Apache Kafka by every mechanism', { skip, timeout: 400_000 }, async () => {
  const lifetime = lastFirst({ after });
  const files = await SecretFiles.make(lifetime);
  const server = await files.client('server', {
    ...{ subject: 'CN=localhost', dns: ['localhost'], ips: ['127.0.0.1'], key: 'RSA' },
  });
  const own = await files.client('mover');
  const [saslPort, tlsPort] = [await freePort(), await freePort()];
  const listeners = [`SASL_SSL://127.0.0.1:${saslPort}`, `SSL://127.0.0.1:${tlsPort}`];
  const plain = await startServer(lifetime, listeners, [
    ...['ssl.keystore.type=PEM', `ssl.keystore.location=${server.bothFile}`],
    ...['ssl.truststore.type=PEM', `ssl.truststore.location=${files.caFile}`],
    ...['listener.name.ssl.ssl.client.auth=required', 'listener.name.sasl_ssl.ssl.client.auth=none'],
    'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    ...['scram-sha-256', 'scram-sha-512'].map((name) => jaas(name, 'scram.ScramLoginModule')),
    jaas('plain', 'plain.PlainLoginModule', `user_${username}="${password}"`),
    jaas('oauthbearer', 'oauthbearer.OAuthBearerLoginModule', 'unsecuredLoginStringClaim_sub="broker"'),
  ]);
  const source = openCluster(lifetime, plain);
  await createUser(source);
  await createTopic(source, { name: 'orders', partitions: 1, configs: [] });
  await writeOrder(source, 'before');
  const to = await startDestination(lifetime, {
    ORBIT_USER: username,
    ORBIT_PASSWORD: password,
    ORBIT_WRONG: 'incorrect horse',
    ORBIT_TOKEN: unsignedToken(),
    ORBIT_CA: readFileSync(files.caFile, 'utf8'),
    ORBIT_CERT: own.certificate,
    ORBIT_KEY: own.privateKey,
  });
  const [bySasl, byCertificate] = [`127.0.0.1:${saslPort}`, `127.0.0.1:${tlsPort}`];
  const scram = `sasl_mechanism: scram-256, ${byUser}, ${overTls}`;
  for (const [broker, credentials] of [
    [bySasl, `sasl_mechanism: plain, ${byUser}, ${overTls}`],
    [bySasl, scram],
    [bySasl, `sasl_mechanism: scram-512, ${byUser}, ${overTls}`],
    [bySasl, `sasl_mechanism: oauthbearer, sasl_password_env: TOKEN, ${overTls}`],
    [byCertificate, `${overTls}, mtls_client_cert_env: CERT, mtls_client_key_env: KEY`],
  ] as const)
    await assertLogsIn(to, { broker, credentials });
  const wrong = `sasl_mechanism: scram-512, sasl_username_env: USER, sasl_password_env: WRONG, ${overTls}`;
  await assert.rejects(
    preflight(to, { broker: bySasl, credentials: wrong }),
    /check the variables that sasl_username_env and sasl_password_env name/,
  );
  const login = { mechanism: 'SCRAM-SHA-256', username, password } as const;
  const tls = { authorities: readFileSync(files.caFile) };
  await moveOrders(lifetime, to, openClusterBy(lifetime, { tls, login }, bySasl), {
    broker: bySasl,
    credentials: scram,
  });
});

async function startServer(
  lifetime: ReturnType<typeof lastFirst>,
  listeners: readonly string[],
  properties: readonly string[],
): Promise<string> {
  const done = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();
  const running = Lifetime.during(async (processes) => {
    started.resolve((await startApache(processes, buildApacheKafka(), properties, listeners)).servers);
    await done.promise;
  });
  running.catch(started.reject);
  lifetime.after(async () => {
    done.resolve();
    await running;
  });
  return await started.promise;
}

function jaas(mechanism: string, module: string, options = ''): string {
  return `listener.name.sasl_ssl.${mechanism}.sasl.jaas.config=org.apache.kafka.common.security.${module} required ${options};`;
}

async function createUser(cluster: KafkaCluster): Promise<void> {
  // A user may be altered once in a request.
  for (const [mechanism, hash, byteLength] of [
    [1, 'sha256', 32],
    [2, 'sha512', 64],
  ] as const) {
    const salt = randomBytes(16);
    const saltedPassword = pbkdf2Sync(password, salt, iterations, byteLength, hash);
    const { results } = await (await cluster.controller()).request(
      apis.AlterUserScramCredentials,
      { deletions: [], upsertions: [{ name: username, mechanism, iterations, salt, saltedPassword }] },
      { timeoutMs: 30_000 },
    );
    for (const { errorCode, errorMessage } of results) assert.equal(errorCode, 0, String(errorMessage));
  }
}

/** What Apache's server takes by default: it verifies no signature. */
function unsignedToken(): string {
  const nowSeconds = Math.floor(systemClock.nowMs() / 1000);
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: username, iat: nowSeconds, exp: nowSeconds + 3_600 })}.`;
}
