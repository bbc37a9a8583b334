import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable, NotLeader } from '@weir/cluster';
import { agentDescription, callNames } from '@weir/cluster/testing';
import type { Clock } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import { Fenced, type Journal } from '@weir/journal';
import { type ControlPlane, ControlPlanes } from '../../testing/control-planes.ts';
import { file, leader, leaderAndStandby, nextOffset, topicOf } from '../../testing/leader-stage.ts';
import { noFaults } from '../../testing/simulated-process.ts';
import { defaultTiming, shortLease } from './timing.ts';

/** Who leads a cluster: leases, handovers, pauses. */

/** A journal whose database executes calls at once, but whose answers are delayed. */
function slowJournal(journal: Journal, clock: Clock) {
  const slow = {
    answersAfterMs: (_call: string) => 0,
    journal: new Proxy(journal, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const answer: unknown = member.apply(target, args);
          const afterMs = slow.answersAfterMs(String(name));
          if (!(answer instanceof Promise) || afterMs === 0) return answer;
          return new Promise((resolve) => clock.after(afterMs, () => resolve(answer)));
        };
      },
    }),
  };
  return slow;
}

test('one of two processes leads and serves, and the other returns its address', async () => {
  const { a, b } = await leaderAndStandby(100);
  assert.deepEqual([a.node.role, b.node.role], ['leader', 'standby']);
  const topicId = await topicOf(a.node);
  await a.node.commitFiles([file(1, topicId)]);
  assert.equal(await nextOffset(a.node, topicId), 1);
  assert.equal(b.node.leaderUrl, 'http://a');
  const isRedirection = (error: unknown) => error instanceof NotLeader && error.leaderUrl === 'http://a';
  for (const port of [b.node, b.node.forRequest('x')]) {
    for (const name of callNames) {
      const call = port[name].bind(port) as (...args: unknown[]) => Promise<unknown>;
      await assert.rejects(call([], { validateOnly: true }), isRedirection, name);
    }
  }
  assert.ok(isRedirection(b.node.notLeader()), 'followers are redirected too');
  assert.equal(a.node.notLeader(), undefined);
});

test('a process that gets or loses the lease does not return the previous leader', async () => {
  const { clock, a, b } = await leaderAndStandby(2_000);
  const named: (string | undefined)[] = [];
  b.node.onLeader(() => named.push(b.node.notLeader()?.leaderUrl));
  await a.node.stop();
  await clock.pass(1_000);
  assert.equal(b.node.role, 'leader');
  assert.deepEqual(named, [undefined, undefined], 'one notification for the lease, and one for the role');
  await b.node.handOver('for the test');
  assert.equal(b.node.notLeader()?.leaderUrl, undefined);
});

test('a standby reports each renewal of the lease, and none of a leader that stands still', async () => {
  const { clock, a, b } = await leaderAndStandby(1_100);
  let renewals = 0;
  const stop = b.node.onLeaderRenewed(() => renewals++);
  await clock.pass(5_000);
  assert.equal(renewals, 5);
  a.process.kill();
  await clock.pass(500);
  renewals = 0;
  await clock.pass(2_000);
  assert.deepEqual([renewals, b.node.role], [0, 'standby']);
  stop();
});

test('followers of a cluster that left the process are notified', async () => {
  const { node } = await leader();
  let redirection: NotLeader | undefined;
  node.onLeader(() => {
    redirection = node.notLeader();
  });
  await node.stop();
  assert.match(redirection!.message, /this control plane is shutting down$/);
});

const failovers = [
  { lease: 'a short', timing: shortLease, renewalMs: 450, serves: 'two seconds', passMs: 1_600 },
  { lease: 'the default', timing: defaultTiming, renewalMs: 1_000, serves: 'five seconds', passMs: 4_000 },
];

for (const { lease, timing, renewalMs, serves, passMs } of failovers) {
  test(`with ${lease} lease a standby serves less than ${serves} after the leader was killed`, async () => {
    for (let killedAtMs = 0; killedAtMs < renewalMs; killedAtMs += renewalMs / 11) {
      const { clock, a, b } = await leaderAndStandby(2_000 + killedAtMs, { timing });
      const topicId = await topicOf(a.node);
      await a.node.commitFiles([file(1, topicId)]);
      a.process.kill();
      await clock.pass(passMs);
      assert.equal(b.node.role, 'leader');
      assert.equal(await nextOffset(b.node, topicId), 1);
    }
  });
}

/** A leader with commits in flight leaves the cluster to its standby, which gets all of them and nothing later. */
async function handsOverWithCommits(
  { clock, a, b }: { clock: HandClock; a: ControlPlane; b: ControlPlane },
  handOver: () => Promise<void>,
): Promise<string> {
  assert.deepEqual([a.node.role, b.node.role], ['leader', 'standby']);
  const topicId = await topicOf(a.node);
  const commits = [1, 2, 3].map((number) => a.node.commitFiles([file(number, topicId)]));
  const handedOver = handOver();
  await assert.rejects(a.node.commitFiles([file(4, topicId)]), ClusterUnavailable);
  await clock.pass(50);
  await Promise.all([...commits, handedOver]);
  assert.equal(b.node.role, 'leader');
  assert.equal(await nextOffset(b.node, topicId), 3);
  return a.node.role;
}

test('a stopping leader hands over at once, with everything it accepted', async () => {
  const pair = await leaderAndStandby(1_000);
  assert.equal(await handsOverWithCommits(pair, () => pair.a.node.stop()), 'stopped');
});

