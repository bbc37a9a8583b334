import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

const nothing = {
  records: 0,
  bytes: 0,
  topic_count: 0,
  topics: [],
  deleted_topic_count: 0,
  deleted_topic_bytes: 0,
  is_complete: true,
};

/** The records of these tests are years old. */
async function keepForEver(testApi: TestClusterApi): Promise<void> {
  const broker_configs = { 'log.retention.ms': '-1' };
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { broker_configs },
  });
}

test('a dry run says what a topic loses, and the change itself does not', async (t) => {
  const testApi = await openTestClusterApi(t);
  await keepForEver(testApi);
  const topicId = await testApi.addTopic('orders', 2);
  for (const partition of [0, 1, 1]) await testApi.write(topicId, partition, 5);
  const dryRun = async (configs: Record<string, string | null>) =>
    (await testApi.call('update_topic', { topic_name: 'orders', configs, validate_only: true }))
      .deletion_estimate;
  assert.deepEqual(await dryRun({ 'retention.bytes': '100' }), {
    ...nothing,
    records: 5,
    bytes: 100,
    topic_count: 1,
    topics: [{ name: 'orders', records: 5, bytes: 100 }],
  });
  assert.deepEqual(await dryRun({ 'retention.bytes': '200' }), nothing);
  assert.deepEqual(await dryRun({ 'segment.ms': '5' }), nothing);
  assert.deepEqual(await dryRun({}), nothing);
  const made = await testApi.call('update_topic', {
    topic_name: 'orders',
    configs: { 'retention.bytes': '100' },
  });
  assert.deepEqual(made, {});
  assert.equal((await dryRun({ 'retention.bytes': '0' }))!.records, 10, 'what is due anyway does not count');
});

test('a dry run of the cluster names the topics that lose the most', async (t) => {
  const testApi = await openTestClusterApi(t);
  await keepForEver(testApi);
  for (let number = 1; number <= 12; number++) {
    const topicId = await testApi.addTopic(`t${String(number).padStart(2, '0')}`);
    await testApi.write(topicId, 0, 5);
  }
  await testApi.call('update_topic', { topic_name: 't01', configs: { 'retention.bytes': '1000' } });
  const largest = await testApi.call('describe_topic', { topic_name: 't12' });
  await testApi.write(largest.topic_id, 0, 5);
  const dryRun = async (broker_configs: Record<string, string>) => {
    const input = { virtual_cluster_configuration: { broker_configs }, validate_only: true };
    return (await testApi.call('update_virtual_cluster_configuration', input)).deletion_estimate!;
  };
  const estimate = await dryRun({ 'log.retention.bytes': '0' });
  assert.deepEqual(
    [estimate.records, estimate.bytes, estimate.topic_count, estimate.topics.length],
    [60, 1200, 11, 10],
  );
  assert.deepEqual(estimate.topics[0], { name: 't12', records: 10, bytes: 200 });
  assert.deepEqual(await dryRun({ 'num.partitions': '4' }), nothing);

  await testApi.call('delete_topic', { topic_name: 't12' });
  assert.deepEqual(await dryRun({ 'service.soft.delete.topic.enable': 'false' }), {
    ...nothing,
    deleted_topic_count: 1,
    deleted_topic_bytes: 200,
  });
  assert.deepEqual(await dryRun({ 'service.soft.delete.topic.ttl.ms': '3600000' }), nothing);
});
