import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type AgentDescription,
  agentSilenceMsMax,
  type ClusterChange,
  type ClusterSnapshot,
  ClusterUnavailable,
  NotLeader,
  readBuckets,
  type SeenAgent,
  shutdownLeaseMs,
  takeSnapshot,
} from '@weir/cluster';
import { callNames, fileCommit } from '@weir/cluster/testing';
import { type Clock, Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { Fenced, type Journal, openJournals } from '@weir/journal';
import { SimulatedProcess } from '../../testing/simulated-process.ts';
import { metadataLimits } from '../limits.ts';
import { ClusterNode, type ClusterNodeOptions } from './cluster-node.ts';
import { shortLease } from './timing.ts';

const clusterId = 'vci_test';

/** Control-plane processes over one journal in memory, on a manual clock. */
function world() {
  const clock = new HandClock();
  const databaseUrl = `memory://${randomUUID()}`;
  const open = (own: HandClock | SimulatedProcess['clock']) =>
    openJournals(databaseUrl, { clock: own, log: silentLog }).journal(clusterId);
  function start(id: string, options: Partial<ClusterNodeOptions> = {}) {
    const process = new SimulatedProcess(clock, seededRandom(1));
    const node = new ClusterNode({
      clusterId,
      journal: process.journal(open(process.clock)),
      self: { id, url: `http://${id}` },
      clock: process.clock,
      log: silentLog,
      metrics: new Metrics(),
      ...options,
    });
    node.start();
    return { process, node };
  }
  return { clock, start, journal: () => open(clock) };
}

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

async function topicOf(node: ClusterNode): Promise<string> {
  const topics = [{ name: 't', partitionCount: 2, configs: {} }];
  const [created] = await node.createTopics(topics, { validateOnly: false });
  return created!.topic!.topicId;
}

const file = (number: number, topicId: string) =>
  fileCommit(number, topicId, [{ partition: 0, recordCount: 1 }]);

async function nextOffset(node: ClusterNode, topicId: string): Promise<number> {
  const [answer] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  return answer!.nextOffset;
}

function follow(node: ClusterNode) {
  const events: (ClusterSnapshot | readonly ClusterChange[])[] = [];
  const stop = node.follow({
    onSnapshot: (snapshot) => events.push(snapshot),
    onChanges: (changes) => events.push(changes),
  });
  return { events, stop };
}

test('one of two processes leads and serves, and the other returns its address', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(100);
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
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(2_000);
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
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(1_100);
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
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  let redirection: NotLeader | undefined;
  a.node.onLeader(() => {
    redirection = a.node.notLeader();
  });
  await a.node.stop();
  assert.match(redirection!.message, /this control plane is shutting down$/);
});

test('with a short lease a standby serves less than two seconds after the leader was killed', async () => {
  for (let killedAtMs = 0; killedAtMs < 500; killedAtMs += 45) {
    const { clock, start } = world();
    const a = start('a', { timing: shortLease });
    await clock.pass(100);
    const b = start('b', { timing: shortLease });
    await clock.pass(2_000 + killedAtMs);
    const topicId = await topicOf(a.node);
    a.process.kill();
    await clock.pass(1_800);
    assert.equal(b.node.role, 'leader');
    assert.equal(await nextOffset(b.node, topicId), 0);
  }
});

test('a standby serves less than five seconds after the leader was killed', async () => {
  for (let killedAtMs = 0; killedAtMs < 1_000; killedAtMs += 90) {
    const { clock, start } = world();
    const a = start('a');
    await clock.pass(100);
    const b = start('b');
    await clock.pass(2_000 + killedAtMs);
    const topicId = await topicOf(a.node);
    await a.node.commitFiles([file(1, topicId)]);
    a.process.kill();
    await clock.pass(4_000);
    assert.equal(b.node.role, 'leader');
    assert.equal(await nextOffset(b.node, topicId), 1);
  }
});

