import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfBucket } from '@weir/storage';
import { isSameBucket, urlWithoutSecrets } from './allowed-buckets.ts';

// biome-ignore format: a table
const refused: [named: string, own: string, words: RegExp][] = [
  ['s3://own?endpoint=http://evil.example',             's3://own',                              /own on http:\/\/evil\.example is not .* -allowedBucketURLs$/],
  ['s3://own?endpoint=evil.example',                    's3://own',                              /-allowedBucketURLs/],
  ['s3://own?disableSSL=true',                          's3://own',                              /without TLS/],
  ['s3://own?region=eu@evil.example%23',                's3://own',                              /region=/],
  ['s3://own?region=x.evil.example/',                   's3://own',                              /region=/],
  ['s3://own?endpoint=https://store.example:1',         's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['s3://own?endpoint=http://store.example',            's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['s3://own?endpoint=https://store.example@evil.example', 's3://own?endpoint=https://store.example', /endpoint= must be a host/],
  ['s3://own',                                          's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['file:///tmp/data',                                  's3://own',                              /-allowedBucketURLs/],
  ['s3://own',                                          'file:///data',                          /-allowedBucketURLs/],
  ['file:///data2',                                     'file:///data',                          /-allowedBucketURLs/],
  ['file:///data/../etc',                               'file:///data',                          /-allowedBucketURLs/],
  ['sqlite:///etc/x.db',                                'sqlite:///data/x.db',                   /-allowedBucketURLs/],
  ['s3://other?assumeRoleARN=arn:aws:iam::1:role/admin', 's3://own',                             /other on aws as arn:aws:iam::1:role\/admin is not/],
  ['s3://other?assumeRoleARN=',                         's3://own?assumeRoleARN=arn:aws:iam::1:role/own', /other on aws as no role is not/],
  ['s3://other',                                        's3://own?assumeRoleARN=arn:aws:iam::1:role/own', /other on aws is not/],
  ['postgres://evil.example/db',                        'postgres://own/db',                     /evil\.example:5432 without TLS is not .* -allowedBucketURLs$/],
  ['postgres://u:secret@own:5433/db',                   'postgres://own/db',                     /db\/weir_bucket on own:5433 without TLS is not/],
  ['postgres://own/other',                              'postgres://own/db?sslmode=verify-full', /other\/weir_bucket on own:5432 without TLS is not/],
  ['postgres://own/other?sslmode=require',              'postgres://own/db?sslmode=verify-full', /own:5432 with sslmode=require is not/],
  ['https://evil.example',                              's3://own',                              /one of mem/],
  ['service_multi://s3://own<>s3://own?endpoint=evil',  's3://own',                              /own on https:\/\/evil is not .* -allowedBucketURLs$/],
  ['service_multi://s3://own<>file:///tmp/data',        'service_multi://s3://own<>s3://two',    /-allowedBucketURLs/],
  ['service_multi://s3://own',                          's3://own',                              /2 to 32 buckets/],
];

for (const [named, own, words] of refused) {
  test(`an agent with ${own} does not use ${named}, and says why in one line`, () => {
    const problem = problemOfBucket(named, { ownUrls: [own], allowedUrls: [] });
    assert.match(problem!, words);
    assert.ok(!problem!.includes('\n'));
  });
}

// biome-ignore format: a table
const allowed: [named: string, allowed: string, isTaken: boolean][] = [
  ['s3://logs?endpoint=https://store.example',          's3://logs?endpoint=https://store.example',          true],
  ['s3://logs?endpoint=https://store.example&prefix=a', 's3://logs?endpoint=https://store.example',          true],
  ['s3://logs?endpoint=https://store.example',          's3://logs?endpoint=https://store.example&prefix=a', false],
  ['s3://logs?endpoint=https://store.example&prefix=ab','s3://logs?endpoint=https://store.example&prefix=a', false],
  ['s3://other?endpoint=https://store.example',          's3://logs?endpoint=https://store.example',          false],
  ['s3://logs?endpoint=http://store.example',           's3://logs?endpoint=https://store.example',          false],
  ['s3://logs?assumeRoleARN=arn:aws:iam::1:role/r',  's3://logs?assumeRoleARN=arn:aws:iam::1:role/r',  true],
  ['s3://logs?assumeRoleARN=arn:aws:iam::1:role/r',  's3://logs',                                      false],
  ['file:///data/a',                                 'file:///data',                                   true],
  ['file:///data',                                   'file:///data/',                                  true],
  ['file:///database',                               'file:///data',                                   false],
  ['sqlite:///data/x.db?prefix=a',                   'sqlite:///data/x.db',                            true],
  ['sqlite:///data/x.db?table=other',                'sqlite:///data/x.db',                            false],
  ['postgres://DB:5432/records?prefix=a',            'postgresql://db/records',                        true],
  ['postgres://db/records?table=other',              'postgres://db/records',                          false],
  ['postgres://db/records?prefix=a',                 'postgres://db/records?sslmode=verify-full',      false],
  ['postgres://db/records?sslmode=verify-full',      'postgres://db/records?sslmode=verify-full',      true],
];

for (const [named, entry, isTaken] of allowed) {
  test(`-allowedBucketURLs ${entry} ${isTaken ? 'allows' : 'does not allow'} ${named}`, () => {
    const ownUrls = ['s3://own?region=eu-west-1'];
    const problem = problemOfBucket(named, { ownUrls, allowedUrls: ['s3://another', entry] });
    assert.equal(problem === undefined, isTaken);
  });
}

test('another bucket of the own server, or a folder of the own directory, is allowed', () => {
  const ownUrls = ['s3://own?region=eu-west-1', 'file:///data'];
  for (const url of ['s3://other?region=us-east-1', 's3://own?prefix=a', 'file:///data/new', 'file:///data'])
    assert.equal(problemOfBucket(url, { ownUrls, allowedUrls: [] }), undefined);
  assert.match(
    problemOfBucket('mem://x', { ownUrls: ['mem://x'], allowedUrls: [] })!,
    /lost with its process/,
  );
});

// biome-ignore format: a table
const same: [one: string, other: string, isSame: boolean][] = [
  ['file:///data',                   'file:///data/',                    true],
  ['file:///data',                   'file:///data/a',                   false],
  ['s3://abc?region=eu-west-1',      's3://abc?region=us-east-1',         true],
  ['s3://abc?prefix=x',              's3://abc?prefix=x/',                 true],
  ['s3://abc?prefix=x',              's3://abc',                          false],
  ['s3://abc',                       's3://bcd',                          false],
  ['no url',                         's3://b',                           false],
];

for (const [one, other, isSame] of same) {
  test(`${one} and ${other} are ${isSame ? 'the same' : 'different'} buckets`, () => {
    assert.equal(isSameBucket(one, other), isSame);
    assert.equal(isSameBucket(other, one), isSame);
  });
}

// biome-ignore format: a table
const stored: [url: string, without: string][] = [
  ['file:///data',                                  'file:///data'],
  ['s3://key:secret@orders?region=x&prefix=eu',     's3://orders?region=x&prefix=eu'],
  ['postgres://u:p@db:5432/weir?sslmode=require',   'postgres://db:5432/weir?sslmode=require'],
  ['postgres://u:p<q@db/weir',                      'postgres://db/weir'],
  ['postgres://u:p@q@db/weir?prefix=a',             'postgres://db/weir?prefix=a'],
  ['service_multi://postgres://u:p<q@a/b<>s3://b',  'service_multi://postgres://a/b<>s3://b'],
  ['s3://a?secretKey=1&region=x',                   's3://a?region=x'],
  ['s3://a?region=x&accessKeyID=1',                 's3://a?region=x'],
  ['service_multi://s3://u:p@a?token=1<>s3://b',    'service_multi://s3://a<>s3://b'],
];

for (const [url, without] of stored) {
  test(`${url} is stored as ${without}`, () => assert.equal(urlWithoutSecrets(url), without));
}
