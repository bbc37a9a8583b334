import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { watchDials } from '../../testing/watched-dials.ts';
import { findCredentials } from './google-credentials.ts';

const home = await mkdtemp(join(tmpdir(), 'weir-google-'));
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const seen: Seen[] = [];
const hour = new Date(systemClock.nowMs() + 3_600_000).toISOString();
const answers: Record<string, unknown> = {
  '/token': { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' },
  '/sts': { access_token: 'federated', expires_in: 3600, issued_token_type: 'access_token' },
  '/impersonate': { accessToken: 'impersonated', expireTime: hour },
  '/subject': { nested: 1, id_token: 'from a URL' },
  '/computeMetadata/v1/instance/service-accounts/default/token': { access_token: 'machine', expires_in: 600 },
};
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    seen.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: String(Buffer.concat(parts)),
    });
    const answer = answers[request.url!];
    response.statusCode = answer === undefined ? 400 : 200;
    response.end(JSON.stringify(answer ?? { error: 'invalid_grant', error_description: 'Account\ndeleted' }));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const at = (path: string) => `http://${address}${path}`;
after(async () => {
  server.close();
  server.closeAllConnections();
  await rm(home, { recursive: true, force: true });
});

let files = 0;
async function fileWith(content: unknown, path = join(home, `${files++}.json`)): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function find(environment: Environment, usesMetadataService = false) {
  return findCredentials({
    subject: 'gs://bucket',
    clock: systemClock,
    environment,
    usesMetadataService,
  });
}

/** The token of a file of credentials, and the requests for it. */
async function tokenOf(content: unknown, usesMetadataService = false) {
  seen.length = 0;
  const environment = { GOOGLE_APPLICATION_CREDENTIALS: await fileWith(content) };
  const source = await find(environment, usesMetadataService);
  const { token, expiresMs } = await source(new AbortController().signal);
  assert.ok(expiresMs > systemClock.nowMs() + 500_000);
  return { token, requests: [...seen] };
}

const serviceAccount = {
  type: 'service_account',
  client_email: 'weir@project.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: pem,
  token_uri: at('/token'),
};
const user = {
  type: 'authorized_user',
  client_id: 'id',
  client_secret: 'hidden',
  refresh_token: 'refresh',
  token_uri: at('/token'),
};
const external = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: at('/sts'),
  credential_source: { file: await fileWith('from a file\n') },
};

test('the key of a service account signs an assertion', async () => {
  const { token, requests } = await tokenOf(serviceAccount);
  assert.equal(token, 'ya29.token');
  const form = new URLSearchParams(requests[0]!.body);
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head, claims, signature] = form.get('assertion')!.split('.');
  const decode = (part: string) => JSON.parse(String(Buffer.from(part, 'base64url')));
  assert.deepEqual(decode(head!), { alg: 'RS256', typ: 'JWT', kid: 'key-1' });
  const { iss, aud, scope, iat, exp } = decode(claims!);
  assert.deepEqual([iss, aud], [serviceAccount.client_email, at('/token')]);
  assert.equal(scope, 'https://www.googleapis.com/auth/devstorage.read_write');
  assert.equal(exp - iat, 3600);
  assert.ok(
    verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature!, 'base64url')),
  );
});

test('the login of a user is refreshed, also where gcloud stored it', async () => {
  const { token, requests } = await tokenOf(user);
  assert.equal(token, 'ya29.token');
  const { type: _type, token_uri: _uri, ...fields } = user;
  assert.deepEqual(Object.fromEntries(new URLSearchParams(requests[0]!.body)), {
    grant_type: 'refresh_token',
    ...fields,
  });
  await fileWith(user, join(home, 'a/.config/gcloud/application_default_credentials.json'));
  await find({ HOME: join(home, 'a') });
  await find({ CLOUDSDK_CONFIG: join(home, 'a/.config/gcloud') });
});

test('the token of another provider is exchanged', async () => {
  const { token, requests } = await tokenOf(external);
  assert.equal(token, 'federated');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(requests[0]!.body)), {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: external.audience,
    scope: 'https://www.googleapis.com/auth/devstorage.read_write',
    subject_token_type: external.subject_token_type,
    subject_token: 'from a file',
  });
});

test('an exchanged token is one of a service account where the file names one', async () => {
  const { token, requests } = await tokenOf({
    ...external,
    service_account_impersonation_url: at('/impersonate'),
    client_id: 'id',
    client_secret: 'hidden',
  });
  assert.equal(token, 'impersonated');
  assert.deepEqual(
    requests.map(({ line }) => line),
    ['POST /sts', 'POST /impersonate'],
  );
  assert.equal(requests[0]!.headers.authorization, `Basic ${Buffer.from('id:hidden').toString('base64')}`);
  assert.match(requests[0]!.body, /cloud-platform/);
  assert.equal(requests[1]!.headers.authorization, 'Bearer federated');
  assert.deepEqual(JSON.parse(requests[1]!.body).scope, [
    'https://www.googleapis.com/auth/devstorage.read_write',
  ]);
});

