import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, parseS3Url } from './s3-url.ts';

const table: readonly [url: string, server: string][] = [
  ['s3://logs', 'https logs.s3.eu-west-1.amazonaws.com 443'],
  ['s3://logs?disableSSL=true', 'http logs.s3.eu-west-1.amazonaws.com 80'],
  ['s3://logs?s3ForcePathStyle=true', 'https s3.eu-west-1.amazonaws.com 443 /logs'],
  ['s3://my.logs', 'https s3.eu-west-1.amazonaws.com 443 /my.logs'],
  ['s3://logs?endpoint=minio:9000&disableSSL=true&s3ForcePathStyle=true', 'http minio 9000 /logs'],
  ['s3://logs?endpoint=http://10.1.2.3:9000', 'http 10.1.2.3 9000 /logs'],
  ['s3://logs?endpoint=http://[fd00::1]:9000', 'http fd00::1 9000 /logs'],
  ['s3://logs?endpoint=https%3A%2F%2Fstore.example', 'https logs.store.example 443'],
  ['s3://logs?endpoint=http://[::1]:9000&s3ForcePathStyle=true', 'http ::1 9000 /logs'],
  ['s3://logs--use1-az4--x-s3', 'https logs--use1-az4--x-s3.s3express-use1-az4.eu-west-1.amazonaws.com 443'],
  [
    's3://logs--apne1-tyo1-az1--x-s3',
    'https logs--apne1-tyo1-az1--x-s3.s3express-apne1-tyo1-az1.eu-west-1.amazonaws.com 443',
  ],
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

const role = 'arn:aws:iam::123456789012:role/r';

const refused: readonly [query: string, problem: RegExp][] = [
  ['?sse=aws:fsx', /sse= is AES256 or aws:kms/],
  ['?sse=', /sse= is AES256 or aws:kms/],
  ['?sseKMSKeyId=key', /sseKMSKeyId= needs sse=aws:kms/],
  ['?sse=AES256&sseKMSKeyId=key', /sseKMSKeyId= needs sse=aws:kms/],
  ['?sse=aws:kms&sseKMSKeyId=a%0d%0ab', /id, alias or ARN/],
  ['?storageClass=standard', /storageClass= is the name of a class/],
  ['?storageClass=DEEP_ARCHIVE', /cannot be read at once/],
  ['?assumeRoleARN=admin', /assumeRoleARN= is like arn:/],
  [`?assumeRoleARN=${role}%0a`, /assumeRoleARN= is like arn:/],
  [`?assumeRoleARN=${role}&assumeRoleDurationMinutes=14`, /a number from 15 to 720/],
  [`?assumeRoleARN=${role}&assumeRoleDurationMinutes=721`, /a number from 15 to 720/],
  [`?assumeRoleARN=${role}&assumeRoleDurationMinutes=1h`, /a number from 15 to 720/],
  ['?region=a&region=b', /region= is given twice/],
  ['?roleARN=x', /unknown parameter roleARN;/],
  ['--x-s3', /like name--use1-az4--x-s3/],
  ['--use1-az4--x-s3?s3ForcePathStyle=true', /no path-style addresses/],
  ['--use1-az4--x-s3?storageClass=STANDARD', /no class but EXPRESS_ONEZONE/],
  ['--use1-az4--xa-s3', /access points/],
];

for (const [query, problem] of refused) {
  test(`s3://logs${query} is rejected in one line`, () => {
    assert.throws(
      () => parseS3Url(new URL(`s3://logs${query}`)),
      ({ message }: Error) => {
        assert.match(message, problem);
        assert.doesNotMatch(message, /\n/);
        return true;
      },
    );
  });
}

test('says how objects are written', () => {
  const url = `s3://logs?sse=aws:kms&sseKMSKeyId=alias/weir&storageClass=STANDARD_IA&assumeRoleARN=${role}`;
  const { encryption, storageClass, roleArn, roleSeconds } = parseS3Url(new URL(url));
  assert.deepEqual(encryption, {
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'alias/weir',
  });
  assert.deepEqual([storageClass, roleArn, roleSeconds], ['STANDARD_IA', role, undefined]);
});
