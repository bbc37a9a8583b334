import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';
import { configAudit } from './config-audit.ts';

const texts = (changes: readonly { name: string; before: string | null; after: string | null }[]) =>
  changes.map(({ name, before, after }) => `${name}: ${before ?? 'none'} -> ${after ?? 'none'}`);

test('operations report what they changed, before and after', async (t) => {
  const api = await openTestClusterApi(t);
  await api.call('create_topic', {
    topic_name: 'orders',
    partition_count: 2,
    configs: { 'retention.ms': '1000' },
  });
  await api.call('update_topic', {
    topic_name: 'orders',
    partition_count: 3,
    configs: { 'retention.ms': '2000', 'max.message.bytes': '2000' },
  });
  await api.call('update_topic', { topic_name: 'orders', configs: { 'retention.ms': '2000' } });
  await api.call('update_topic', { topic_name: 'orders', configs: { 'retention.ms': null } });
  await api.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
  const acl = {
    resource_type: 'TOPIC',
    resource_name: 'orders',
    pattern_type: 'LITERAL',
    principal: 'User:shop',
    host: '*',
    operation: 'READ',
    permission_type: 'ALLOW',
  } as const;
  await api.call('virtual_clusters/acls/create', { acl });
  await api.call('virtual_clusters/acls/delete', { acls: [acl] });
  assert.deepEqual(texts(api.changes), [
    'partitions: none -> 2',
    'retention.ms: none -> 1000',
    'retention.ms: 1000 -> 2000',
    'max.message.bytes: none -> 2000',
    'partitions: 2 -> 3',
    'retention.ms: 2000 -> none',
    'service.acls.enabled: none -> true',
    'acl: none -> TOPIC orders: ALLOW READ for User:shop from *',
    'acl: TOPIC orders: ALLOW READ for User:shop from * -> none',
  ]);
});

test('a reset of offsets reports the old and the new offset of each partition', async (t) => {
  const api = await openTestClusterApi(t);
  const topicId = await api.addTopic('orders', 2);
  await api.write(topicId, 0, 10);
  const offset = { topicId, partition: 0, offset: 7, leaderEpoch: -1, metadata: '' };
  const noMember = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionMs: -1 };
  await api.node.commitOffsets([{ ...noMember, groupId: 'shop', offsets: [offset] }]);
  await api.call('reset_consumer_group_offsets', { group: 'shop', to: 'latest', topics: ['orders'] });
  assert.deepEqual(texts(api.changes), ['orders/0: 7 -> 10', 'orders/1: none -> 0']);
});

test('secrets are hidden', () => {
  const change = { name: 'service.bucket.url', operation: 'set', value: 's3://bucket?secret=x' } as const;
  assert.deepEqual(configAudit('cluster', [change], {}), [
    { name: 'service.bucket.url', before: null, after: '(hidden)' },
  ]);
});
