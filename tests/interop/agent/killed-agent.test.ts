import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { lastFirst, startCluster, type WeirProcess } from '../brokers/weir-process.ts';

const bounded = { timeout: 240_000 };
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

async function connectTo(t: TestContext, agent: WeirProcess): Promise<TestClient> {
  const client = await TestClient.connect(portOf(agent));
  t.after(() => client.socket.destroy());
  return client;
}

function portOf(agent: WeirProcess): number {
  return Number(agent.address('Kafka').split(':').at(-1));
}

/** Node ids by port, from an agent's Metadata. */
async function brokersSeenBy(client: TestClient): Promise<Map<number, number>> {
  const { brokers } = await client.call('Metadata', 9, { topics: [] });
  return new Map(brokers.map(({ port, nodeId }) => [port, nodeId]));
}

/** Polls until the answer meets the condition. */
async function untilSeen(
  client: TestClient,
  isRight: (brokers: Map<number, number>) => boolean,
): Promise<Map<number, number>> {
  for (;;) {
    const brokers = await brokersSeenBy(client);
    if (isRight(brokers)) return brokers;
    await pause(20);
  }
}

/** Joins a classic group with a session that outlasts the test. */
async function join(client: TestClient) {
  const group = { groupId: 'g', groupInstanceId: null };
  const joined = await client.call('JoinGroup', 2, {
    ...{ groupId: 'g', sessionTimeoutMs: 240_000, rebalanceTimeoutMs: 240_000, memberId: '' },
    ...{ protocolType: 'consumer', protocols: [{ name: 'range', metadata: Buffer.from('m') }] },
  });
  assert.equal(joined.errorCode, 0);
  const { memberId, generationId } = joined;
  const assignments = [{ memberId, assignment: Buffer.from('all') }];
  const synced = await client.call('SyncGroup', 2, { ...group, memberId, generationId, assignments });
  assert.equal(synced.errorCode, 0);
  return async (through: TestClient) =>
    (await through.call('Heartbeat', 2, { ...group, memberId, generationId })).errorCode;
}

test(
  'a killed agent is not named any more, its members stay, and it comes back under its node id',
  bounded,
  async (t) => {
    const { agents, controlPlanes, addAgent } = await startCluster(lastFirst(t), {
      agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-a' }],
      controlPlanes: 1,
    });
    const [victim, other] = agents as [WeirProcess, WeirProcess];
    const port = portOf(victim);
    const observer = await connectTo(t, other);
    const before = await untilSeen(observer, ({ size }) => size === 3);
    assert.deepEqual([...before.values()].sort(), [1, 2, 3]);
    const heartbeat = await join(await connectTo(t, victim));

    const killedMs = systemClock.monotonicMs();
    await victim.kill();
    await untilSeen(observer, (brokers) => !brokers.has(port));
    t.diagnostic(`not named after ${Math.round(systemClock.monotonicMs() - killedMs)} ms`);
    // The agent was removed because its connection closed, and not because of missing heartbeats.
    while (!/removed agent without a connection from Metadata/.test(controlPlanes[0]!.output.err))
      await pause(20);
    assert.equal(await heartbeat(observer), 0, 'its member goes on through another agent, in its generation');

    const back = await addAgent({ zone: 'zone-a', flags: ['-kafkaPort', String(port)] });
    const after = await untilSeen(observer, (brokers) => brokers.has(port));
    assert.deepEqual(after, before);
    assert.equal(await heartbeat(await connectTo(t, back)), 0);
  },
);
