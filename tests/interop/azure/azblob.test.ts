import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Environment, Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ObjectStore, openStore } from '@weir/storage';
import { logFileRule, objectStoreContract } from '@weir/storage/testing';
import { TestAuthority } from '../../../packages/cli/testing/test-authority.ts';
import {
  type Azurite,
  accountSas,
  createContainer,
  identity,
  missingAzurite,
  startAzurite,
} from './azurite.ts';

/**
 * Azurite, the emulator of Azure's own developers, checks Weir's requests and signatures, with the contract suite that
 * every store has to pass.
 */
const skip = missingAzurite();
let server: Azurite | undefined;
let containers = 0;

before(async () => {
  if (skip === false) server = await startAzurite();
});
after(() => server?.stop());

const withKey = { AZURE_STORAGE_ACCOUNT: identity.account, AZURE_STORAGE_KEY: identity.key };

async function open(environment: Environment = withKey, query = ''): Promise<ObjectStore> {
  const container = `judged-${containers++}`;
  await createContainer(server!.endpoint, container);
  return await openContainer(container, environment, query);
}

function openContainer(container: string, environment: Environment, query = ''): Promise<ObjectStore> {
  return openStore(`azblob://${container}?endpoint=${server!.endpoint}${query}`, {
    clock: systemClock,
    random: systemRandom,
    environment,
    log: silentLog,
    metrics: new Metrics(),
  });
}

objectStoreContract('azblob', {
  open: () => open(),
  openMissing: () => openContainer('never-created', withKey),
  skip,
  manyObjects: 1100,
});
objectStoreContract('azblob with a prefix and a SAS token', {
  open: () => open({ AZURE_STORAGE_SAS_TOKEN: accountSas() }, '&prefix=a/folder+of/ours'),
  skip,
  manyObjects: 20,
});

test('a wrong key is denied, by every kind of request', { skip }, async () => {
  const wrong = { ...withKey, AZURE_STORAGE_KEY: Buffer.from('another secret').toString('base64') };
  const store = await open(wrong);
  await assert.rejects(store.put('key', [Buffer.from('x')]), { kind: 'denied' });
  await assert.rejects(store.getRange('key', 0, 1), { kind: 'denied' });
  await assert.rejects(store.head('key'), { kind: 'denied' });
  await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), { kind: 'denied' });
  await store.close();
});

test('a SAS token allows what it says, and no longer than it says', { skip }, async () => {
  const reader = await open({ AZURE_STORAGE_SAS_TOKEN: `?${accountSas({ permissions: 'rl' })}` });
  assert.equal(await reader.head('key'), undefined);
  await assert.rejects(reader.put('key', [Buffer.from('x')]), { kind: 'denied' });
  await assert.rejects(reader.deleteMany(['key']), { kind: 'denied' });
  await reader.close();
  const late = await open({ AZURE_STORAGE_SAS_TOKEN: accountSas({ expires: '2020-01-01T00:00:00Z' }) });
  await assert.rejects(late.head('key'), { kind: 'denied' });
  await late.close();
});

test('a connection string has all that is needed', { skip }, async () => {
  const container = `judged-${containers++}`;
  await createContainer(server!.endpoint, container);
  const { account, key } = identity;
  const text = `AccountName=${account};AccountKey=${key};BlobEndpoint=${server!.endpoint};`;
  const store = await openStore(`azblob://${container}`, {
    clock: systemClock,
    random: systemRandom,
    environment: { AZURE_STORAGE_CONNECTION_STRING: text },
    log: silentLog,
    metrics: new Metrics(),
  });
  await store.put('key', [Buffer.from('x')]);
  assert.equal((await store.head('key'))?.bytes, 1);
  await store.close();
});

test('a list begins behind a key without the page before it', { skip }, async () => {
  const store = await open();
  const keys = Array.from({ length: 1050 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
  for (let at = 0; at < keys.length; at += 50) {
    await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, [])));
  }
  const pages: string[][] = [];
  for await (const page of store.list('many/', { startAfter: 'many/0979' }))
    pages.push(page.map(({ key }) => key));
  // From the first key on, the first thousand would end at 0999.
  assert.deepEqual(pages, [keys.slice(980)]);
  await store.close();
});

test('an upload is finished when the answer to its first finish was lost', { skip }, async () => {
  const store = await open();
  const upload = await store.beginUpload('key');
  await upload.putPart(0, [Buffer.from('whole')]);
  await upload.finish(1);
  await upload.finish(1);
  assert.equal(String(await store.getRange('key', 0, 99)), 'whole');
  await store.close();
});

logFileRule({ open, skip });

test('an identity of the platform gets a token, which is sent over TLS', { skip }, async (t) => {
  const authority = await TestAuthority.create('Test CA');
  const { cert, key } = await authority.issue();
  const folder = await mkdtemp(join(tmpdir(), 'weir-azurite-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, authority.pem]);
  t.after(() => setDefaultCACertificates(trusted));
  const secure = await startAzurite(files);
  t.after(() => secure.stop());

  let audience = 'https://storage.azure.com';
  let tokens = 0;
  const identities = createServer((_request, response) => {
    tokens++;
    response.end(JSON.stringify({ access_token: accessToken(audience), expires_in: 3600 }));
  }).listen(0, '127.0.0.1');
  await once(identities, 'listening');
  t.after(() => identities.close());
  const { port } = identities.address() as AddressInfo;
  const openWithIdentity = () =>
    openStore(`azblob://judged?endpoint=${secure.endpoint.replace('127.0.0.1', 'localhost')}`, {
      clock: systemClock,
      random: systemRandom,
      environment: { IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/token`, IDENTITY_HEADER: 'proof' },
      usesMetadataService: true,
      log: silentLog,
      metrics: new Metrics(),
    });
  const store = await openWithIdentity();
  t.after(() => store.close());
  // The token is good, and nothing has created the container.
  await assert.rejects(store.put('key', [Buffer.from('x')]), { kind: 'bucketMissing' });
  await createContainer(secure.endpoint.replace('127.0.0.1', 'localhost'), 'judged');
  await store.put('key', [Buffer.from('x')]);
  assert.equal(String(await store.getRange('key', 0, 9)), 'x');
  assert.equal(tokens, 1);

  audience = 'https://elsewhere.example';
  const refused = await openWithIdentity();
  t.after(() => refused.close());
  await assert.rejects(refused.put('key', [Buffer.from('x')]), { kind: 'denied' });
});

/** A token as Entra ID makes them. Azurite reads its claims and does not verify its signature. */
function accessToken(audience: string): string {
  const nowS = Math.floor(systemClock.nowMs() / 1000);
  const claims = {
    aud: audience,
    iss: 'https://sts.windows.net/tenant/',
    iat: nowS,
    nbf: nowS - 60,
    exp: nowS + 3600,
  };
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ typ: 'JWT', alg: 'RS256' })}.${encode(claims)}.${encode('signature')}`;
}
