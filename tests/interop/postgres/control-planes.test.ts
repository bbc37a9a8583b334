import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@weir/api';
import { Kafka, logLevel } from 'kafkajs';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { leaderOf } from '../brokers/leader-of.ts';
import { untilSucceeds } from '../brokers/waiting.ts';
import { startWeir } from '../brokers/weir-process.ts';
import { postgresStage } from './control-plane.ts';

/**
 * A whole installation as an operator sets it up: two control planes on one PostgreSQL, the first user through the
 * printed link, clusters and keys through the API of either process, agents configured only with their key, and a
 * third-party client that writes.
 */
test('two control planes on PostgreSQL share an installation and take over from each other', {
  timeout: 300_000,
}, async (t: TestContext) => {
  const stage = await postgresStage(t);
  if (stage === undefined) return;
  const { lifetime, folder, start } = stage;
  const planes = [await start('one'), await start('two')];
  const [one, two] = planes.map((plane) => plane.address('control plane')) as [string, string];

  const cookie = await signUpFirstUser(planes[0]!);
  const clients = [one, two].map((baseUrl) =>
    createClient({ baseUrl, fetch, headers: { cookie, origin: baseUrl } }),
  );
  const [byOne, byTwo] = clients as [Client, Client];
  const made = await byTwo.call('create_virtual_cluster', { virtual_cluster_name: 'orders' });
  const cluster = { virtual_cluster_id: made.virtual_cluster_id };
  await byOne.call('create_topic', { ...cluster, topic_name: 'orders', partition_count: 2, configs: {} });

  const bucketOf = (name: string) => pathToFileURL(join(folder, name)).href;
  await byTwo.call('update_virtual_cluster_configuration', {
    ...cluster,
    virtual_cluster_configuration: { bucket_url: bucketOf('of-the-cluster') },
  });
  const agent = await startWeir(
    [
      ...['agent', '-metadataURL', `${one},${two}`],
      ...['-defaultVirtualClusterID', made.virtual_cluster_id, '-agentKey', made.agent_key!.key],
      ...['-bucketURL', bucketOf('of-the-agent'), '-availabilityZone', 'zone-a'],
      ...['-allowedBucketURLs', bucketOf('of-the-cluster')],
      ...['-kafkaPort', '0', '-httpPort', '0', '-bindAddress', '127.0.0.1'],
      ...['-gracefulShutdownDuration', '5s'],
    ],
    ['Kafka', 'HTTP'],
  );
  lifetime.after(() => agent.stop());
  const kafka = new Kafka({ brokers: [agent.address('Kafka')], logLevel: logLevel.NOTHING });
  await produce(kafka, ['first', 'second']);
  const files = readdirSync(join(folder, 'of-the-cluster'));
  assert.ok(files.length > 0, 'the bucket of the cluster goes before that of the agent');
  for (const client of clients) {
    const { agents } = await client.call('list_agents', cluster);
    assert.deepEqual(
      agents.map(({ zone }) => zone),
      ['zone-a'],
      'both tell the same of an agent, whichever leads',
    );
    const { topics } = await client.call('list_topics', cluster);
    assert.deepEqual(
      topics.map(({ name, shard_count }) => ({ name, shard_count })),
      [{ name: 'orders', shard_count: 2 }],
    );
  }

  const leader = await leaderOf(planes, made.virtual_cluster_id);
  await planes[leader]!.kill();
  const survivor = clients[1 - leader]!;
  await untilSucceeds(() =>
    survivor.call('create_topic', { ...cluster, topic_name: 'later', partition_count: 1, configs: {} }),
  );
  await produce(kafka, ['third']);
  const { partition_count } = await survivor.call('describe_topic', { ...cluster, topic_name: 'later' });
  assert.equal(partition_count, 1);
  assert.deepEqual(await consume(kafka, 3), ['first', 'second', 'third']);
  const { entries } = await survivor.call('search_audit_log', {});
  const operations = entries.map(({ operation }) => operation);
  assert.ok(
    operations.includes('setup') && operations.includes('create_virtual_cluster'),
    String(operations),
  );
});

type Client = ReturnType<typeof createClient>;

async function produce(kafka: Kafka, values: readonly string[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  for (const value of values) await producer.send({ topic: 'orders', messages: [{ value, partition: 0 }] });
  await producer.disconnect();
}

async function consume(kafka: Kafka, count: number): Promise<string[]> {
  const consumer = kafka.consumer({ groupId: 'readers' });
  await consumer.connect();
  await consumer.subscribe({ topic: 'orders', fromBeginning: true });
  const values: string[] = [];
  await new Promise<void>((resolve) => {
    void consumer.run({
      eachMessage: async ({ message }) => {
        values.push(String(message.value));
        if (values.length === count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return values;
}
