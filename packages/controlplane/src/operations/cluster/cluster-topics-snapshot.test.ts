import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { HandClock } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { ClusterTopicsSnapshot } from './cluster-topics-snapshot.ts';

/** A cluster without a leader: followers wait. */
function leaderlessCluster(): TestCluster {
  const cluster = new TestCluster();
  cluster.holdChanges();
  return cluster;
}

function takeFrom(port: ClusterPort) {
  const clock = new HandClock();
  const gone = new AbortController();
  return { clock, gone, snapshot: ClusterTopicsSnapshot.take(port, { clock, stop: gone.signal }) };
}

test('taking a snapshot ends with the first one', async () => {
  const cluster = new TestCluster();
  const { snapshot } = takeFrom(cluster);
  assert.deepEqual((await snapshot).topics, []);
  assert.equal(cluster.followerCount, 0);
});

test('a cluster without a leader is unavailable after 20 s', async () => {
  const cluster = leaderlessCluster();
  const { snapshot, clock } = takeFrom(cluster);
  clock.advance(20_000);
  await assert.rejects(snapshot, { name: 'ClusterUnavailable' });
  assert.equal(cluster.followerCount, 0);
});

test('a caller that disconnects ends the wait', async () => {
  const cluster = leaderlessCluster();
  const { snapshot, gone } = takeFrom(cluster);
  gone.abort();
  await assert.rejects(snapshot, { code: 'context_canceled' });
  assert.equal(cluster.followerCount, 0);
});
