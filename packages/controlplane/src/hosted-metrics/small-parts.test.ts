import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptsGzip } from './accepts-gzip.ts';
import { type BasicCredentials, basicCredentials } from './basic-credentials.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

test('an Authorization header has one valid form', () => {
  const known: BasicCredentials = { user: 'prometheus', password: 'aks_1' };
  const cases: [header: string | undefined, read: BasicCredentials | undefined][] = [
    [`Basic ${base64('prometheus:aks_1')}`, known],
    [`basic ${base64('prometheus:aks_1')}`, known],
    [`BASIC ${base64('prometheus:a:b:')}`, { user: 'prometheus', password: 'a:b:' }],
    [`Basic ${base64(':')}`, { user: '', password: '' }],
    [`Basic ${base64('ü:ß')}`, { user: 'ü', password: 'ß' }],
    [undefined, undefined],
    ['', undefined],
    ['Basic', undefined],
    ['Basic ', undefined],
    [`Bearer ${base64('prometheus:aks_1')}`, undefined],
    [`Basic  ${base64('prometheus:aks_1')}`, undefined],
    [`Basic ${base64('prometheus:aks_1')} `, undefined],
    [` Basic ${base64('prometheus:aks_1')}`, undefined],
    [`Basic ${base64('prometheus:aks_1')}, Basic ${base64('a:b')}`, undefined],
    [`Basic ${base64('prometheus')}`, undefined],
    [`Basic ${base64('prometheus:a\nb')}`, undefined],
    [`Basic ${base64('prometheus:a\0')}`, undefined],
    [`Basic ${base64(Buffer.from([0x3a, 0xff]))}`, undefined],
    // The URL-safe alphabet, missing or excess padding, and trailing bits.
    [`Basic ${Buffer.from(':?>?>').toString('base64url')}`, undefined],
    ['Basic YTpi=', undefined],
    ['Basic YTo', undefined],
    ['Basic YTo=', { user: 'a', password: '' }],
    ['Basic YTp=', undefined],
  ];
  for (const [header, read] of cases) assert.deepEqual(basicCredentials(header), read, header);
});

test('any credentials without control characters survive encoding', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (user, password) => {
      fc.pre(!user.includes(':'));
      const isPlain = !/\p{Cc}/u.test(user + password);
      const read = basicCredentials(`Basic ${base64(`${user}:${password}`)}`);
      assert.deepEqual(read, isPlain ? { user, password } : undefined);
    }),
  );
});

test('which Accept-Encoding headers permit gzip', () => {
  const cases: [header: string | undefined, accepts: boolean][] = [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['deflate, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['*', true],
    ['*;q=0', false],
    ['identity, *', true],
    ['*, gzip;q=0', false],
    ['gzip;q=many', false],
    ['gzipped', false],
    ['br', false],
  ];
  for (const [header, accepts] of cases) assert.equal(acceptsGzip(header), accepts, header);
});
