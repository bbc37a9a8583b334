import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import type { ClusterFollower, ClusterSnapshot } from '@weir/metadata';
import { bucketOverride } from './bucket-override.ts';

/** A cluster that shows itself at once, later, or never. */
function clusterWith(configs: Readonly<Record<string, string>> | undefined, isLate = false) {
  let followers = 0;
  const follow = ({ onSnapshot }: ClusterFollower) => {
    followers++;
    const show = () => onSnapshot({ clusterConfigs: configs ?? {} } as ClusterSnapshot);
    if (configs !== undefined) isLate ? void systemClock.after(0, show) : show();
    return () => {
      followers--;
    };
  };
  return { follow, followers: () => followers };
}

const never = new AbortController().signal;

test('the bucket that a cluster names goes before that of its agents', async () => {
  for (const isLate of [false, true]) {
    const cluster = clusterWith({ 'service.bucket.url': 's3://other?region=eu-west-1' }, isLate);
    assert.equal(await bucketOverride(cluster, never), 's3://other?region=eu-west-1');
    await Promise.resolve();
    assert.equal(cluster.followers(), 0, 'it is asked once');
  }
  assert.equal(await bucketOverride(clusterWith({}), never), undefined);
  assert.equal(await bucketOverride(clusterWith({ 'service.bucket.url': '' }), never), undefined);
});

test('a config that is no bucket is told, and nobody who wants to stop is kept', async () => {
  const wrong = clusterWith({ 'service.bucket.url': 'https://example.com' });
  await assert.rejects(bucketOverride(wrong, never), {
    name: 'Failure',
    message: /^the config service\.bucket\.url of the cluster is no bucket: /,
  });
  const stopping = new AbortController();
  const waiting = bucketOverride(clusterWith(undefined), stopping.signal);
  stopping.abort();
  assert.equal(await waiting, undefined);
});
