import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { codeOf, TestClient } from '../../../packages/broker/testing/test-client.ts';
import { lastFirst, startCluster } from '../brokers/weir-process.ts';
import { pythonWith } from '../python/venv.ts';

const { missing, python } = pythonWith('confluent-kafka');

/** By when agents answer without a control plane: before clients with default settings give up. */
const joinMsMax = 6_000;
const otherMsMax = 10_000;

/** What agents do while no control plane leads: ADR 0175. */
test('without its control plane, an agent answers groups and stays ready', {
  skip: missing,
  timeout: 300_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const { agents, controlPlanes } = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }],
    controlPlanes: 1,
  });
  const [agent, controlPlane] = [agents[0]!, controlPlanes[0]!];
  const port = Number(agent.address('Kafka').split(':').at(-1));
  const client = await TestClient.connect(port);
  const waiting = await TestClient.connect(port);
  lifetime.after(async () => {
    for (const { socket } of [client, waiting]) socket.destroy();
  });
  const topic = { name: 'orders', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  await client.call('CreateTopics', 5, { topics: [topic], timeoutMs: 30_000 });

  const program = join(import.meta.dirname, '../python/librdkafka_absent_control_plane.py');
  // Without -B, Python would write compiled modules beside the sources.
  const args = ['-B', program, agent.address('Kafka'), 'orders'];
  const child = spawn(python!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  lifetime.after(async () => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  // The second member waits for the first, which never joins again.
  const first = await client.call('JoinGroup', 2, joining(''));
  waiting.send('JoinGroup', 2, joining(''));

  process.kill(controlPlane.pid, 'SIGSTOP');
  const sinceMs = systemClock.monotonicMs();
  lifetime.after(async () => {
    process.kill(controlPlane.pid, 'SIGCONT');
  });
  assert.equal(
    (await waiting.receive('JoinGroup', 2)).body.errorCode,
    codeOf('COORDINATOR_LOAD_IN_PROGRESS'),
  );
  assertWithin(sinceMs, joinMsMax, 'JoinGroup');
  const { generationId, memberId } = first;
  const member = { groupId: 'members', generationId, memberId };
  for (const round of ['at first', 'later']) {
    const askedMs = systemClock.monotonicMs();
    const synced = client.call('SyncGroup', 2, { ...member, assignments: [] });
    const beaten = waiting.call('Heartbeat', 2, member);
    const sync = await synced;
    assertWithin(askedMs, joinMsMax, `SyncGroup, ${round}`);
    const answers = [sync, await beaten];
    assertWithin(askedMs, otherMsMax, `Heartbeat, ${round}`);
    for (const { errorCode } of answers)
      assert.equal(errorCode, codeOf('COORDINATOR_LOAD_IN_PROGRESS'), round);
  }
  await until(async () => (await readiness(agent.address('HTTP'))) === '200 OK: control plane unavailable');

  process.kill(controlPlane.pid, 'SIGCONT');
  await until(async () => (await readiness(agent.address('HTTP'))) === '200 OK');
  child.stdin.write('\n');
  assert.deepEqual(JSON.parse((await lines.next()).value as string), ['after']);
  await ended;
});

function assertWithin(sinceMs: number, msMax: number, what: string): void {
  const tookMs = systemClock.monotonicMs() - sinceMs;
  assert.ok(tookMs <= msMax, `${what} was answered after ${Math.round(tookMs)} ms, more than ${msMax}`);
}

function joining(memberId: string) {
  return {
    groupId: 'members',
    memberId,
    sessionTimeoutMs: 60_000,
    rebalanceTimeoutMs: 300_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.from([0]) }],
  };
}

async function readiness(http: string): Promise<string> {
  const response = await fetch(new URL('/v1/ready', http));
  return `${response.status} ${await response.text()}`;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise<void>((resolve) => systemClock.after(200, resolve));
}
