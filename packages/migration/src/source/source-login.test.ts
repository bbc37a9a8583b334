import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FakeKafkaOptions } from '@weir/client/testing';
import { systemClock } from '@weir/core';
import { TestCa } from '@weir/security/testing';
import { openSource, startSource } from '../../testing/open-source.ts';
import type { SourceCredentials } from './source-credentials.ts';
import { type CredentialStore, sourceLogin } from './source-login.ts';
import { sourceProblem } from './source-problem.ts';
import { sourceTopics } from './source-topics.ts';

const none: SourceCredentials = {
  mechanism: undefined,
  username: undefined,
  password: undefined,
  sessionToken: undefined,
  awsRegion: undefined,
  usesTls: false,
  skipsVerification: false,
  trustedCertificates: undefined,
  clientCertificate: undefined,
  clientKey: undefined,
};

const variable = (name: string) => ({ kind: 'variable', name }) as const;
const text = (content: string) => ({ kind: 'text', text: content }) as const;

function store(variables: Readonly<Record<string, string>> = {}, secrets = {}): CredentialStore {
  return {
    variable: (name) => ({ ORBIT_USER: 'ann', ORBIT_PASSWORD: 'secret', ...variables })[name],
    secrets,
    clock: systemClock,
  };
}

const user = { username: variable('ORBIT_USER'), password: variable('ORBIT_PASSWORD') };
const users = { ann: 'secret' };

// biome-ignore format: a table
const logins: readonly [mechanism: string, given: Partial<SourceCredentials>, sasl: Partial<FakeKafkaOptions['sasl']>][] = [
  ['PLAIN',         { mechanism: 'plain', ...user },                                                  { users }],
  ['SCRAM-SHA-256', { mechanism: 'scram-256', ...user },                                              { users }],
  ['SCRAM-SHA-512', { mechanism: 'scram-512', ...user },                                              { users }],
  ['SCRAM-SHA-512', { mechanism: 'scram-512', username: text('ann'), password: text(`\${secret:pw}`) }, { users }],
  ['OAUTHBEARER',   { mechanism: 'oauthbearer', password: variable('ORBIT_PASSWORD') },               { tokens: new Set(['secret']) }],
  ['AWS_MSK_IAM',   { mechanism: 'aws-msk-iam', ...user, awsRegion: 'eu-west-1' },                    { acceptsSigned: isSigned }],
];

function isSigned(message: string): boolean {
  const fields = JSON.parse(message) as Record<string, string>;
  return (
    fields.version === '2020_10_22' &&
    fields.host === '127.0.0.1' &&
    fields['x-amz-credential']!.startsWith('ann/') &&
    /^[0-9a-f]{64}$/.test(fields['x-amz-signature']!)
  );
}

for (const [mechanism, given, sasl] of logins)
  test(`logs in with ${mechanism}, by ${given.password!.kind}`, async (t) => {
    const login = await sourceLogin({ ...none, ...given }, store({}, { pw: 'secret' }));
    const options = { mechanisms: [mechanism], isRequired: true, ...sasl };
    const { source } = await startSource(t, { sasl: options }, login);
    assert.equal((await sourceTopics(source)).topics.length, 1);
  });