test('a stopping leader hands over at once, with everything it accepted', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(1_000);
  const topicId = await topicOf(a.node);
  const commits = [1, 2, 3].map((number) => a.node.commitFiles([file(number, topicId)]));
  const stopped = a.node.stop();
  await assert.rejects(a.node.commitFiles([file(4, topicId)]), ClusterUnavailable);
  await clock.pass(50);
  await stopped;
  await Promise.all(commits);
  assert.equal(a.node.role, 'stopped');
  assert.equal(b.node.role, 'leader');
  assert.equal(await nextOffset(b.node, topicId), 3);
});

test('a leader that hands over becomes a standby at once, and the other has everything it accepted', async () => {
  const { clock, start } = world();
  const a = start('a', { leaseGraceMs: () => 1_000 });
  await clock.pass(1_100);
  const b = start('b');
  await clock.pass(1_000);
  assert.deepEqual([a.node.role, b.node.role], ['leader', 'standby']);
  const topicId = await topicOf(a.node);
  const commits = [1, 2, 3].map((number) => a.node.commitFiles([file(number, topicId)]));
  const handedOver = a.node.handOver('b should lead it');
  await assert.rejects(a.node.commitFiles([file(4, topicId)]), ClusterUnavailable);
  await clock.pass(50);
  await Promise.all([...commits, handedOver]);
  assert.deepEqual([a.node.role, b.node.role], ['standby', 'leader']);
  assert.equal(await nextOffset(b.node, topicId), 3);
  await a.node.handOver('it does not lead');
  b.process.kill();
  await clock.pass(3_300);
  assert.equal(a.node.role, 'standby', 'the old leader leaves the lease to others for another second');
  await clock.pass(1_000);
  assert.equal(a.node.role, 'leader');
});

test('a paused old leader can neither append nor answer', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(1_000);
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
    const { clock, start } = world();
    const { process, node } = start('a');
    await clock.pass(100);
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
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 1_000_000 };
  await clock.pass(5_500);
  const rejected = assert.rejects(node.heartbeat(agent('x')), NotLeader);
  assert.equal(node.role, 'leader');
  await clock.pass(500);
  assert.equal(node.role, 'standby');
  await rejected;
});

test('a leader whose database stalls for longer than a lease continues when it answers', async () => {
  const { clock, start, journal } = world();
  const slow = slowJournal(journal(), clock);
  const { node } = start('a', { journal: slow.journal, timing: shortLease });
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
  const { clock, start, journal } = world();
  const slow = slowJournal(journal(), clock);
  slow.answersAfterMs = (call) => (call === 'acquireLease' ? 2_000 : 0);
  const { node } = start('a', { journal: slow.journal, timing: shortLease });
  const epochs: number[] = [];
  for (let passedMs = 0; passedMs < 10_000; passedMs += 500) {
    await clock.pass(500);
    if (node.role === 'leader') epochs.push((await node.describeJournal()).epoch);
  }
  assert.deepEqual([...new Set(epochs)], [1]);
});

test('a leader whose clock stood still is fenced by the epoch', async () => {
  const { clock, start, journal } = world();
  const { node } = start('a');
  await clock.pass(100);
  const topicId = await topicOf(node);
  // Another process took the lease, and this one had no chance to notice.
  const other = journal();
  const taken = await other.acquireLease({ id: 'a', url: 'http://b' }, 3_000);
  assert.ok(taken.epoch !== undefined);
  await assert.rejects(
    node.commitFiles([file(1, topicId)]),
    (error) => error instanceof ClusterUnavailable && error.cause instanceof Fenced,
  );
  assert.equal((await other.read(1, 10)).length, 0);
});

test('a leader that cannot renew its lease steps down before it expires', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(2_500);
  assert.equal(node.role, 'leader');
  await clock.pass(200);
  assert.equal(node.role, 'standby');
  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(1_000);
  assert.equal(node.role, 'leader');
});

