import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentDescription,
  agentSilenceMsMax,
  type ClusterChange,
  type ClusterSnapshot,
  readBuckets,
  type SeenAgent,
  shutdownLeaseMs,
  takeSnapshot,
} from '@weir/cluster';
import { agentDescription } from '@weir/cluster/testing';
import { settle } from '@weir/core/testing';
import { follow, leader, leaderAndStandby } from '../../testing/leader-stage.ts';
import type { ClusterNode } from './cluster-node.ts';

/** Agents, their node ids and locks, and buckets, across leaders. */

const ids = (agents: readonly AgentDescription[]) => agents.map(({ agentId }) => agentId);

test('agents join, change, fall silent and leave, and followers are notified', async () => {
  const { clock, node } = await leader();
  const { events } = follow(node);
  await node.heartbeat(agentDescription('y'));
  assert.deepEqual(await node.heartbeat(agentDescription('x')), [{ agentId: 'x', nodeId: 2 }]);
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
  await node.heartbeat(agentDescription('x', { cpuLoad: 0.5 }));
  assert.equal(agentLists().length, 2, 'a changed load alone sends no message');
  await clock.pass(2_000);
  assert.deepEqual(agentLists().slice(2), ['x:0.5 y:0', 'x:0.5']);
  await node.leave('x');
  await node.leave('unknown');
  await settle();
  assert.deepEqual(agentLists().slice(4), ['']);
});

test('agents are listed with their current loads and the age of their last heartbeat', async () => {
  const { clock, node } = await leader();
  await node.heartbeat(agentDescription('y'));
  await clock.pass(1_000);
  await node.heartbeat(agentDescription('x'));
  await node.heartbeat(agentDescription('y', { cpuLoad: 0.5 }));
  await clock.pass(500);
  await node.heartbeat(agentDescription('x', { cpuLoad: 0.7 }));
  const agesOf = (seen: readonly SeenAgent[]) =>
    seen.map(({ agentId, cpuLoad, lastSeenMs }) => [agentId, cpuLoad, clock.nowMs() - lastSeenMs]);
  assert.deepEqual(agesOf(await node.listAgents()), [
    ['x', 0.7, 0],
    ['y', 0.5, 500],
  ]);
});

test('a cluster retains the first claimed bucket across leaders', async () => {
  const { clock, a, b } = await leaderAndStandby(100);
  assert.equal(await a.node.claimBucket(null), null);
  const claims = ['bki_1', 'bki_2'].map((bucketId) => a.node.claimBucket(bucketId));
  assert.deepEqual(await Promise.all(claims), ['bki_1', 'bki_1']);
  a.process.kill();
  await clock.pass(5_000);
  assert.deepEqual([await b.node.claimBucket('bki_3'), await b.node.claimBucket(null)], ['bki_1', 'bki_1']);
});

test('buckets of a cluster have numbers that stay, across leaders', async () => {
  const { clock, a, b } = await leaderAndStandby(100);
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
  const { clock, a, b } = await leaderAndStandby(shutdownLeaseMs);
  const lock = (node: ClusterNode, agentId: string, hasIt = false) =>
    node.lockShutdown({ agentId, group: 'g', hasIt });
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
  const { clock, a, b } = await leaderAndStandby(0);
  await a.node.heartbeat(agentDescription('x'));
  await a.node.heartbeat(agentDescription('y'));
  await clock.pass(2_000);
  const { events } = follow(b.node);
  a.process.kill();
  await clock.pass(4_000);
  assert.deepEqual(ids((events[0] as ClusterSnapshot).agents), ['x', 'y']);
  const beat = async () => {
    await b.node.heartbeat(agentDescription('y'));
    return ids(await b.node.listAgents());
  };
  assert.deepEqual(await beat(), ['x', 'y']);
  await clock.pass(agentSilenceMsMax - 1_000);
  assert.deepEqual(await beat(), ['y']);
});

test('node ids are assigned, survive failovers, and are reused by a restarted agent', async () => {
  const { clock, a, b } = await leaderAndStandby(100);
  const at = (agentId: string, host: string) => ({ ...agentDescription(agentId), nodeId: 2 ** 30, host });
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
  const { node } = await leader();
  const agents = ['x', 'y', 'z', 'x'].map((agentId) => node.heartbeat(agentDescription(agentId)));
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
