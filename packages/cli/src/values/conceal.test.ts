import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { concealUrls } from './conceal.ts';

test('passwords in URLs are hidden, and the rest stays', () => {
  const cases: readonly [text: string, shown: string][] = [
    ['https://host:8080/path?x=1', 'https://host:8080/path?x=1'],
    ['postgres://weir@db/weir', 'postgres://weir@db/weir'],
    ['postgres://weir:pw@db:5432/weir', 'postgres://weir:(hidden)@db:5432/weir'],
    [
      'postgres://db/weir?user=a&password=pw&sslmode=off',
      'postgres://db/weir?user=a&password=(hidden)&sslmode=off',
    ],
    ['s3://b?secretAccessKey=pw&region=x', 's3://b?secretAccessKey=(hidden)&region=x'],
    [
      's3://b?region=x&endpoint=http://minio:9000&prefix=p',
      's3://b?region=x&endpoint=http://minio:9000&prefix=p',
    ],
    ['s3://a,postgres://u:pw@h/d', 's3://a,postgres://u:(hidden)@h/d'],
    [
      'service_stripe://s3://a<>postgres://u:pw@h<>s3://c',
      'service_stripe://s3://a<>postgres://u:(hidden)@h<>s3://c',
    ],
    ['http://[::1]:80', 'http://[::1]:80'],
    ['data/weir.db', 'data/weir.db'],
    // With two passwords, the text between them is hidden too.
    ['postgres://u:pw@h1,postgres://u:pw@h2', 'postgres://u:(hidden)@h2'],
    // Malformed URLs hide more rather than less.
    ['postgres://weir:p@ss/w@db', 'postgres://weir:(hidden)@db'],
    ['postgres://weir:pw', 'postgres://weir:(hidden)'],
    ['postgres://we/ir:pw@db', 'postgres://we/ir:(hidden)@db'],
    ['postgres:/weir:pw@db', 'postgres:(hidden)@db'],
    ['weir:pw@db', 'weir:(hidden)@db'],
  ];
  for (const [text, shown] of cases) assert.equal(concealUrls(text), shown);
});

test('no password is shown, whatever its characters and wherever the URL is', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    '/',
    '@',
    '?',
    '#',
    ',',
    '<>',
    '=',
    '&',
    '[',
    '%',
    ' ',
    '\n',
    ',x://',
  );
  const noise = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const place = fc.constantFrom(
    'postgres://u:…@h/d',
    'service_multi://s3://a<>postgres://u:…@h',
    's3://a,http://u:…@h',
    'u:…@h',
  );
  fc.assert(
    fc.property(place, noise, noise, (place, inside, after) => {
      const shown = concealUrls(place.replace('…', () => `SECRET${inside}SECRET${after}`));
      return !shown.includes('SECRET');
    }),
  );
});