test('failed appends are retried while the lease holds, and stored once', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  const topicId = await topicOf(node);
  for (const faults of [
    { refuse: 1, loseAnswer: 0, delayMsMax: 0 },
    { refuse: 0, loseAnswer: 1, delayMsMax: 0 },
  ]) {
    process.faults = faults;
    const committed = node.commitFiles([file(faults.refuse, topicId)]);
    await clock.pass(500);
    process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };
    await clock.pass(500);
    await committed;
  }
  assert.equal(await nextOffset(node, topicId), 2);
});

test('commands that wait for an append share the next one', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  const topicId = await topicOf(node);
  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 5 };
  const before = process.appendCount;
  const commits = Array.from({ length: 64 }, (_, number) => node.commitFiles([file(number, topicId)]));
  await settle();
  const later = Array.from({ length: 64 }, (_, number) => node.commitFiles([file(100 + number, topicId)]));
  await clock.pass(100);
  const results = await Promise.all([...commits, ...later]);
  assert.equal(process.appendCount - before, 2);
  assert.deepEqual(
    results.map(([result]) => result!.baseOffset[0]),
    results.map((_, offset) => offset),
  );
});

test('nothing is visible before it is durable', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  const topicId = await topicOf(node);
  const early = follow(node);
  await settle();
  process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  const order: string[] = [];
  node.commitFiles([file(1, topicId)]).then(() => order.push('commit'));
  await settle();
  nextOffset(node, topicId).then((offset) => order.push(`read ${offset}`));
  const late = follow(node);
  node.commitFiles([file(2, topicId)]).then(() => order.push('commit'));
  await clock.pass(300);
  assert.deepEqual(order, []);
  assert.equal(early.events.length, 1);
  assert.equal(late.events.length, 0);

  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(300);
  assert.deepEqual(order, ['commit', 'read 1', 'commit']);
  const offsets = (events: typeof early.events) =>
    events
      .slice(1)
      .flatMap((event) => event as readonly ClusterChange[])
      .map((change) => (change.kind === 'appended' ? change.pointers.baseOffset[0] : change.kind));
  assert.deepEqual(offsets(early.events), [0, 1]);
  assert.equal((late.events[0] as ClusterSnapshot).nextOffset[0], 1);
  assert.deepEqual(offsets(late.events), [1]);
});

test('the queue of the journal is limited', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  const settled = Array.from({ length: metadataLimits.waitingCallsMax + 1 }, () =>
    node.allocateProducerIds(1).then(
      () => 'done',
      (error: Error) => error.message,
    ),
  );
  assert.match((await settled.at(-1))!, /20000 calls are queued for the journal; try again later/);
  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(200);
  assert.equal(await settled[0], 'done');
  assert.equal(await node.allocateProducerIds(1), metadataLimits.waitingCallsMax + 1);
});

test('a malformed command fails only for its caller', async () => {
  const { clock, start } = world();
  const { node } = start('a');
  await clock.pass(100);
  await assert.rejects(node.allocateProducerIds(-1), TypeError);
  assert.equal(await node.allocateProducerIds(5), 1);
});

function agent(agentId: string, cpuLoad = 0): AgentDescription {
  return {
    agentId,
    nodeId: 1,
    host: 'localhost',
    kafkaPort: 9092,
    internalUrl: `http://${agentId}`,
    zone: 'z',
    group: 'g',
    roles: [],
    release: 'v830',
    cpuCount: 2,
    cpuLoad,
  };
}

const ids = (agents: readonly AgentDescription[]) => agents.map(({ agentId }) => agentId);

