import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange, ClusterSnapshot } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { metadataLimits } from '../limits.ts';
import { Followers } from './followers.ts';

const change: ClusterChange = { kind: 'topicDeleted', topicId: 't', name: 't' };
const snapshot: ClusterSnapshot = {
  clusterId: 'c',
  clusterConfigs: {},
  topics: [],
  logStartOffset: new Float64Array(),
  nextOffset: new Float64Array(),
  lastStableOffset: new Float64Array(),
  agents: [],
  records: [],
};

function recording() {
  const events: (ClusterSnapshot | readonly ClusterChange[])[] = [];
  return {
    events,
    onSnapshot: (event: ClusterSnapshot) => events.push(event),
    onChanges: (event: readonly ClusterChange[]) => events.push(event),
  };
}

test('followers are called after the work of the leader, all with the same list', async () => {
  const followers = new Followers(silentLog);
  const [one, two] = [recording(), recording()];
  followers.add(one);
  followers.begin((deliver) => deliver(snapshot));
  followers.add(two);
  const changes = [change];
  followers.push(changes);
  assert.deepEqual(one.events, []);
  await settle();
  assert.deepEqual(one.events, [snapshot, changes]);
  assert.equal(one.events[1], two.events[1]);
});

test('a follower with too many queued changes restarts from a snapshot', async () => {
  const followers = new Followers(silentLog);
  const follower = recording();
  followers.add(follower);
  followers.begin((deliver) => deliver(snapshot));
  followers.push(new Array(metadataLimits.followerChangesMax).fill(change));
  followers.push([change]);
  followers.push([change, change]);
  await settle();
  assert.deepEqual(follower.events, [snapshot, [change, change]]);
});

test('a follower that throws or unsubscribes does not disturb the others', async () => {
  const followers = new Followers(silentLog);
  const follower = recording();
  followers.add({
    onSnapshot() {
      throw new Error('bad');
    },
    onChanges() {
      throw new Error('bad');
    },
  });
  let calls = 0;
  const end = followers.add({
    onSnapshot() {
      calls++;
      end();
    },
    onChanges: () => calls++,
  });
  followers.add(follower);
  followers.begin((deliver) => deliver(snapshot));
  followers.push([change]);
  await settle();
  assert.deepEqual(follower.events, [snapshot, [change]]);
  assert.equal(calls, 1);
});

test('without a leader nothing is delivered', async () => {
  const followers = new Followers(silentLog);
  const follower = recording();
  followers.add(follower);
  let late: ((snapshot: ClusterSnapshot) => void) | undefined;
  followers.begin((deliver) => {
    late = deliver;
  });
  followers.push([change]);
  followers.pause();
  late!(snapshot);
  await settle();
  assert.deepEqual(follower.events, []);
});
