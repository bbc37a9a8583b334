import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { createTopic } from '@weir/client';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { startOidcIssuer } from '../security/oidc-issuer.ts';
import { SecretFiles } from '../security/secured.ts';
import { openClusterBy, startDestination } from './migrating.ts';
import { assertLogsIn, byUser, moveOrders, overTls, preflight, writeOrder } from './secured-source.ts';

/**
 * Sources that want TLS and a login: by passwords and tokens without a client certificate, and by certificates. Agents
 * find the credentials in their environment.
 */
const lifetime = lastFirst({ after });
const files = await SecretFiles.make(lifetime);
const issuer = await startOidcIssuer(lifetime);
const [username, password] = ['mover', 'correct horse, battery=staple'];
const bounded = { timeout: 180_000 };

const serverFlags = await files.serverFlags();
const byPassword = (
  await startLocal(lifetime, [
    ...['-requireSASLAuthentication', ...serverFlags],
    ...files.credentials([{ name: 'mover', username, password }]),
    ...['-saslOAuthIssuerURL', issuer.url, '-saslOAuthAudience', issuer.audience],
  ])
).address('Kafka');
const byCertificate = (
  await startLocal(lifetime, [
    ...serverFlags,
    ...['-requireMTLSAuthentication', '-tlsClientCACertFile', files.caFile],
  ])
).address('Kafka');
const own = await files.client('mover');
const to = await startDestination(lifetime, {
  ORBIT_USER: username,
  ORBIT_PASSWORD: password,
  ORBIT_WRONG: 'incorrect horse',
  ORBIT_TOKEN: files.write('token', await issuer.token()),
  ORBIT_CA: files.caFile,
  ORBIT_CERT: own.certificateFile,
  ORBIT_KEY: own.keyFile,
});

const authorities = readFileSync(files.caFile);
const login = { mechanism: 'SCRAM-SHA-512', username, password } as const;
const source = openClusterBy(lifetime, { tls: { authorities }, login }, byPassword);
const [certificate, privateKey] = [Buffer.from(own.certificate), Buffer.from(own.privateKey)];
const certified = openClusterBy(lifetime, { tls: { authorities, certificate, privateKey } }, byCertificate);
for (const cluster of [source, certified])
  await createTopic(cluster, { name: 'orders', partitions: 1, configs: [] });
await writeOrder(source, 'before');

// biome-ignore format: a table
const ways: readonly [what: string, broker: string, credentials: string][] = [
  ['PLAIN',                byPassword,    `sasl_mechanism: plain, ${byUser}, ${overTls}`],
  ['SCRAM-SHA-512',        byPassword,    `sasl_mechanism: scram-512, ${byUser}, ${overTls}`],
  ['a token of a file',    byPassword,    `sasl_mechanism: oauthbearer, sasl_password_env: TOKEN, ${overTls}`],
  ['a client certificate', byCertificate, `${overTls}, mtls_client_cert_env: CERT, mtls_client_key_env: KEY`],
];

// biome-ignore format: a table
const refusals: readonly [what: string, broker: string, credentials: string, line: RegExp][] = [
  ['a wrong password',           byPassword,    `sasl_mechanism: plain, sasl_username_env: USER, sasl_password_env: WRONG, ${overTls}`,  /invalid credentials\.; check the variables that/],
  ['no login',                   byPassword,    overTls,                                                                                 /the source probably wants a login/],
  ['a mechanism that is not on', byPassword,    `sasl_mechanism: scram-256, ${byUser}, ${overTls}`,                                      /SCRAM-SHA-256 is not enabled; the source enables/],
  ['no TLS',                     byPassword,    `sasl_mechanism: plain, ${byUser}`,                                                      /may want TLS \(use_tls: true\)/],
  ['no authority',               byPassword,    `sasl_mechanism: plain, ${byUser}, use_tls: true`,                                       /set the certificate authority of the brokers with tls_ca_cert_env/],
  ['no certificate of its own',  byCertificate, overTls,                                                                                 /mtls_client_cert_env/],
  ['a variable that is not set', byPassword,    `sasl_mechanism: plain, sasl_username_env: USER, sasl_password_env: NOBODY, ${overTls}`, /the environment variable ORBIT_NOBODY of the agents is not set/],
];

describe('a preflight', () => {
  for (const [what, broker, credentials] of ways)
    test(`logs in by ${what}`, bounded, () => assertLogsIn(to, { broker, credentials }));

  for (const [what, broker, credentials, line] of refusals)
    test(`with ${what} is one line that says what to do`, bounded, async () => {
      await assert.rejects(preflight(to, { broker, credentials }), (error: Error) => {
        assert.match(error.message, line);
        assert.doesNotMatch(error.message, /correct horse/);
        return true;
      });
    });
});

test('a topic is copied, forwarded and cut over with a password over TLS', bounded, () =>
  moveOrders(lifetime, to, source, {
    broker: byPassword,
    credentials: `sasl_mechanism: scram-512, ${byUser}, ${overTls}`,
  }),
);