test('agents join, change, fall silent and leave, and followers are notified', async () => {
  const { clock, start } = world();
  const { node } = start('a');
  await clock.pass(100);
  const { events } = follow(node);
  await node.heartbeat(agent('y'));
  assert.deepEqual(await node.heartbeat(agent('x')), [{ agentId: 'x', nodeId: 2 }]);
  await settle();
  const agentLists = () =>
    events.slice(1).flatMap((event) =>
      (event as readonly ClusterChange[]).map((change) => {
        assert.ok(change.kind === 'agents');
        return change.agents.map(({ agentId, cpuLoad }) => `${agentId}:${cpuLoad}`).join(' ');
      }),
    );
  assert.deepEqual(agentLists(), ['y:0', 'x:0 y:0']);
  await clock.pass(agentSilenceMsMax - 1_000);
  await node.heartbeat(agent('x', 0.5));
  assert.equal(agentLists().length, 2, 'a changed load alone sends no message');
  await clock.pass(2_000);
  assert.deepEqual(agentLists().slice(2), ['x:0.5 y:0', 'x:0.5']);
  await node.leave('x');
  await node.leave('unknown');
  await settle();
  assert.deepEqual(agentLists().slice(4), ['']);
});

test('agents are listed with their current loads and the age of their last heartbeat', async () => {
  const { clock, start } = world();
  const { node } = start('a');
  await clock.pass(100);
  await node.heartbeat(agent('y'));
  await clock.pass(1_000);
  await node.heartbeat(agent('x'));
  await node.heartbeat(agent('y', 0.5));
  await clock.pass(500);
  await node.heartbeat(agent('x', 0.7));
  const agesOf = (seen: readonly SeenAgent[]) =>
    seen.map(({ agentId, cpuLoad, lastSeenMs }) => [agentId, cpuLoad, clock.nowMs() - lastSeenMs]);
  assert.deepEqual(agesOf(await node.listAgents()), [
    ['x', 0.7, 0],
    ['y', 0.5, 500],
  ]);
});

test('a cluster retains the first claimed bucket across leaders', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(100);
  assert.equal(await a.node.claimBucket(null), null);
  const claims = ['bki_1', 'bki_2'].map((bucketId) => a.node.claimBucket(bucketId));
  assert.deepEqual(await Promise.all(claims), ['bki_1', 'bki_1']);
  a.process.kill();
  await clock.pass(5_000);
  assert.deepEqual([await b.node.claimBucket('bki_3'), await b.node.claimBucket(null)], ['bki_1', 'bki_1']);
});

test('buckets of a cluster have numbers that stay, across leaders', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(100);
  const register = (node: ClusterNode, bucketId: string, url: string | null = null) =>
    node.registerBucket({ bucketId, url });
  assert.equal(await register(a.node, 'bki_1'), -1, 'a cluster without a first bucket has no second');
  await a.node.claimBucket('bki_0');
  const same = ['bki_1', 'bki_2', 'bki_1', 'bki_0'].map((bucketId) => register(a.node, bucketId));
  assert.deepEqual(await Promise.all(same), [1, 2, 1, 0]);
  await register(a.node, 'bki_1', 'file:///one');
  const pair = { ingestion: 0, compaction: 1 };
  const claims = [pair, { ingestion: 1, compaction: 0 }].map((claimed) => a.node.claimBucketPair(claimed));
  assert.deepEqual(await Promise.all(claims), [pair, pair]);
  a.process.kill();
  await clock.pass(5_000);
  assert.deepEqual([await register(b.node, 'bki_2'), await register(b.node, 'bki_3')], [2, 3]);
  const facts = (await takeSnapshot(b.node)).records.flatMap(({ namespace, key, value }) =>
    namespace === 'clusterFact' ? [[key, value] as const] : [],
  );
  assert.deepEqual(
    readBuckets(new Map(facts)).map(({ number, bucketId, url }) => `${number} ${bucketId} ${url}`),
    ['0 bki_0 ', '1 bki_1 file:///one', '2 bki_2 ', '3 bki_3 '],
  );
  // While the cluster names a bucket, the pair may change.
  const other = { ingestion: 2, compaction: 1 };
  assert.deepEqual(await b.node.claimBucketPair(other), pair);
  const configs = { 'service.bucket.url': 'file:///one' };
  await b.node.execute({ kind: 'alterClusterConfigs', configs });
  assert.deepEqual(await b.node.claimBucketPair(other), other);
});