for (const isMutual of [false, true])
  for (const isFile of [false, true])
    test(`SASL over TLS ${isMutual ? 'with' : 'without'} a client certificate, of ${isFile ? 'files' : 'variables'}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'weir-source-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const ca = await TestCa.create();
      const server = await ca.issue({ subject: 'CN=localhost', dns: ['localhost'] });
      const client = await ca.issue({ subject: 'CN=ann' });
      const tls = {
        cert: server.certificate,
        key: server.privateKey,
        ...(isMutual && { ca: ca.certificate, requestCert: true, rejectUnauthorized: true }),
      };
      const given = (name: string, pem: string) => {
        if (!isFile) return pem;
        writeFileSync(join(folder, name), pem);
        return join(folder, name);
      };
      const credentials: SourceCredentials = {
        ...none,
        ...user,
        mechanism: 'plain',
        usesTls: true,
        trustedCertificates: variable('ORBIT_CA'),
        ...(isMutual && { clientCertificate: variable('ORBIT_CERT'), clientKey: variable('ORBIT_KEY') }),
      };
      const login = await sourceLogin(
        credentials,
        store({
          ORBIT_CA: given('ca', ca.certificate),
          ORBIT_CERT: given('cert', client.certificate),
          ORBIT_KEY: given('key', client.privateKey),
        }),
      );
      const sasl = { mechanisms: ['PLAIN'], users, isRequired: true };
      const { source } = await startSource(t, { tls, sasl, advertisedHost: 'localhost' }, login);
      assert.equal((await sourceTopics(source)).topics.length, 1);
    });

test('a variable that is not set is named, and a configuration cannot name a file', async () => {
  const gone = { ...none, ...user, mechanism: 'plain', password: variable('ORBIT_GONE') } as const;
  await assert.rejects(sourceLogin(gone, store()), {
    message: 'the environment variable ORBIT_GONE of the agents is not set',
  });
  const trusted = { ...none, usesTls: true, trustedCertificates: text('/etc/passwd') };
  const { tls } = await sourceLogin(trusted, store());
  assert.equal(tls!.authorities!.toString(), '/etc/passwd');
  const missing = { ...none, usesTls: true, trustedCertificates: variable('ORBIT_CA') };
  await assert.rejects(sourceLogin(missing, store({ ORBIT_CA: '/no/such/file' })), {
    message: 'failed to read the file that ORBIT_CA names: ENOENT',
  });
});

test('an agent lends its credentials of AWS only where it is told so, and only to brokers of AWS', async () => {
  const credentials = { ...none, mechanism: 'aws-msk-iam', usesTls: true, awsRegion: 'eu-west-1' } as const;
  await assert.rejects(sourceLogin(credentials, store()), /this one lends no credentials/);
  const lentAwsCredentials = async () => ({ accessKeyId: 'agent', secretAccessKey: 'x' });
  const lending = { ...store(), lentAwsCredentials };
  const { login } = await sourceLogin(credentials, lending);
  assert.ok(login?.mechanism === 'AWS_MSK_IAM');
  for (const host of [
    'b-1.shop.abc123.c2.kafka.eu-west-1.amazonaws.com',
    'boot-x.c3.kafka-serverless.eu-west-1.amazonaws.com',
  ])
    assert.match((await login.payload(host)).toString(), /"x-amz-credential":"agent\//);
  for (const host of [
    'kafka.example.com',
    'ec2-1-2-3-4.eu-west-1.compute.amazonaws.com',
    'x.kafka.eu-west-1.amazonaws.com.example.com',
    'kafka.eu-west-1.amazonaws.com',
  ])
    await assert.rejects(async () => login.payload(host), /to brokers of Amazon MSK only/, host);
  await assert.rejects(
    sourceLogin({ ...credentials, skipsVerification: true }, lending),
    /only without tls_insecure_skip_verify/,
  );
  // Those of the configuration are its own affair.
  const own = await sourceLogin({ ...credentials, ...user, skipsVerification: true }, lending);
  assert.ok(own.login?.mechanism === 'AWS_MSK_IAM');
  assert.match((await own.login.payload('kafka.example.com')).toString(), /"x-amz-credential":"ann\//);
});

// biome-ignore format: a table
const refusals: readonly [what: string, options: FakeKafkaOptions, given: Partial<SourceCredentials>, line: RegExp][] = [
  ['a wrong password',          { sasl: { mechanisms: ['PLAIN'], users: { ann: 'other' }, isRequired: true } }, { mechanism: 'plain', ...user }, /^127\.0\.0\.1:\d+: PLAIN authentication failed: wrong user or password; check the variables that sasl_username_env and sasl_password_env name on the agents$/],
  ['another mechanism',         { sasl: { mechanisms: ['SCRAM-SHA-512'], users, isRequired: true } },           { mechanism: 'plain', ...user }, /: the mechanism PLAIN is not enabled; the source enables SCRAM-SHA-512: set sasl_mechanism$/],
  ['a login that is not given', { sasl: { mechanisms: ['PLAIN'], users, isRequired: true } },                   {},                              /; the source probably wants a login: sasl_mechanism, sasl_username_env and sasl_password_env$/],
  ['a login that is not wanted', {},                                                                            { mechanism: 'plain', ...user }, /; remove sasl_mechanism, or use the port of a SASL listener$/],
  ['TLS to a plain port',       {},                                                                             { usesTls: true },               /; set use_tls: false, or use the port of the TLS listener$/],
];

for (const [what, options, given, line] of refusals)
  test(`${what} is one line that says what to do`, async (t) => {
    const login = await sourceLogin({ ...none, ...given }, store());
    const { source } = await startSource(t, options, login);
    await assert.rejects(sourceTopics(source), (error) => {
      assert.match(sourceProblem(error), line);
      assert.doesNotMatch(sourceProblem(error), /secret|\n/);
      return true;
    });
  });

test('a source that is not there is one line', async (t) => {
  const { kafka } = await startSource(t);
  const port = kafka.port();
  await kafka.stop();
  await assert.rejects(sourceTopics(openSource(t, port)), (error) => {
    assert.equal(
      sourceProblem(error),
      `127.0.0.1:${port}: connection refused; nothing listens on that port; check the broker and the port of its Kafka listener`,
    );
    return true;
  });
});
