import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { listeningAgent } from './test-listener.ts';

test('kafkajs administers topics', async (t) => {
  const { broker, cluster } = await listeningAgent(t);
  const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  t.after(() => admin.disconnect());

  const orders = {
    topic: 'orders',
    numPartitions: 3,
    replicationFactor: 3,
    configEntries: [{ name: 'retention.ms', value: '60000' }],
  };
  assert.equal(
    await admin.createTopics({ topics: [orders, { topic: 'other' }], waitForLeaders: true }),
    true,
  );
  assert.equal(await admin.createTopics({ topics: [orders] }), false, 'it exists already');
  assert.equal(
    await admin.createTopics({ topics: [{ topic: 'imagined' }], validateOnly: true, waitForLeaders: false }),
    true,
  );
  assert.deepEqual((await admin.listTopics()).sort(), ['orders', 'other']);

  const { topics } = await admin.fetchTopicMetadata({ topics: ['orders'] });
  assert.equal(topics[0]!.name, 'orders');
  assert.deepEqual(topics[0]!.partitions.map(({ partitionId }) => partitionId).sort(), [0, 1, 2]);
  const { brokers, controller, clusterId } = await admin.describeCluster();
  assert.equal(clusterId, 'vci_test');
  assert.equal(controller, brokers[0]!.nodeId);
  assert.ok(
    topics[0]!.partitions.every(({ leader, replicas }) => leader === controller && replicas.length === 1),
  );

  await admin.createPartitions({ topicPartitions: [{ topic: 'orders', count: 5 }] });
  const grown = await admin.fetchTopicMetadata({ topics: ['orders'] });
  assert.equal(grown.topics[0]!.partitions.length, 5);

  await admin.deleteTopics({ topics: ['orders', 'other'] });
  assert.deepEqual(await admin.listTopics(), []);
  await assert.rejects(admin.fetchTopicMetadata({ topics: ['not allowed'] }), /invalid topic/i);
  assert.equal(cluster.calls.deleteTopics, 1);
});