test('the shutdown lock of agents survives a failover', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  const lock = (node: ClusterNode, agentId: string, hasIt = false) =>
    node.lockShutdown({ agentId, group: 'g', hasIt });
  await clock.pass(shutdownLeaseMs);
  assert.deepEqual([await lock(a.node, 'x'), await lock(a.node, 'y')], [true, false]);
  a.process.kill();
  await clock.pass(4_000);
  assert.equal(b.node.role, 'leader');
  assert.deepEqual([await lock(b.node, 'y'), await lock(b.node, 'x', true)], [false, true]);
  await clock.pass(shutdownLeaseMs - 1);
  assert.equal(await lock(b.node, 'y'), false);
  await b.node.unlockShutdown('x');
  await clock.pass(4_001);
  assert.equal(await lock(b.node, 'y'), true);
});

test('the next leader knows the agents of the previous one, until the silence timeout', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await a.node.heartbeat(agent('x'));
  await a.node.heartbeat(agent('y'));
  await clock.pass(2_000);
  const { events } = follow(b.node);
  a.process.kill();
  await clock.pass(4_000);
  assert.deepEqual(ids((events[0] as ClusterSnapshot).agents), ['x', 'y']);
  const beat = async () => {
    await b.node.heartbeat(agent('y'));
    return ids(await b.node.listAgents());
  };
  assert.deepEqual(await beat(), ['x', 'y']);
  await clock.pass(agentSilenceMsMax - 1_000);
  assert.deepEqual(await beat(), ['y']);
});

test('a follower gets a snapshot in each term, and nothing after it unsubscribed', async () => {
  const { clock, start } = world();
  const { process, node } = start('a');
  await clock.pass(100);
  const topicId = await topicOf(node);
  const { events, stop } = follow(node);
  await node.commitFiles([file(1, topicId)]);
  process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(4_000);
  assert.equal(node.role, 'standby');
  process.faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };
  await clock.pass(1_000);
  assert.deepEqual(
    events.map((event) => (Array.isArray(event) ? 'changes' : 'snapshot')),
    ['snapshot', 'changes', 'snapshot'],
  );
  stop();
  await node.commitFiles([file(2, topicId)]);
  await settle();
  assert.equal(events.length, 3);
});

test('the standby takes the snapshots, and without one the leader does', async () => {
  for (const hasStandby of [true, false]) {
    const { clock, start, journal } = world();
    const a = start('a', { snapshotBytesMin: 1_000 });
    await clock.pass(100);
    const b = hasStandby ? start('b', { snapshotBytesMin: 1_000 }) : undefined;
    const topicId = await topicOf(a.node);
    for (let number = 0; number < 40; number++) {
      await a.node.commitFiles([file(number, topicId)]);
      await clock.pass(500);
    }
    assert.ok((await journal().snapshotPosition()) > 0);
    assert.equal(a.process.snapshotCount > 0, !hasStandby);
    a.process.kill();
    b?.process.kill();

    const c = start('c');
    await clock.pass(4_000);
    assert.equal(await nextOffset(c.node, topicId), 40);
  }
});

test('an unreadable snapshot is skipped for the previous one', async () => {
  const { clock, start, journal } = world();
  const a = start('a', { snapshotBytesMin: 500 });
  await clock.pass(100);
  const topicId = await topicOf(a.node);
  for (let number = 0; number < 40; number++) {
    await a.node.commitFiles([file(number, topicId)]);
    await clock.pass(500);
  }
  await a.node.stop();
  const broken = journal();
  const position = await broken.snapshotPosition();
  await broken.saveSnapshot(position + 1, [Buffer.from('not a snapshot')]);
  const b = start('b');
  await clock.pass(1_000);
  assert.equal(b.node.role, 'leader');
  assert.equal(await nextOffset(b.node, topicId), 40);
});

