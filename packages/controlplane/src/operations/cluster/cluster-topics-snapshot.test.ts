import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import type { ClusterFollower, ClusterPort } from '@weir/metadata';
import { FakeCluster } from '../../../testing/fake-cluster.ts';
import { ClusterTopicsSnapshot } from './cluster-topics-snapshot.ts';

/** A cluster without a leader: whoever follows it waits. */
class LeaderlessCluster extends FakeCluster {
  override follow(follower: ClusterFollower): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}

function look(port: ClusterPort) {
  const clock = new HandClock();
  const gone = new AbortController();
  return { clock, gone, glance: ClusterTopicsSnapshot.take(port, { clock, stop: gone.signal }) };
}

test('a glance ends with the first snapshot', async () => {
  const cluster = new FakeCluster();
  const { glance } = look(cluster);
  assert.deepEqual((await glance).topics, []);
  assert.equal(cluster.followers.size, 0);
});

test('a cluster that does not show itself is unavailable after a while', async () => {
  const cluster = new LeaderlessCluster();
  const { glance, clock } = look(cluster);
  clock.advance(20_000);
  await assert.rejects(glance, { name: 'ClusterUnavailable' });
  assert.equal(cluster.followers.size, 0);
});

test('nobody looks for a caller who went away', async () => {
  const cluster = new LeaderlessCluster();
  const { glance, gone } = look(cluster);
  gone.abort();
  await assert.rejects(glance, { code: 'context_canceled' });
  assert.equal(cluster.followers.size, 0);
});
