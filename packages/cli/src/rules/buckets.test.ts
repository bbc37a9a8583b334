import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BucketUrl } from '../values/bucket-url.ts';
import { resolveBuckets } from './buckets.ts';

function memory(name: string): BucketUrl {
  return { wrapper: 'none', buckets: [{ scheme: 'mem', url: `mem://${name}`, prefix: '' }] };
}

test('an agent has one bucket or the pair', () => {
  const [one, two, three] = [memory('one'), memory('two'), memory('three')];
  const cases: readonly [
    bucket: BucketUrl | undefined,
    ingestion: BucketUrl | undefined,
    compaction: BucketUrl | undefined,
    expected: object,
  ][] = [
    [one, undefined, undefined, { value: { kind: 'single', bucket: one } }],
    [undefined, two, three, { value: { kind: 'split', ingestion: two, compaction: three } }],
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
