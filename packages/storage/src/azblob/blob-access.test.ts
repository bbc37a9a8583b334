import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { parseAzblobUrl } from './azblob-url.ts';
import { blobAccess } from './blob-access.ts';

function access(url: string, environment: Environment, usesMetadataService = false): string {
  const location = parseAzblobUrl(new URL(url));
  const options = { clock: systemClock, environment, usesMetadataService };
  const { service, credential } = blobAccess(location, options);
  const { host, port } = service.endpoint;
  const what =
    credential.kind === 'sharedKey'
      ? `key ${credential.sharedKey.key} of ${credential.sharedKey.account}`
      : credential.kind === 'sas'
        ? `SAS ${credential.parameters}`
        : 'tokens';
  return `${what} at ${host}:${port}${service.basePath}`;
}

const key = Buffer.from('k1').toString('base64');
const otherKey = Buffer.from('k2').toString('base64');
const account = { AZURE_STORAGE_ACCOUNT: 'acct' };
const sas = { AZURE_STORAGE_SAS_TOKEN: '?sv=1&sig=a%2Bb' };
const connection = { AZURE_STORAGE_CONNECTION_STRING: `AccountName=conn;AccountKey=${otherKey};` };
const workload = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: '/none' };
const at = 'acct.blob.core.windows.net:443';

const found: readonly [url: string, environment: Environment, expected: string][] = [
  ['azblob://logs', { ...account, AZURE_STORAGE_KEY: key }, `key k1 of acct at ${at}`],
  ['azblob://logs?storage_account=acct', { AZURE_STORAGE_KEY: key }, `key k1 of acct at ${at}`],
  ['azblob://logs', { ...account, ...sas }, `SAS sv=1&sig=a%2Bb at ${at}`],
  ['azblob://logs', { ...account, ...sas, AZURE_STORAGE_KEY: key }, `key k1 of acct at ${at}`],
  ['azblob://logs', connection, 'key k2 of conn at conn.blob.core.windows.net:443'],
  ['azblob://logs', { ...connection, ...account, ...sas }, `SAS sv=1&sig=a%2Bb at ${at}`],
  [
    'azblob://logs',
    {
      AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=conn;AccountKey=${key};EndpointSuffix=core.cloudapi.de`,
    },
    'key k1 of conn at conn.blob.core.cloudapi.de:80',
  ],
  [
    'azblob://logs',
    {
      AZURE_STORAGE_CONNECTION_STRING:
        'BlobEndpoint=http://host:1/acct/;SharedAccessSignature=sv=1&sig=x%3D;FileEndpoint=http://host:2',
    },
    'SAS sv=1&sig=x%3D at host:1/acct',
  ],
  // The URL counts more than the connection string.
  ['azblob://logs?domain=d.example', connection, 'key k2 of conn at conn.d.example:443'],
  // Key, SAS token and connection string are those of another account.
  [
    'azblob://logs?storage_account=third',
    { ...account, ...sas, ...connection, ...workload, AZURE_STORAGE_KEY: key },
    'tokens at third.blob.core.windows.net:443',
  ],
  ['azblob://logs', { ...account, ...workload }, `tokens at ${at}`],
  ['azblob://logs?endpoint=https://host', workload, 'tokens at host:443'],
];

for (const [url, environment, expected] of found) {
  test(`${url} with ${Object.keys(environment).join(', ')} uses ${expected}`, () => {
    assert.equal(access(url, environment), expected);
  });
}

test('an emulator needs no credentials', () => {
  const emulator = /^key .* of devstoreaccount1 at 127.0.0.1:10000\/devstoreaccount1$/s;
  assert.match(access('azblob://logs?localemu=true', {}), emulator);
  assert.match(
    access('azblob://logs', { AZURE_STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true' }),
    emulator,
  );
});

test('a managed identity is used where the caller allows it', () => {
  assert.equal(access('azblob://logs', account, true), `tokens at ${at}`);
  assert.throws(() => access('azblob://logs', account), { kind: 'denied' });
});

const secret = 'c2VjcmV0';
const refused: readonly [environment: Environment, problem: RegExp][] = [
  [{}, /no storage account/],
  [account, /no credentials for the storage account acct: set AZURE_STORAGE_KEY/],
  [{ AZURE_STORAGE_KEY: secret }, /AZURE_STORAGE_KEY needs AZURE_STORAGE_ACCOUNT/],
  [{ ...account, AZURE_STORAGE_KEY: `${secret}!` }, /AZURE_STORAGE_KEY is not the key/],
  [{ ...account, AZURE_STORAGE_SAS_TOKEN: secret }, /AZURE_STORAGE_SAS_TOKEN is not a SAS token/],
  [{ ...account, AZURE_STORAGE_SAS_TOKEN: `sig=${secret}\r\nx: y` }, /is not a SAS token/],
  [{ AZURE_STORAGE_ACCOUNT: 'Upper', AZURE_STORAGE_KEY: secret }, /a storage account has/],
  [{ AZURE_STORAGE_CONNECTION_STRING: secret }, /is not a list of name=value/],
  [
    { AZURE_STORAGE_CONNECTION_STRING: `AccountKey=${secret}` },
    /neither AccountName nor a valid BlobEndpoint/,
  ],
  [{ AZURE_STORAGE_CONNECTION_STRING: 'AccountName=acct' }, /neither AccountKey nor/],
  [{ AZURE_STORAGE_CONNECTION_STRING: `AccountName=a/b;AccountKey=${secret}` }, /no valid AccountName/],
  [
    { AZURE_STORAGE_CONNECTION_STRING: `AccountKey=${secret};BlobEndpoint=https://host` },
    /an AccountKey without an AccountName/,
  ],
];

for (const [environment, problem] of refused) {
  test(`${Object.keys(environment).join(', ') || 'nothing'} is rejected: ${problem.source}`, () => {
    assert.throws(
      () => access('azblob://logs', environment),
      ({ name, message }: Error) => {
        assert.equal(name, 'StoreError');
        assert.match(message, problem);
        assert.ok(!message.includes(secret) && !message.includes('\n'));
        return true;
      },
    );
  });
}

test('tokens are not sent without TLS', () => {
  assert.throws(
    () => access('azblob://logs?storage_account=acct&protocol=http', workload),
    /access tokens are sent over TLS only/,
  );
});
