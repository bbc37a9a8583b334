import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { ClusterUnavailable } from '../calls/call-errors.ts';
import type { ClusterFollower, ClusterSnapshot } from '../calls/change-stream.ts';
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
function begin({ isShown = false, isStopped = false } = {}) {
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

type Attempt = ReturnType<typeof begin>;

const attempts: [
  what: string,
  start: () => Attempt,
  then: (attempt: Attempt) => void,
  ends: 'shown' | RegExp,
][] = [
  ['a cluster that sends its snapshot at once', () => begin({ isShown: true }), () => {}, 'shown'],
  ['a cluster that sends its snapshot later', begin, ({ show }) => show(), 'shown'],
  [
    'a cluster that sends its snapshot just in time',
    begin,
    ({ clock, show }) => {
      clock.advance(waitMsMax - 1);
      show();
    },
    'shown',
  ],
  [
    'a cluster that sends no snapshot',
    begin,
    ({ clock }) => clock.advance(waitMsMax),
    /sent no snapshot in time/,
  ],
  ['a caller that aborts', begin, ({ stop }) => stop.abort(new Error('gone')), /gone/],
  ['a caller that has aborted', () => begin({ isStopped: true }), () => {}, /gone/],
];

for (const [what, start, then, ends] of attempts) {
  test(`${what}: nothing is left behind`, async () => {
    const attempt = start();
    then(attempt);
    if (ends === 'shown') assert.equal(await attempt.taken, snapshot);
    else await assert.rejects(attempt.taken, ends);
    assert.equal(attempt.followers.size, 0);
    assert.equal(attempt.clock.waiting, 0);
  });
}

test('a cluster without a snapshot in time is unavailable', async () => {
  const { taken, clock } = begin();
  clock.advance(waitMsMax);
  await assert.rejects(taken, ClusterUnavailable);
});

test('without a limit the caller waits for the cluster', async () => {
  const { port, show, taken: other } = begin();
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
