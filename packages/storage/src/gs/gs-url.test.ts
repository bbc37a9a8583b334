import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketPlace, isWithinBucket } from '../bucket-place.ts';
import { locate, parseGsUrl } from './gs-url.ts';

const parsed = (text: string) => parseGsUrl(new URL(text));

test('a URL names a bucket, and a server if it is not Google', () => {
  const google = { bucket: 'my_bucket.example', endpoint: undefined, isAnonymous: false };
  assert.deepEqual(parsed('gs://my_bucket.example?prefix=a'), google);
  assert.deepEqual(parsed('gs://my_bucket.example?anonymous=true'), { ...google, isAnonymous: true });
  const endpoint = 'https://storage.europe-west3.rep.googleapis.com';
  assert.deepEqual(parsed(`gs://abc?endpoint=${endpoint}`), { bucket: 'abc', endpoint, isAnonymous: false });
  assert.equal(parsed('gs://abc?endpoint=host:1').endpoint, 'https://host:1');
});

test('a token is not sent in clear text', () => {
  assert.equal(parsed('gs://abc?endpoint=http://127.0.0.1:4443').isAnonymous, true);
  assert.equal(parsed('gs://abc?endpoint=http://127.0.0.1:4443&anonymous=false').isAnonymous, true);
});

test('the environment may name an emulator, but not for a URL that names its server', () => {
  const url = new URL('gs://abc');
  const emulated = { bucket: 'abc', endpoint: 'http://localhost:4443', isAnonymous: true };
  assert.deepEqual(locate(url, { STORAGE_EMULATOR_HOST: 'localhost:4443' }), emulated);
  assert.deepEqual(locate(url, { STORAGE_EMULATOR_HOST: 'http://localhost:4443/' }), emulated);
  assert.equal(locate(url, { STORAGE_EMULATOR_HOST: '' }).endpoint, undefined);
  assert.equal(
    locate(new URL('gs://abc?endpoint=host'), { STORAGE_EMULATOR_HOST: 'x:1' }).endpoint,
    'https://host',
  );
  assert.throws(
    () => locate(url, { STORAGE_EMULATOR_HOST: 'a b' }),
    /STORAGE_EMULATOR_HOST: it must be a host/,
  );
});

for (const [url, problem] of [
  ['gs://ab', /a bucket name has/],
  ['gs://Upper', /a bucket name has/],
  [`gs://${'a'.repeat(64)}`, /a bucket name has/],
  ['gs://a..b', /a bucket name has/],
  ['gs://abc/folder', /prefix=/],
  ['gs://user:secret@abc', /^StoreError: gs:\/\/abc: credentials in the URL are not accepted/],
  ['gs://abc?region=x', /unknown parameter region; use one of prefix, endpoint, anonymous/],
  ['gs://abc?anonymous=yes', /anonymous= must be true or false/],
  ['gs://abc?endpoint=http://host/path', /endpoint= must be a host/],
  ['gs://abc?endpoint=http://user@host', /endpoint= must be a host/],
] as const) {
  test(`${url.slice(0, 40)} is rejected`, () => {
    assert.throws(() => parsed(url), problem);
  });
}

test('a folder of a bucket is within it, on the same server', () => {
  const place = (text: string) => bucketPlace(text);
  assert.deepEqual(place('gs://abc?prefix=a/'), {
    scheme: 'gs',
    server: 'google',
    bucket: 'abc',
    folder: 'a',
  });
  assert.equal(place('gs://abc?endpoint=host:443').server, 'https://host');
  assert.ok(isWithinBucket(place('gs://abc?prefix=a/b'), place('gs://abc?prefix=a')));
  assert.ok(!isWithinBucket(place('gs://abc?prefix=ab'), place('gs://abc?prefix=a')));
  assert.ok(!isWithinBucket(place('gs://abcd'), place('gs://abc')));
  assert.ok(!isWithinBucket(place('gs://abc?endpoint=host'), place('gs://abc')));
  assert.ok(!isWithinBucket(place('s3://abc'), place('gs://abc')));
});