test('cluster time does not run backwards with the wall clock', async () => {
  const { clock, start } = world();
  let nowMs = 2_000_000;
  const skewed = {
    nowMs: () => nowMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs: number, run: () => void) => clock.after(delayMs, run),
  };
  const { node } = start('a', { clock: skewed });
  await clock.pass(100);
  const created = async (name: string) => {
    const topics = [{ name, partitionCount: 1, configs: {} }];
    const [result] = await node.createTopics(topics, { validateOnly: false });
    return result!.topic!.createdMs;
  };
  assert.equal(await created('first'), 2_000_000);
  nowMs = 1_000_000;
  assert.equal(await created('second'), 2_000_000);
});

test('node ids are assigned, survive failovers, and are reused by a restarted agent', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  await clock.pass(100);
  const at = (agentId: string, host: string) => ({ ...agent(agentId), nodeId: 2 ** 30, host });
  /** Sends a heartbeat and returns all agents. */
  const beat = async (node: ClusterNode, agentId: string, host: string) => {
    const answer = await node.heartbeat(at(agentId, host));
    const agents = (await node.listAgents()).map(({ agentId: id, nodeId }) => ({ agentId: id, nodeId }));
    assert.deepEqual(
      answer,
      agents.filter((listed) => listed.agentId === agentId),
    );
    return agents.map(({ agentId: id, nodeId }) => `${id} ${nodeId}`);
  };
  await Promise.all([a.node.heartbeat(at('x', 'x')), a.node.heartbeat(at('y', 'y'))]);
  assert.deepEqual(await beat(a.node, 'z', 'z'), ['x 1', 'y 2', 'z 3']);
  await clock.pass(2_000);
  a.process.kill();
  await clock.pass(5_000);
  assert.equal(b.node.role, 'leader');
  assert.deepEqual(await beat(b.node, 'y', 'y'), ['x 1', 'y 2', 'z 3']);
  // It died with the leader, and the list of the previous leader still has it under its first id.
  assert.deepEqual(await beat(b.node, 'x-again', 'x'), ['x-again 1', 'y 2', 'z 3']);
  assert.deepEqual(await beat(b.node, 'x', 'x'), ['x 4', 'x-again 1', 'y 2', 'z 3']);
});

test('agents that join concurrently get different node ids, also behind one address', async () => {
  const { clock, start } = world();
  const { node } = start('a');
  await clock.pass(100);
  const agents = ['x', 'y', 'z', 'x'].map((agentId) => node.heartbeat(agent(agentId)));
  await Promise.all(agents);
  const listed = await node.listAgents();
  assert.deepEqual(
    listed.map(({ agentId, nodeId }) => [agentId, nodeId]),
    [
      ['x', 1],
      ['y', 2],
      ['z', 3],
    ],
  );
});

test('a leader that was paused gives followers nothing before it knows whether it still leads', async () => {
  const { clock, start } = world();
  const a = start('a');
  await clock.pass(100);
  const b = start('b');
  const topicId = await topicOf(a.node);
  await a.node.commitFiles([file(1, topicId)]);
  a.process.pause();
  assert.ok(await clock.pass(60_000, () => b.node.role === 'leader'));
  await b.node.deleteRecords([{ topicId, partition: 0, offset: 1 }]);
  a.process.resume();
  const { events } = follow(a.node);
  await clock.pass(60_000);
  assert.deepEqual([a.node.role, events], ['standby', []]);

  // One that still leads does.
  b.process.pause();
  const { events: later } = follow(b.node);
  await clock.pass(1_000);
  b.process.resume();
  await clock.pass(60_000);
  assert.equal((later[0] as ClusterSnapshot).logStartOffset[0], 1);
});
