import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { serve } from '../../testing/http-server.ts';
import { openS3Store } from './s3-store.ts';
import { credentialsOf } from './sts.ts';

const answerOf = (token: string) =>
  `<Credentials><AccessKeyId>AK</AccessKeyId><SecretAccessKey>SK</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>2026-01-01T00:00:00Z</Expiration></Credentials>`;

test('a token with a line break, which would begin another header, is no token', () => {
  assert.equal(credentialsOf(answerOf('to+k/en=='))?.sessionToken, 'to+k/en==');
  for (const token of ['', 'a&#13;&#10;x-header: 1', 'a\nb', 'é'])
    assert.equal(credentialsOf(answerOf(token)), undefined);
});

test('an error of a deletion that names no object is an error of all of them', async (t) => {
  const { port, stop } = await serve(({ response }) => {
    response.end('<Error><Code>InternalError</Code><Message>sorry</Message></Error>');
  });
  t.after(stop);
  const url = `s3://bucket?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true`;
  const environment = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' };
  const store = await openS3Store(new URL(url), { clock: systemClock, environment });
  t.after(() => store.close());
  await assert.rejects(store.deleteMany(['a', 'b']), { kind: 'unavailable', message: /InternalError sorry/ });
});
