import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { type ClusterFollower, type ClusterSnapshot, ClusterUnavailable } from '../ports/port.ts';
import { type SnapshotOptions, takeSnapshot } from './take-snapshot.ts';

const snapshot: ClusterSnapshot = {
  clusterId: 'vci_a',
  clusterConfigs: {},
  topics: [],
  logStartOffset: new Float64Array(),
  nextOffset: new Float64Array(),
  lastStableOffset: new Float64Array(),
  agents: [],
  records: [],
};
const waitMsMax = 1_000;

/**
 * A cluster that sends its snapshot at once or when the test calls `show`, and a pending `takeSnapshot` with everything
 * that can end it.
 */
function look({ isShown = false, isStopped = false } = {}) {
  const followers = new Set<ClusterFollower>();
  const port = {
    follow(follower: ClusterFollower) {
      followers.add(follower);
      if (isShown) follower.onSnapshot(snapshot);
      return () => followers.delete(follower);
    },
  };
  const clock = new HandClock();
  const stop = new AbortController();
  if (isStopped) stop.abort(new Error('gone'));
  const options: SnapshotOptions = { stop: stop.signal, limit: { clock, waitMsMax } };
  const show = () => {
    for (const follower of followers) follower.onSnapshot(snapshot);
  };
  return { port, clock, stop, show, followers, taken: takeSnapshot(port, options) };
}

type Look = ReturnType<typeof look>;

const looks: [what: string, start: () => Look, then: (look: Look) => void, ends: 'shown' | RegExp][] = [
  ['a cluster that shows itself at once', () => look({ isShown: true }), () => {}, 'shown'],
  ['a cluster that shows itself later', look, ({ show }) => show(), 'shown'],
  [
    'a cluster that shows itself at last',
    look,
    ({ clock, show }) => {
      clock.advance(waitMsMax - 1);
      show();
    },
    'shown',
  ],
  ['a cluster that does not', look, ({ clock }) => clock.advance(waitMsMax), /did not show itself in time/],
  ['somebody who goes away', look, ({ stop }) => stop.abort(new Error('gone')), /gone/],
  ['somebody who has gone', () => look({ isStopped: true }), () => {}, /gone/],
];

for (const [what, start, then, ends] of looks) {
  test(`${what}: nothing is left behind`, async () => {
    const looking = start();
    then(looking);
    if (ends === 'shown') assert.equal(await looking.taken, snapshot);
    else await assert.rejects(looking.taken, ends);
    assert.equal(looking.followers.size, 0);
    assert.equal(looking.clock.waiting, 0);
  });
}

test('a cluster without a snapshot in time is unavailable', async () => {
  const { taken, clock } = look();
  clock.advance(waitMsMax);
  await assert.rejects(taken, ClusterUnavailable);
});

test('without a limit the caller waits for the cluster', async () => {
  const { port, show, taken: other } = look();
  let seen: ClusterSnapshot | undefined;
  const taken = takeSnapshot(port).then((found) => {
    seen = found;
  });
  await settle();
  assert.equal(seen, undefined);
  show();
  await Promise.all([taken, other]);
  assert.equal(seen, snapshot);
});
