import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { entraTokens } from './entra-tokens.ts';

const application = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'id of client' };
const subject = 'azblob://logs';

/** The request that a process with this environment sends, and what becomes of the answer. */
async function requested(
  environment: Environment,
  status = 200,
  answer: unknown = { access_token: 'T', expires_in: 60 },
) {
  const seen: { line: string; headers: Readonly<Record<string, string>>; form: Record<string, string> }[] =
    [];
  const request = entraTokens({
    clock: new HandClock(),
    environment,
    subject,
    usesMetadataService: true,
    async exchange({ method, url, headers, body }) {
      seen.push({ line: `${method} ${url}`, headers, form: Object.fromEntries(new URLSearchParams(body)) });
      return { status, text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    },
  });
  const token = await request!(new AbortController().signal);
  return { token, ...seen[0]! };
}

test('an application with a secret asks its tenant', async () => {
  const { token, line, form } = await requested({ ...application, AZURE_CLIENT_SECRET: 'a&b' });
  assert.equal(line, 'POST https://login.microsoftonline.com/tenant/oauth2/v2.0/token');
  assert.deepEqual(form, {
    grant_type: 'client_credentials',
    client_id: 'id of client',
    scope: 'https://storage.azure.com/.default',
    client_secret: 'a&b',
  });
  assert.equal(token.token, 'T');
  assert.equal(token.expiresMs, new HandClock().nowMs() + 60_000);
});

test('a workload of Kubernetes sends the token of its file, as it is at that time', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-federated-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  writeFileSync(file, 'assertion\n');
  const environment = {
    ...application,
    AZURE_FEDERATED_TOKEN_FILE: file,
    AZURE_AUTHORITY_HOST: 'https://login.chinacloudapi.cn/',
  };
  const { line, form } = await requested(environment);
  assert.equal(line, 'POST https://login.chinacloudapi.cn/tenant/oauth2/v2.0/token');
  assert.equal(form.client_assertion, 'assertion');
  assert.equal(form.client_assertion_type, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  rmSync(file);
  await assert.rejects(requested(environment), {
    kind: 'denied',
    message: /failed to read AZURE_FEDERATED_TOKEN_FILE/,
  });
});

test('a managed identity is that of the machine, or of the container', async () => {
  const machine = await requested({ AZURE_CLIENT_ID: 'one of several' });
  assert.equal(
    machine.line,
    'GET http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F&client_id=one%20of%20several',
  );
  assert.deepEqual(machine.headers, { metadata: 'true' });
  const container = { IDENTITY_ENDPOINT: 'http://localhost:42356/msi/token', IDENTITY_HEADER: 'proof' };
  const { token, line, headers } = await requested(container, 200, {
    access_token: 'T',
    expires_on: '1700000000',
  });
  assert.match(line, /^GET http:\/\/localhost:42356\/msi\/token\?api-version=2019-08-01&resource=/);
  assert.deepEqual(headers, { 'x-identity-header': 'proof' });
  assert.equal(token.expiresMs, 1_700_000_000_000);
});

test('without variables and without a metadata service there is no way', () => {
  const options = { clock: systemClock, environment: application, subject, usesMetadataService: false };
  assert.equal(entraTokens(options), undefined);
});

const failures: readonly [status: number, answer: unknown, kind: string, problem: RegExp][] = [
  [
    401,
    { error: 'invalid_client', error_description: 'AADSTS7000215: no.\r\nTrace' },
    'denied',
    /401 invalid_client AADSTS7000215: no\.;/,
  ],
  [400, { error: 'invalid_request' }, 'denied', /400 invalid_request/],
  [429, {}, 'throttled', /429/],
  [404, 'not ready', 'unavailable', /404/],
  [503, '', 'unavailable', /503/],
  [200, { access_token: 'T' }, 'unavailable', /the response has none/],
  [200, { access_token: 'a\r\nb', expires_in: 1 }, 'unavailable', /the response has none/],
  [200, 'no JSON', 'unavailable', /the response has none/],
];

for (const [status, answer, kind, message] of failures) {
  test(`${status} ${JSON.stringify(answer)} is ${kind}`, async () => {
    await assert.rejects(requested({ ...application, AZURE_CLIENT_SECRET: 's' }, status, answer), {
      kind,
      message,
    });
  });
}

test('variables that would send the secret elsewhere are rejected', async () => {
  const secret = { ...application, AZURE_CLIENT_SECRET: 's' };
  for (const wrong of [
    { ...secret, AZURE_AUTHORITY_HOST: 'http://login.example' },
    { ...secret, AZURE_AUTHORITY_HOST: 'https://user@login.example' },
    { ...secret, AZURE_TENANT_ID: '../x' },
    { IDENTITY_ENDPOINT: 'file:///x', IDENTITY_HEADER: 'y' },
    { IDENTITY_ENDPOINT: 'http://x', IDENTITY_HEADER: 'a\nb' },
  ]) {
    await assert.rejects(requested(wrong), { kind: 'invalid' });
  }
});

test('a token is requested over HTTP, and a server that is not there is unavailable', async () => {
  const server = createServer((request, response) => {
    assert.equal(request.headers['x-identity-header'], 'proof');
    response.end(JSON.stringify({ access_token: 'T', expires_in: '3600' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const environment = { IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/`, IDENTITY_HEADER: 'proof' };
  const request = entraTokens({ clock: systemClock, environment, subject, usesMetadataService: true })!;
  const { signal } = new AbortController();
  assert.equal((await request(signal)).token, 'T');
  server.close();
  await once(server, 'close');
  await assert.rejects(request(signal), {
    kind: 'unavailable',
    message: /no access token from 127\.0\.0\.1/,
  });
});
