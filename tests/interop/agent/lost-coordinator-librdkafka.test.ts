import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { lastFirst, startCluster, type WeirProcess } from '../brokers/weir-process.ts';
import { pythonWith } from '../python/venv.ts';

const { missing, python } = pythonWith('confluent-kafka');
/** Each asks an agent of its choice for its coordinators; all of them hardly ever spare the one that is killed. */
const producerCount = 12;
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** librdkafka drops a broker that Metadata does not list, and waits for it if it coordinates a group (ADR 0084). */
test('librdkafka commits offsets in transactions after the coordinator of the group is lost', {
  skip: missing,
  timeout: 240_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const zone = 'zone-a';
  const { agents } = await startCluster(lifetime, {
    agents: [{ zone }, { zone }, { zone }],
    controlPlanes: 1,
  });
  const [victim, other, third] = agents as [WeirProcess, WeirProcess, WeirProcess];
  const observers = await Promise.all([other, third].map((agent) => TestClient.connect(portOf(agent))));
  lifetime.after(async () => {
    for (const { socket } of observers) socket.destroy();
  });
  const [observer] = observers as [TestClient, TestClient];
  await untilListed(observer, (ports) => new Set(ports).size === 3);
  const topic = { name: 'orders', numPartitions: 1, replicationFactor: 1 };
  const topics = [{ ...topic, assignments: [], configs: [] }];
  const created = await observer.call('CreateTopics', 5, { topics, timeoutMs: 30_000 });
  assert.equal(created.topics[0]!.errorCode, 0);

  const program = join(import.meta.dirname, '../python/librdkafka_lost_coordinator.py');
  // Without -B, Python would write compiled modules beside the sources.
  const args = ['-B', program, other.address('Kafka'), 'orders', String(producerCount)];
  const child = spawn(python!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  lifetime.after(async () => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');

  await victim.kill();
  for (const agent of observers) await untilListed(agent, (ports) => !ports.includes(portOf(victim)));
  child.stdin.write('\n');
  const results = JSON.parse((await lines.next()).value as string) as string[];
  assert.deepEqual(results, new Array(producerCount).fill('done'));
  await ended;
});

function portOf(agent: WeirProcess): number {
  return Number(agent.address('Kafka').split(':').at(-1));
}

async function untilListed(
  client: TestClient,
  isRight: (ports: readonly number[]) => boolean,
): Promise<void> {
  for (;;) {
    const { brokers } = await client.call('Metadata', 9, { topics: [] });
    if (isRight(brokers.map(({ port }) => port))) return;
    await pause(20);
  }
}