test('a leader that hands over becomes a standby at once, and leaves the lease to others for its grace time', async () => {
  const { world, clock, ...a } = await leader({ leaseGraceMs: () => 1_000 });
  await clock.pass(1_000);
  const b = world.start('b');
  await clock.pass(1_000);
  const handOver = () => a.node.handOver('b should lead it');
  assert.equal(await handsOverWithCommits({ clock, a, b }, handOver), 'standby');
  await a.node.handOver('it does not lead');
  b.process.kill();
  await clock.pass(3_300);
  assert.equal(a.node.role, 'standby');
  await clock.pass(1_000);
  assert.equal(a.node.role, 'leader');
});

test('a paused old leader can neither append nor answer', async () => {
  const { clock, a, b } = await leaderAndStandby(1_000);
  const topicId = await topicOf(a.node);
  a.process.pause();
  await clock.pass(5_000);
  assert.deepEqual([a.node.role, b.node.role], ['leader', 'leader'], 'the old leader does not know yet');
  await b.node.commitFiles([file(1, topicId)]);
  // Whatever the paused process does first: by its clock the lease has expired.
  const refused = [nextOffset(a.node, topicId), a.node.commitFiles([file(2, topicId)])].map((call) =>
    assert.rejects(call, NotLeader),
  );
  a.process.resume();
  await clock.pass(1_000);
  await Promise.all(refused);
  assert.equal(await nextOffset(b.node, topicId), 1);
  assert.deepEqual([a.node.role, b.node.role], ['standby', 'leader']);
  assert.equal(a.node.leaderUrl, 'http://b');
});

test('a paused leader continues if no other took over, and processes waiting calls in order', async () => {
  for (const pausedMs of [2_800, 5_000, 60_000]) {
    const { clock, process, node } = await leader();
    const topicId = await topicOf(node);
    const roles: string[] = [];
    node.onRole((role) => roles.push(role));
    process.pause();
    await clock.pass(pausedMs);
    // Sockets are read before timers run.
    const commits = Array.from({ length: 8 }, (_, number) => node.commitFiles([file(number, topicId)]));
    const next = nextOffset(node, topicId);
    process.resume();
    const behind = node.commitFiles([file(8, topicId)]);
    await clock.pass(100);
    const offsets = (await Promise.all([...commits, behind])).map(([result]) => result!.baseOffset[0]);
    assert.deepEqual(offsets, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.equal(await next, 8);
    await clock.pass(10_000);
    assert.deepEqual([roles, node.role], [[], 'leader'], `${pausedMs} ms`);
  }
});

test('a leader without answers to renewals serves nothing after its lease, and steps down one lease time later', async () => {
  const { clock, process, node } = await leader();
  process.faults = { ...noFaults, delayMsMax: 1_000_000 };
  await clock.pass(5_500);
  const rejected = assert.rejects(node.heartbeat(agentDescription('x')), NotLeader);
  assert.equal(node.role, 'leader');
  await clock.pass(500);
  assert.equal(node.role, 'standby');
  await rejected;
});

test('a leader whose database stalls for longer than a lease continues when it answers', async () => {
  const world = new ControlPlanes();
  const { clock } = world;
  const slow = slowJournal(world.journal(), clock);
  const { node } = world.start('a', { journal: slow.journal, timing: shortLease });
  await clock.pass(600);
  const topicId = await topicOf(node);
  const roles: string[] = [];
  node.onRole((role) => roles.push(role));
  slow.answersAfterMs = () => 2_200;
  await clock.pass(600);
  const committed = node.commitFiles([file(1, topicId)]);
  await clock.pass(1_500);
  const next = nextOffset(node, topicId);
  slow.answersAfterMs = () => 0;
  await clock.pass(2_500);
  assert.equal((await committed)[0]!.baseOffset[0], 0);
  assert.equal(await next, 1);
  assert.deepEqual([roles, node.role], [[], 'leader']);
});

test('a process that gets the lease after it has lapsed renews it, and leads', async () => {
  const world = new ControlPlanes();
  const { clock } = world;
  const slow = slowJournal(world.journal(), clock);
  slow.answersAfterMs = (call) => (call === 'acquireLease' ? 2_000 : 0);
  const { node } = world.start('a', { journal: slow.journal, timing: shortLease });
  const epochs: number[] = [];
  for (let passedMs = 0; passedMs < 10_000; passedMs += 500) {
    await clock.pass(500);
    if (node.role === 'leader') epochs.push((await node.describeJournal()).epoch);
  }
  assert.deepEqual([...new Set(epochs)], [1]);
});

test('a leader whose clock stood still is fenced by the epoch', async () => {
  const { world, node } = await leader();
  const topicId = await topicOf(node);
  // Another process took the lease, and this one had no chance to notice.
  const other = world.journal();
  const taken = await other.acquireLease({ id: 'a', url: 'http://b' }, 3_000);
  assert.ok(taken.epoch !== undefined);
  await assert.rejects(
    node.commitFiles([file(1, topicId)]),
    (error) => error instanceof ClusterUnavailable && error.cause instanceof Fenced,
  );
  assert.equal((await other.read(1, 10)).length, 0);
});

test('a leader that cannot renew its lease steps down before it expires', async () => {
  const { clock, process, node } = await leader();
  process.faults = { ...noFaults, refuse: 1 };
  await clock.pass(2_500);
  assert.equal(node.role, 'leader');
  await clock.pass(200);
  assert.equal(node.role, 'standby');
  process.faults = noFaults;
  await clock.pass(1_000);
  assert.equal(node.role, 'leader');
});
