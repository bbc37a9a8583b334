import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BucketUrl } from '../values/bucket-url.ts';
import { resolveBuckets } from './buckets.ts';

function bucketOf(scheme: 'mem' | 's3', name: string, prefix = ''): BucketUrl {
  const url = `${scheme}://${name}${prefix === '' ? '' : `?prefix=${prefix}`}`;
  return { wrapper: 'none', buckets: [{ scheme, url, prefix }] };
}

test('an agent has one bucket or the pair', () => {
  const [one, two, three] = [bucketOf('s3', 'one'), bucketOf('s3', 'two'), bucketOf('s3', 'three')];
  const [folder, memory] = [bucketOf('s3', 'two', 'a'), bucketOf('mem', 'one')];
  const cases: readonly [
    bucket: BucketUrl | undefined,
    ingestion: BucketUrl | undefined,
    compaction: BucketUrl | undefined,
    expected: object,
  ][] = [
    [one, undefined, undefined, { value: { kind: 'single', bucket: one } }],
    [undefined, two, three, { value: { kind: 'split', ingestion: two, compaction: three } }],
    [undefined, two, folder, { value: { kind: 'split', ingestion: two, compaction: folder } }],
    [memory, undefined, undefined, { value: { kind: 'single', bucket: memory } }],
    [undefined, two, bucketOf('s3', 'two'), forbids('compactionBucketURL')],
    [undefined, memory, two, forbids('ingestionBucketURL')],
    [undefined, two, memory, forbids('compactionBucketURL')],
    [one, two, three, forbids('bucketURL', 'ingestionBucketURL')],
    [one, two, undefined, forbids('bucketURL', 'ingestionBucketURL')],
    [one, undefined, three, forbids('bucketURL', 'compactionBucketURL')],
    [undefined, two, undefined, forbids('ingestionBucketURL')],
    [undefined, undefined, three, forbids('compactionBucketURL')],
    [undefined, undefined, undefined, { problem: { kind: 'missing', flags: ['bucketURL'] } }],
  ];
  for (const [bucketURL, ingestionBucketURL, compactionBucketURL, expected] of cases) {
    const resolved = resolveBuckets({ bucketURL, ingestionBucketURL, compactionBucketURL });
    assert.partialDeepStrictEqual(resolved, expected);
  }
});

function forbids(...flags: readonly string[]) {
  return { problem: { kind: 'forbidden', flags } };
}
