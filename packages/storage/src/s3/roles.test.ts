import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { serve } from '../../testing/http-server.ts';
import { verifySignature } from '../../testing/signed-request.ts';
import { secretOfRole, startStsServer } from '../../testing/sts-server.ts';
import { openS3Store, type S3Settings } from './s3-store.ts';

const role = 'arn:aws:iam::123456789012:role/bucket-user';

/** A bucket that knows who signed its requests, an STS, and a clock that the test moves. */
async function setUp(t: TestContext) {
  const time = { nowMs: Date.UTC(2026, 0, 1) };
  const clock = { ...systemClock, nowMs: () => time.nowMs };
  const sts = await startStsServer({ clock, secrets: { AK: 'SK' }, webIdentityToken: 'token of the pod' });
  const signers: string[] = [];
  const expired = new Set<string>();
  const bucket = await serve(({ request, body, response }) => {
    const signed = verifySignature(request, body, (id) => (id === 'AK' ? 'SK' : secretOfRole(id)));
    if (typeof signed === 'string') {
      response.writeHead(403).end(`<Error><Code>AccessDenied</Code><Message>${signed}</Message></Error>`);
      return;
    }
    const { accessKeyId } = signed;
    if (expired.has(accessKeyId)) {
      response.writeHead(400).end('<Error><Code>ExpiredToken</Code></Error>');
      return;
    }
    const token = request.headers['x-amz-security-token'];
    signers.push(token === undefined ? accessKeyId : `${accessKeyId} with ${token}`);
    response.end('<ListBucketResult></ListBucketResult>');
  });
  t.after(() => {
    sts.stop();
    bucket.stop();
  });
  const keys = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK', AWS_ENDPOINT_URL_STS: sts.url };
  const url = `s3://bucket?endpoint=127.0.0.1:${bucket.port}&disableSSL=true&s3ForcePathStyle=true`;
  const open = async (query = '', environment: Environment = keys, s3: S3Settings = {}) => {
    const store = await openS3Store(new URL(url + query), { clock, environment, s3 });
    t.after(() => store.close());
    return { put: () => store.put('key', [Buffer.from('x')]), store };
  };
  return { time, sts, signers, expired, keys, open };
}

test('a role of the URL signs all requests, and is renewed before its credentials expire', async (t) => {
  const { time, sts, signers, open } = await setUp(t);
  const { put, store } = await open(`&assumeRoleARN=${role}&assumeRoleDurationMinutes=30`);
  await Promise.all([put(), put(), put()]);
  for await (const _page of store.list('')) assert.fail('the bucket is empty');
  assert.deepEqual(new Set(signers), new Set(['role-1 with token&1']));
  assert.equal(sts.issued, 1);
  const [form] = sts.asked;
  assert.equal(form?.get('RoleArn'), role);
  assert.equal(form?.get('DurationSeconds'), '1800');
  time.nowMs += 24 * 60_000;
  await put();
  assert.equal(sts.issued, 1);
  time.nowMs += 2 * 60_000;
  // Requests do not wait for the renewal while the credentials are valid.
  sts.isDown = true;
  await put();
  while (sts.asked.length < 2) await put();
  assert.equal(signers.at(-1), 'role-1 with token&1');
  time.nowMs += 5 * 60_000;
  await assert.rejects(put(), { kind: 'unavailable' });
  sts.isDown = false;
  await put();
  assert.equal(signers.at(-1), 'role-2 with token&2');
});

test('a server that says the credentials have expired gets new ones', async (t) => {
  const { signers, expired, open } = await setUp(t);
  const { put } = await open(`&assumeRoleARN=${role}`);
  await put();
  expired.add('role-1');
  await assert.rejects(put(), { kind: 'unavailable' });
  await put();
  assert.deepEqual(signers, ['role-1 with token&1', 'role-2 with token&2']);
});

test('the default role is for URLs that say nothing about one', async (t) => {
  const { sts, signers, keys, open } = await setUp(t);
  const s3 = { roleArnDefault: `${role}-default` };
  for (const query of ['', `&assumeRoleARN=${role}`, '&assumeRoleARN=']) {
    await (await open(query, keys, s3)).put();
  }
  assert.deepEqual(
    sts.asked.map((form) => form.get('RoleArn')),
    [`${role}-default`, role],
  );
  assert.deepEqual(signers, ['role-1 with token&1', 'role-2 with token&2', 'AK']);
});

test('a role that may not be assumed is denied in one line without secrets', async (t) => {
  const { keys, open } = await setUp(t);
  const { put } = await open(`&assumeRoleARN=${role}`, { ...keys, AWS_SECRET_ACCESS_KEY: 'a wrong secret' });
  await assert.rejects(put(), ({ kind, message }: Error & { kind: string }) => {
    assert.equal(kind, 'denied');
    assert.match(
      message,
      /^s3:\/\/bucket: failed to assume arn:aws:iam::123456789012:role\/bucket-user: STS returned 403 AccessDenied/,
    );
    assert.doesNotMatch(message, /\n|wrong secret/);
    return true;
  });
});

test('an STS that cannot be reached, or is no server, is not a denial', async (t) => {
  const { keys, sts, open } = await setUp(t);
  sts.stop();
  const query = `&assumeRoleARN=${role}`;
  await assert.rejects((await open(query)).put(), { kind: 'unavailable' });
  const wrong = await open(query, { ...keys, AWS_ENDPOINT_URL_STS: 'nowhere' });
  await assert.rejects(wrong.put(), { kind: 'invalid' });
});

test('the token of a workload is exchanged for credentials, read again for each renewal, and may assume a role', async (t) => {
  const { time, sts, signers, open } = await setUp(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-token-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'token of the pod\n');
  const environment = {
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: `${role}-pod`,
    AWS_ROLE_SESSION_NAME: 'pod-1',
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_REGION: 'eu-west-1',
    AWS_CONFIG_FILE: join(folder, 'no-config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no-credentials'),
  };
  const { put } = await open('', environment);
  await put();
  assert.equal(sts.asked[0]?.get('Action'), 'AssumeRoleWithWebIdentity');
  assert.equal(sts.asked[0]?.get('RoleArn'), `${role}-pod`);
  assert.equal(sts.asked[0]?.get('RoleSessionName'), 'pod-1');
  writeFileSync(tokenFile, 'the next token');
  sts.webIdentityToken = 'the next token';
  time.nowMs += 3_600_000;
  await put();
  assert.deepEqual(signers, ['role-1 with token&1', 'role-2 with token&2']);
  const chained = await open(`&assumeRoleARN=${role}`, environment);
  await chained.put();
  assert.deepEqual(
    sts.asked.slice(2).map((form) => form.get('Action')),
    ['AssumeRoleWithWebIdentity', 'AssumeRole'],
  );
  assert.equal(signers.at(-1), 'role-4 with token&4');
});
