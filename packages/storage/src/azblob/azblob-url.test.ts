import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketPlace, isWithinBucket } from '../bucket-place.ts';
import { blobService, parseAzblobUrl, serviceUrl } from './azblob-url.ts';

const table: readonly [url: string, server: string][] = [
  ['azblob://logs', 'https acct.blob.core.windows.net 443'],
  ['azblob://logs?protocol=http', 'http acct.blob.core.windows.net 80'],
  ['azblob://logs?domain=blob.core.chinacloudapi.cn', 'https acct.blob.core.chinacloudapi.cn 443'],
  ['azblob://logs?localemu=true', 'http 127.0.0.1 10000 /acct'],
  ['azblob://logs?localemu=true&domain=azurite:10001', 'http azurite 10001 /acct'],
  ['azblob://logs?localemu=true&protocol=https', 'https 127.0.0.1 10000 /acct'],
  ['azblob://logs?endpoint=http://[::1]:10000/devstoreaccount1', 'http ::1 10000 /devstoreaccount1'],
  ['azblob://logs?endpoint=https%3A%2F%2Fstore.example%2F', 'https store.example 443'],
];

for (const [url, expected] of table) {
  test(`${url} is at ${expected}`, () => {
    const { endpoint, basePath } = blobService(serviceUrl(parseAzblobUrl(new URL(url)), 'acct'));
    const server = `${endpoint.isTls ? 'https' : 'http'} ${endpoint.host} ${endpoint.port} ${basePath}`;
    assert.equal(server.trim(), expected);
  });
}

const refused: readonly [url: string, problem: RegExp][] = [
  ['azblob://logs?account=x', /unknown parameter account;/],
  ['azblob://logs?cdn=true', /unknown parameter cdn;/],
  ['azblob://logs?protocol=http&protocol=https', /protocol= is given twice/],
  ['azblob://logs/folder', /prefix=/],
  ['azblob://user:secret@logs', /credentials in the URL are not accepted; set AZURE_/],
  ['azblob://logs#part', /credentials in the URL are not accepted; set AZURE_/],
  ['azblob://lo', /container name/],
  ['azblob://Logs', /container name/],
  ['azblob://a--b', /container name/],
  ['azblob://-ab', /container name/],
  ['azblob://logs:80', /container name/],
  [`azblob://${'a'.repeat(64)}`, /container name/],
  ['azblob://logs?storage_account=evil.example/', /storage_account= has/],
  ['azblob://logs?storage_account=', /storage_account= has/],
  ['azblob://logs?protocol=ftp', /protocol= is http or https/],
  ['azblob://logs?domain=a@evil.example', /domain= is a host/],
  ['azblob://logs?domain=host/path', /domain= is a host/],
  ['azblob://logs?localemu=yes', /localemu= must be true or false/],
  ['azblob://logs?endpoint=host:1', /endpoint= is the URL/],
  ['azblob://logs?endpoint=https://user:secret@host', /endpoint= is the URL/],
  ['azblob://logs?endpoint=https://host?x=1', /endpoint= is the URL/],
  ['azblob://logs?endpoint=http://host&protocol=http', /endpoint= replaces/],
];

for (const [url, problem] of refused) {
  test(`${url} is rejected in one line without secrets`, () => {
    assert.throws(
      () => parseAzblobUrl(new URL(url)),
      ({ kind, message }: { kind: string; message: string } & Error) => {
        assert.equal(kind, 'invalid');
        assert.match(message, problem);
        assert.doesNotMatch(message, /\n|secret/);
        return true;
      },
    );
  });
}

test('a place has the server, the container and the folder', () => {
  assert.deepEqual(bucketPlace('azblob://logs?storage_account=acct&prefix=a/b/'), {
    scheme: 'azblob',
    server: 'https://acct.blob.core.windows.net',
    bucket: 'logs',
    folder: 'a/b',
  });
});

const within: readonly [inner: string, outer: string, is: boolean][] = [
  ['azblob://logs?prefix=a/b', 'azblob://logs?prefix=a', true],
  ['azblob://logs?prefix=ab', 'azblob://logs?prefix=a', false],
  ['azblob://logs', 'azblob://others', false],
  ['azblob://logs?storage_account=acct', 'azblob://logs?storage_account=acct', true],
  ['azblob://logs?storage_account=acct', 'azblob://logs?storage_account=other', false],
  // The account of the environment may be any.
  ['azblob://logs?storage_account=acct', 'azblob://logs', false],
  ['azblob://logs', 'azblob://logs?storage_account=acct', false],
  ['azblob://logs?domain=evil.example', 'azblob://logs', false],
  ['azblob://logs?storage_account=acct&protocol=http', 'azblob://logs?storage_account=acct', false],
  ['azblob://logs?endpoint=https://acct.blob.core.windows.net/', 'azblob://logs?storage_account=acct', true],
  ['azblob://logs?endpoint=https://one.example', 'azblob://logs?endpoint=https://two.example', false],
  ['azblob://logs?localemu=true', 'azblob://logs', false],
  ['azblob://logs', 's3://logs', false],
];

for (const [inner, outer, is] of within) {
  test(`${inner} is ${is ? '' : 'not '}within ${outer}`, () => {
    assert.equal(isWithinBucket(bucketPlace(inner), bucketPlace(outer)), is);
  });
}
