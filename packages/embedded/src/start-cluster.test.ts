import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { test } from 'node:test';
import { withCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { startCluster, type TestCluster, type TestClusterOptions, useCluster } from './index.ts';

type Place = NonNullable<TestClusterOptions['runs']>;
const places: readonly Place[] = ['child', 'here'];

/** The partitions of topics, as a Kafka client sees them. */
async function partitionsOf({ bootstrapServers }: TestCluster): Promise<Record<string, number>> {
  const [host, port] = bootstrapServers.split(':');
  const options = {
    bootstrap: [{ host: host!, port: Number(port) }] as [{ host: string; port: number }],
    clientId: 'test',
    timeoutMs: 30_000,
    clock: systemClock,
    stop: new AbortController().signal,
  };
  return await withCluster(options, async (cluster) => {
    const { topics } = await cluster.metadata('all');
    return Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]));
  });
}

async function isListening({ bootstrapServers }: { bootstrapServers: string }): Promise<boolean> {
  const [host, port] = bootstrapServers.split(':');
  return await new Promise((resolve) => {
    const socket = connect({ host: host!, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

for (const runs of places) {
  test(`a cluster (${runs}) has its topics and schemas, and ends with its block`, async () => {
    let bootstrapServers: string;
    {
      await using cluster = await startCluster({
        runs,
        topics: { orders: { partitions: 3, configs: { 'cleanup.policy': 'compact' } }, payments: {} },
        schemas: { 'orders-value': { schema: { type: 'string' } } },
      });
      ({ bootstrapServers } = cluster);
      assert.deepEqual(await partitionsOf(cluster), { orders: 3, payments: 1 });
      const found = await fetch(`${cluster.schemaRegistryUrl}/subjects`);
      assert.deepEqual(await found.json(), ['orders-value']);
      assert.equal(cluster.environment.KAFKA_BOOTSTRAP_SERVERS, bootstrapServers);
      const answer = await fetch(`${cluster.apiUrl}/api/v1/list_virtual_clusters`, {
        method: 'POST',
        headers: { 'service-api-key': cluster.apiKey, 'content-type': 'application/json' },
        body: '{}',
      });
      assert.equal(answer.status, 200);
      await Promise.all([cluster.stop(), cluster.stop()]);
    }
    assert.equal(await isListening({ bootstrapServers }), false);
  });

  test(`clusters (${runs}) of one process have ports of their own`, async () => {
    await using one = await startCluster({ runs, topics: ['one'] });
    await using two = await startCluster({ runs, topics: ['two'] });
    assert.deepEqual(await partitionsOf(one), { one: 1 });
    assert.deepEqual(await partitionsOf(two), { two: 1 });
  });

  test(`what a cluster (${runs}) refuses is one line, and nothing stays behind`, async () => {
    const cases: readonly [TestClusterOptions, RegExp][] = [
      [
        { flags: ['-batchTimeot', '1s'] },
        /failed to start a cluster: .*unknown flag; did you mean -batchTimeout/,
      ],
      [{ topics: { 'a/b': {} } }, /a\/b/],
      [{ topics: { orders: { configs: { 'no.such.config': '1' } } } }, /no\.such\.config/],
      [{ schemas: { s: { schema: '{' } } }, /schema of subject s: .*error_code/],
    ];
    for (const [options, message] of cases) await assert.rejects(startCluster({ runs, ...options }), message);
  });
}

test('a cluster ends with the process that started it, also if that is killed', async () => {
  const source = [
    `import { startCluster } from ${JSON.stringify(import.meta.resolve('./index.ts'))};`,
    'const { bootstrapServers } = await startCluster();',
    'console.log(bootstrapServers);',
    'await new Promise((resolve) => process.stdin.once("end", resolve).resume());',
  ];
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source.join('\n')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await owner.stdout.setEncoding('utf8').take(1).toArray();
  const bootstrapServers = String(line).trim();
  assert.equal(await isListening({ bootstrapServers }), true);
  owner.kill('SIGKILL');
  while (await isListening({ bootstrapServers })) await pause();
});

test('hooks of a runner start and stop it, and before it is started nobody can ask where it is', async () => {
  for (const style of ['node:test', 'vitest and jest']) {
    const hooks: (() => Promise<void>)[] = [];
    const add = (hook: () => Promise<void>) => hooks.push(hook);
    const cluster = useCluster(
      style === 'node:test' ? { before: add, after: add } : { beforeAll: add, afterAll: add },
    );
    assert.throws(() => cluster.bootstrapServers, /runs once the first test does/);
    const [start, stop] = hooks;
    await start!();
    const { bootstrapServers } = cluster;
    assert.equal(await isListening({ bootstrapServers }), true);
    await stop!();
    assert.equal(await isListening({ bootstrapServers }), false);
  }
});
