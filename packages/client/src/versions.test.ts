import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, apis } from '@weir/wire';
import { commonVersion } from './versions.ts';

test('the highest common version is chosen', () => {
  // our Fetch has 4 to 18
  const cases: readonly [offered: [number, number], highestUseful: number | undefined, version: number][] = [
    [[4, 18], undefined, 18],
    [[0, 11], undefined, 11],
    [[4, 99], undefined, 18],
    [[4, 18], 12, 12],
    [[18, 20], undefined, 18],
  ];
  for (const [[lowest, highest], highestUseful, version] of cases) {
    const offered = new Map([[apis.Fetch.key, { lowest, highest }]]);
    assert.equal(commonVersion(apis.Fetch as unknown as Api, offered, highestUseful), version);
  }
});

test('an unstable version is never chosen', () => {
  const offered = new Map([[apis.InitProducerId.key, { lowest: 0, highest: 6 }]]);
  assert.equal(commonVersion(apis.InitProducerId as unknown as Api, offered), 5);
});

test('without a common version both ranges are reported', () => {
  const fetch = apis.Fetch as unknown as Api;
  assert.throws(() => commonVersion(fetch, new Map()), /^Failure: the broker does not support Fetch$/);
  assert.throws(
    () => commonVersion(fetch, new Map([[fetch.key, { lowest: 0, highest: 3 }]])),
    /no common version of Fetch: the broker supports 0 to 3, this release 4 to 18/,
  );
});