test('the token of another provider may come from a URL, in JSON', async () => {
  const format = { type: 'json', subject_token_field_name: 'id_token' };
  const source = { url: at('/subject'), headers: { metadata: 'True' }, format };
  const { token, requests } = await tokenOf({ ...external, credential_source: source }, true);
  assert.equal(token, 'federated');
  assert.equal(requests[0]!.headers.metadata, 'True');
  assert.equal(new URLSearchParams(requests[1]!.body).get('subject_token'), 'from a URL');
});

test('a service account may be impersonated by a user', async () => {
  const { token, requests } = await tokenOf({
    type: 'impersonated_service_account',
    service_account_impersonation_url: at('/impersonate'),
    source_credentials: user,
    delegates: ['other'],
  });
  assert.equal(token, 'impersonated');
  assert.equal(requests[1]!.headers.authorization, 'Bearer ya29.token');
  assert.deepEqual(JSON.parse(requests[1]!.body).delegates, ['other']);
});

test('the metadata service is asked last, and only if it may be', async (t) => {
  const dials = watchDials(t);
  await assert.rejects(find({}), {
    kind: 'denied',
    message: /no credentials: GOOGLE_APPLICATION_CREDENTIALS names no/,
  });
  await assert.rejects(find({ HOME: home, GCE_METADATA_HOST: address }), { kind: 'denied' });
  assert.deepEqual(dials.hosts, []);
  seen.length = 0;
  const source = await find({ HOME: home, GCE_METADATA_HOST: address }, true);
  assert.equal((await source(new AbortController().signal)).token, 'machine');
  assert.equal(seen[0]!.headers['metadata-flavor'], 'Google');
  const byDefault = await find({ HOME: home }, true);
  await assert.rejects(byDefault(new AbortController().signal), { kind: 'unavailable' });
  assert.deepEqual(dials.metadataServices(), ['metadata.google.internal']);
});

test('a refusal of the credentials is a denial in one line without secrets', async () => {
  const environment = {
    GOOGLE_APPLICATION_CREDENTIALS: await fileWith({ ...user, token_uri: at('/refuse') }),
  };
  const source = await find(environment);
  await assert.rejects(source(new AbortController().signal), {
    kind: 'denied',
    message: `gs://bucket: no access token from ${address}: 400 invalid_grant Account deleted; check the credentials and the permissions of the bucket`,
  });
});

for (const [what, content, problem] of [
  ['no JSON', '{"private_key": "hidden', /the file of credentials is not JSON/],
  ['no object', 'null', /not a JSON object/],
  ['no type', {}, /has no type/],
  [
    'an unknown type',
    { type: 'gdch_service_account' },
    /type gdch_service_account are not supported, only service_/,
  ],
  ['a name of the language', { type: 'toString' }, /type toString are not supported/],
  ['no key', { ...serviceAccount, private_key: undefined }, /has no private_key/],
  ['a bad key', { ...serviceAccount, private_key: 'hidden' }, /private_key is not a key in PEM/],
  [
    'a server without TLS',
    { ...user, token_uri: 'http://example.com/token' },
    /token_uri is not an https:\/\/ URL/,
  ],
  [
    'a program',
    { ...external, credential_source: { executable: {} } },
    /AWS and executables are not supported/,
  ],
  [
    'AWS',
    { ...external, credential_source: { environment_id: 'aws1', url: at('/') } },
    /AWS and executables/,
  ],
  [
    'a metadata service',
    { ...external, credential_source: { url: at('/subject') } },
    /which only agents ask/,
  ],
] as const) {
  test(`credentials with ${what} are rejected in one line without secrets`, async () => {
    const path = await fileWith(content);
    await assert.rejects(
      find({ GOOGLE_APPLICATION_CREDENTIALS: path }),
      (error: Error & { kind?: string }) => {
        assert.equal(error.kind, 'denied');
        assert.match(error.message, problem);
        assert.ok(error.message.startsWith(`${path}: `));
        assert.ok(!error.message.includes('hidden') && !error.message.includes('\n'));
        return true;
      },
    );
  });
}

test('a file that cannot be read is named', async () => {
  await assert.rejects(find({ GOOGLE_APPLICATION_CREDENTIALS: '/no/such/file' }, true), {
    message: /GOOGLE_APPLICATION_CREDENTIALS: failed to read \/no\/such\/file: ENOENT/,
  });
  const source = await find({
    GOOGLE_APPLICATION_CREDENTIALS: await fileWith({
      ...external,
      credential_source: { file: '/no/such/file' },
    }),
  });
  await assert.rejects(
    source(new AbortController().signal),
    /failed to read the token in \/no\/such\/file: ENOENT/,
  );
});
