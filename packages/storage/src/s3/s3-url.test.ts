import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, parseS3Url } from './s3-url.ts';

const table: readonly [url: string, server: string][] = [
  ['s3://logs', 'https logs.s3.eu-west-1.amazonaws.com 443'],
  ['s3://logs?disableSSL=true', 'http logs.s3.eu-west-1.amazonaws.com 80'],
  ['s3://logs?s3ForcePathStyle=true', 'https s3.eu-west-1.amazonaws.com 443 /logs'],
  ['s3://my.logs', 'https s3.eu-west-1.amazonaws.com 443 /my.logs'],
  ['s3://logs?endpoint=minio:9000&disableSSL=true&s3ForcePathStyle=true', 'http minio 9000 /logs'],
  ['s3://logs?endpoint=https%3A%2F%2Fstore.example', 'https logs.store.example 443'],
  ['s3://logs?endpoint=http://[::1]:9000&s3ForcePathStyle=true', 'http ::1 9000 /logs'],
];

for (const [url, expected] of table) {
  test(`${url} is at ${expected}`, () => {
    const { endpoint, basePath } = addressOf(parseS3Url(new URL(url)), 'eu-west-1');
    const server = `${endpoint.isTls ? 'https' : 'http'} ${endpoint.host} ${endpoint.port} ${basePath}`;
    assert.equal(server.trim(), expected);
  });
}

test('China has its own domain', () => {
  const { endpoint } = addressOf(parseS3Url(new URL('s3://logs')), 'cn-north-1');
  assert.equal(endpoint.host, 'logs.s3.cn-north-1.amazonaws.com.cn');
});
