import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { type Lifetime, lastFirst, startCluster } from '../brokers/weir-process.ts';
import { pythonWith } from '../python/venv.ts';
import { SecretFiles } from '../security/secured.ts';

const { missing, python } = pythonWith('confluent-kafka');

const topic = 'orders';
const partitionCount = 4;
const [user, password] = ['alice', 'the password of alice'];

/** ADR 0231, with librdkafka, which logs in again every four seconds. */
test('with -enableRipcord, clients write and read while the control plane is dead, and nothing is lost', {
  skip: missing,
  timeout: 400_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const files = await SecretFiles.make(lifetime);
  const flags = [
    ...['-enableRipcord', '-enablePrometheusMetrics'],
    ...['-requireSASLAuthentication', '-connectionsMaxReauthMs', '4000'],
  ];
  const cluster = await startCluster(lifetime, {
    agents: [
      { zone: 'zone-a', flags },
      { zone: 'zone-a', flags },
    ],
    controlPlanes: 1,
    controlPlaneFlags: files.credentials([{ name: user, username: user, password, superuser: true }]),
  });
  const [first, second] = cluster.agents;
  const client = startClient(lifetime, cluster.agents.map((agent) => agent.address('Kafka')).join());

  await client.ask('create');
  assert.equal(await client.ask('write 10 before'), 10 * partitionCount);
  assert.deepEqual(await client.ask('read 40'), expected(['before', 10]));

  await cluster.controlPlanes[0]!.kill();
  // Longer than a leader gives leases.
  await new Promise<void>((resolve) => systemClock.after(20_000, resolve));
  assert.equal(await client.ask('write 50 during'), 50 * partitionCount, 'all are acknowledged');
  assert.deepEqual(await client.ask('read 40'), expected(['before', 10]), 'what is known is served');
  // What one agent has acknowledged is committed by the other, to which its clients go meanwhile.
  await first!.kill();
  assert.equal(await client.ask('write 20 later'), 20 * partitionCount, 'through the agent that lives');

  await cluster.restartControlPlane(0);
  const all = await client.ask<readonly (readonly string[])[]>(`read ${80 * partitionCount}`);
  const runs = [
    ['before', 10],
    ['during', 50],
    ['later', 20],
  ] as const;
  // What went through two agents may be in another order.
  for (const run of runs)
    assert.deepEqual(ofRun(all, run[0]), expected(run), `${run[0]}: once, and in order`);
  assert.equal(all.flat().length, 80 * partitionCount);
  assert.ok((await metric(second!.address('HTTP'), 'agent_ripcord_replayed_file')) > 0);
  assert.equal(await client.ask('write 5 after'), 5 * partitionCount);
});

function expected(
  ...runs: readonly (readonly [prefix: string, count: number])[]
): readonly (readonly string[])[] {
  return Array.from({ length: partitionCount }, (_, partition) =>
    runs.flatMap(([prefix, count]) => Array.from({ length: count }, (_, n) => `${prefix}/${partition}/${n}`)),
  );
}

function ofRun(values: readonly (readonly string[])[], prefix: string): readonly (readonly string[])[] {
  return values.map((ofPartition) => ofPartition.filter((value) => value.startsWith(`${prefix}/`)));
}

/** A program that does what it is asked to, one request after the other. */
function startClient(lifetime: Lifetime, brokers: string) {
  const program = join(import.meta.dirname, '../python/librdkafka_ripcord.py');
  // Without -B, Python would write compiled modules beside the sources.
  const args = ['-B', program, brokers, topic, String(partitionCount), user, password];
  const child = spawn(python!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  lifetime.after(async () => {
    child.kill('SIGKILL');
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async ask<Answer = unknown>(request: string): Promise<Answer> {
      child.stdin.write(`${request}\n`);
      const { value, done } = await lines.next();
      assert.ok(done !== true, `the client ended instead of answering ${request}`);
      return JSON.parse(value as string) as Answer;
    },
  };
}

/** The sum of a metric of an agent. */
async function metric(http: string, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', http))).text();
  const rows = text.split('\n').filter((row) => row.startsWith(`service_${name}`));
  return rows.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
}
