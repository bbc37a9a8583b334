import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketUrl } from './bucket-url.ts';

const sub = (count: number) => Array.from({ length: count }, (_, index) => `s3://b${index}`).join('<>');

test('a bucket URL names one store', () => {
  const cases: readonly [text: string, scheme: string, prefix: string][] = [
    ['s3://data?region=eu-west-1', 's3', ''],
    ['s3://data?region=eu-west-1&prefix=clusters/one', 's3', 'clusters/one'],
    ['gs://data', 'gs', ''],
    ['azblob://container', 'azblob', ''],
    ['mem://name', 'mem', ''],
    ['file:///var/lib/weir', 'file', ''],
    ['postgres://user:pw@db/weir', 'postgres', ''],
    ['sqlite:///var/lib/weir.db', 'sqlite', ''],
  ];
  for (const [text, scheme, prefix] of cases) {
    const expected = { wrapper: 'none', buckets: [{ scheme, url: text, prefix }] };
    assert.deepEqual(bucketUrl().parse(text), { value: expected }, text);
  }
});

test('a wrapper names 2 to 32 stores', () => {
  const cases: readonly [text: string, wrapper: string, count: number][] = [
    ['service_multi://s3://a<>s3://b<>s3://c', 'multi', 3],
    [`service_stripe://${sub(2)}`, 'stripe', 2],
    [`service_stripe://${sub(32)}`, 'stripe', 32],
    ['service_stripe://mem://a?prefix=x<>mem://b?prefix=y', 'stripe', 2],
  ];
  for (const [text, wrapper, count] of cases) {
    const parsed = bucketUrl().parse(text);
    assert.ok('value' in parsed, text);
    assert.equal(parsed.value.wrapper, wrapper);
    assert.equal(parsed.value.buckets.length, count);
    assert.equal(bucketUrl().print(parsed.value), text);
  }
});

test('a text that is no bucket URL is rejected with the reason', () => {
  const cases: readonly [text: string, problem: RegExp][] = [
    ['data', /^one of s3:\/\/, gs:\/\/.* is needed$/],
    ['ftp://data', /^one of s3/],
    ['s3://', /^s3:\/\/ and a name is needed$/],
    ['file://relative/path', /^file:\/\/\/ and an absolute path is needed$/],
    ['file:///', /absolute path/],
    ['s3://a b', /^a well-formed URL is needed$/],
    ['s3://data?prefix=/x', /^a prefix must not start with a slash or contain \.\.$/],
    ['s3://data?prefix=a/../b', /\.\./],
    ['s3://data?prefix=a&prefix=b', /^one prefix is allowed$/],
    ['service_stripe://s3://a', /^service_stripe:\/\/ takes 2 to 32 buckets separated by <>$/],
    [`service_stripe://${sub(33)}`, /takes 2 to 32/],
    ['service_multi://s3://a<><>s3://b', /^bucket 2: one of s3/],
    ['service_multi://s3://a<>s3://a', /^bucket 2 is listed twice$/],
    [
      'service_multi://service_stripe://s3://a<>s3://b',
      /^bucket 1: service_multi:\/\/ and service_stripe:\/\/ cannot be nested$/,
    ],
  ];
  for (const [text, problem] of cases) {
    const parsed = bucketUrl().parse(text);
    assert.ok('problem' in parsed, text);
    assert.match(parsed.problem, problem, text);
  }
});
