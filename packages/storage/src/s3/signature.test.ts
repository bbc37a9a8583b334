import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { escapePath } from '../store-http/escape.ts';
import { type SignedRequest, signRequest, unsignedPayload } from './signature.ts';

/** The examples of the signature's documentation, with their key and time. */
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const context = { credentials, region: 'us-east-1', nowMs: Date.UTC(2013, 4, 24) };
const host = 'examplebucket.s3.amazonaws.com';

const published: readonly [name: string, request: SignedRequest, body: string, signature: string][] = [
  [
    'a range is read',
    { method: 'GET', path: '/test.txt', headers: { host, range: 'bytes=0-9' } },
    '',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'an object is put',
    {
      method: 'PUT',
      path: escapePath('/test$file.text'),
      headers: { host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    },
    'Welcome to Amazon S3.',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
];

for (const [name, request, body, signature] of published) {
  test(`signs as published when ${name}`, () => {
    const { authorization } = signRequest(request, { ...context, payloadHash: hash('sha256', body) });
    assert.equal(authorization?.split('Signature=')[1], signature);
  });
}

test('a session token is sent and signed', () => {
  const request = { method: 'GET', path: '/', headers: { host } } as const;
  const headers = signRequest(request, {
    ...context,
    credentials: { ...credentials, sessionToken: 'token' },
    payloadHash: unsignedPayload,
  });
  assert.equal(headers['x-amz-security-token'], 'token');
  assert.match(
    headers.authorization!,
    /SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/,
  );
});

test('escapes all but letters, digits, slashes and four other characters', () => {
  assert.equal(
    escapePath("/a-b_c.d~e/ é+!'()*&=?#%"),
    '/a-b_c.d~e/%20%C3%A9%2B%21%27%28%29%2A%26%3D%3F%23%25',
  );
});
