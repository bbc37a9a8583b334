import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@weir/api';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

test('a topic is created, listed, described, changed and deleted', async (t) => {
  const testApi = await openTestClusterApi(t);
  const named = { topic_name: 'orders' };
  await testApi.call('create_topic', {
    ...named,
    partition_count: 2,
    configs: { 'retention.ms': '1000', 'cleanup.policy': null },
  });
  await testApi.addTopic('a_first_one');
  const { topics, recently_deleted_topics } = await testApi.call('list_topics', {});
  assert.equal(recently_deleted_topics, null);
  assert.deepEqual(
    topics.map(({ name, shard_count, retention }) => [name, shard_count, retention]),
    [
      ['a_first_one', 1, 86_400_000_000_000],
      ['orders', 2, 1_000_000_000],
    ],
  );

  const before = await testApi.call('describe_topic', named);
  assert.equal(before.partition_count, 2);
  assert.equal(before.configs['retention.ms'], '1000');
  assert.equal(before.configs['cleanup.policy'], 'delete');
  await testApi.write(before.topic_id, 1, 5);
  const [, listed] = (await testApi.call('list_topics', {})).topics;
  assert.deepEqual(
    [listed!.uncompressed_size_hint, listed!.record_count, listed!.cleanup_policy, listed!.is_internal],
    [100, 5, 'delete', false],
  );

  await testApi.call('update_topic', { ...named, partition_count: 3, configs: { 'retention.ms': null } });
  await testApi.call('update_topic', { ...named, partition_count: 3 });
  const after = await testApi.call('describe_topic', named);
  assert.deepEqual([after.partition_count, after.configs['retention.ms']], [3, '86400000']);
  assert.deepEqual([after.record_count, after.size_bytes], [5, 100]);

  await testApi.call('delete_topic', named);
  assert.deepEqual(await testApi.refusal('describe_topic', named), ['not_found', 'Topic orders not found.']);
});

test('topics are listed in pages, by a part of their names and in an order', async (t) => {
  const testApi = await openTestClusterApi(t);
  const sizes = { b: 2, c: 1, a: 3, B2: 1 };
  for (const [name, partitions] of Object.entries(sizes)) await testApi.addTopic(name, partitions);
  const { topic_id } = await testApi.call('describe_topic', { topic_name: 'c' });
  await testApi.write(topic_id, 0, 5);
  const named = async (body: object) => {
    const { topics, topic_count, matching_count } = await testApi.call('list_topics', { limit: 10, ...body });
    return [topics.map(({ name }) => name).join(' '), matching_count, topic_count];
  };
  assert.deepEqual(await named({}), ['B2 a b c', 4, 4]);
  assert.deepEqual(await named({ skip: 1, limit: 2 }), ['a b', 4, 4]);
  assert.deepEqual(await named({ query: 'b', descending: true }), ['b B2', 2, 4]);
  assert.deepEqual(await named({ sort_by: 'partitions', descending: true }), ['a b B2 c', 4, 4]);
  assert.deepEqual(await named({ sort_by: 'size', descending: true, limit: 1 }), ['c', 4, 4]);
  assert.deepEqual(await named({ sort_by: 'records', descending: true, limit: 2 }), ['c B2', 4, 4]);
  assert.deepEqual(await named({ sort_by: 'created', limit: 0 }), ['', 4, 4]);
  assert.deepEqual(await named({ sort_by: 'retention' }), ['B2 a b c', 4, 4]);
  const all = await testApi.call('list_topics', {});
  assert.deepEqual([all.topics.length, all.topic_count, all.matching_count], [4, undefined, undefined]);
});

test('a call that only validates changes nothing, and refuses what the call would', async (t) => {
  const testApi = await openTestClusterApi(t);
  const named = { topic_name: 'orders', validate_only: true };
  await testApi.call('create_topic', { ...named, partition_count: 2 });
  assert.deepEqual((await testApi.call('list_topics', {})).topics, []);
  await testApi.addTopic('orders', 2);
  assert.equal(
    (await testApi.refusal('create_topic', { ...named, partition_count: 2 }))[0],
    'topic_already_exists',
  );
  await testApi.call('update_topic', { ...named, partition_count: 4, configs: { 'retention.ms': '5' } });
  const after = await testApi.call('describe_topic', { topic_name: 'orders' });
  assert.deepEqual([after.partition_count, after.set_configs], [2, []]);
  const [code] = await testApi.refusal('update_topic', { ...named, configs: { 'retention.ms': 'x' } });
  assert.equal(code, 'invalid_topic_config');
});

test('unlimited is returned as -1, and values beyond exact numbers as 64-bit integers', async (t) => {
  const testApi = await openTestClusterApi(t);
  for (const [name, retention] of [
    ['ever', '-1'],
    ['long', '9007199255'],
    ['longest', '9223372036854775807'],
  ] as const)
    await testApi.call('create_topic', {
      topic_name: name,
      partition_count: 1,
      configs: { 'retention.ms': retention },
    });
  const { topics } = await testApi.call('list_topics', {});
  assert.deepEqual(
    topics.map(({ retention }) => retention),
    [-1, 9_007_199_255_000_000n, 2n ** 63n - 1n],
  );
});

test('a deleted topic is restored with its records, by its name or by its id', async (t) => {
  const testApi = await openTestClusterApi(t);
  const first = await testApi.addTopic('orders', 2);
  await testApi.write(first, 1, 7);
  await testApi.call('delete_topic', { topic_name: 'orders', soft_delete: true });
  const second = await testApi.addTopic('orders');
  await testApi.call('delete_topic', { topic_name: 'orders' });
  const listDeleted = async () => {
    const list = await testApi.call('list_topics', { include_recently_deleted: true });
    return list.recently_deleted_topics!;
  };
  const deleted = await listDeleted();
  assert.deepEqual(new Set(deleted.map(({ id }) => id)), new Set([first, second]));
  for (const { deleted_at, restorable_until } of deleted)
    assert.equal(Date.parse(restorable_until) - Date.parse(deleted_at), 86_400_000);

  await testApi.call('undelete_topic', { topic_id: first });
  const [answer] = await testApi.node.findBatches([{ topicId: first, partition: 1, offset: 0, bytesMax: 1 }]);
  assert.equal(answer!.nextOffset, 7);
  assert.deepEqual(
    (await listDeleted()).map(({ id }) => id),
    [second],
  );
  const [code, message] = await testApi.refusal('undelete_topic', { topic_name: 'orders' });
  assert.equal(code, 'not_restorable');
  assert.match(message, /^Another topic named orders exists now/);
  await testApi.call('delete_topic', { topic_name: 'orders', soft_delete: false });
  await testApi.call('undelete_topic', { topic_name: 'orders' });
  assert.equal((await testApi.call('describe_topic', { topic_name: 'orders' })).topic_id, second);
  assert.deepEqual(await listDeleted(), []);
});

type Refusal = [
  what: string,
  call: (testApi: TestClusterApi) => Promise<[ErrorCode, string]>,
  code: ErrorCode,
  pattern: RegExp,
];

const refusals: Refusal[] = [
  [
    'an existing topic',
    (testApi) => testApi.refusal('create_topic', { topic_name: 'orders', partition_count: 1 }),
    'topic_already_exists',
    /orders/,
  ],
  [
    'a name that collides in metrics',
    (testApi) => testApi.refusal('create_topic', { topic_name: 'dot_ted', partition_count: 1 }),
    'topic_already_exists',
    /collides with dot\.ted/,
  ],
  [
    'an unknown config of the service',
    (testApi) =>
      testApi.refusal('create_topic', {
        topic_name: 'x',
        partition_count: 1,
        configs: { 'service.unheard.of': '1' },
      }),
    'invalid_topic_config',
    /service\.unheard\.of/,
  ],
  [
    'a value that a config cannot have',
    (testApi) =>
      testApi.refusal('update_topic', { topic_name: 'orders', configs: { 'retention.ms': 'soon' } }),
    'invalid_topic_config',
    /retention\.ms=soon/,
  ],
  [
    'a topic that is to be compacted',
    (testApi) =>
      testApi.refusal('update_topic', { topic_name: 'orders', configs: { 'cleanup.policy': 'compact' } }),
    'compaction_change',
    /cannot be made compacted/,
  ],
  [
    'a compacted topic that is not to be',
    (testApi) =>
      testApi.refusal('update_topic', { topic_name: 'keys', configs: { 'cleanup.policy': 'delete' } }),
    'compaction_change',
    /cannot be made non-compacted/,
  ],
  [
    'fewer partitions',
    (testApi) => testApi.refusal('update_topic', { topic_name: 'orders', partition_count: 1 }),
    'invalid_request',
    /2/,
  ],
  [
    'a change of an unknown topic',
    (testApi) => testApi.refusal('update_topic', { topic_name: 'none', partition_count: 1 }),
    'not_found',
    /none/,
  ],
  [
    'a protected topic',
    (testApi) => testApi.refusal('delete_topic', { topic_name: 'keys' }),
    'deletion_protected',
    /deletion protection enabled/,
  ],
  [
    'a protected topic, permanently',
    (testApi) => testApi.refusal('delete_topic', { topic_name: 'keys', soft_delete: false }),
    'deletion_protected',
    /deletion protection enabled/,
  ],
  [
    'an unknown topic',
    (testApi) => testApi.refusal('delete_topic', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'a restore of an unknown topic',
    (testApi) => testApi.refusal('undelete_topic', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'a restore by an unknown id',
    (testApi) => testApi.refusal('undelete_topic', { topic_id: 'abc' }),
    'not_found',
    /abc/,
  ],
  [
    'topics of a schema registry',
    (testApi) => testApi.refusal('list_topics', { virtual_cluster_id: 'vci_sr_test' }),
    'unsupported_cluster_type',
    /type/,
  ],
];

test('refusals, with their codes and messages', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders', 2);
  await testApi.addTopic('dot.ted');
  await testApi.call('create_topic', {
    topic_name: 'keys',
    partition_count: 1,
    configs: { 'cleanup.policy': 'compact', 'service.deletion.protection.enabled': 'true' },
  });
  for (const [what, call, code, pattern] of refusals) {
    await t.test(what, async () => {
      const [given, message] = await call(testApi);
      assert.equal(given, code);
      assert.match(message, pattern);
    });
  }
});

test('an error in one half of a change leaves the other half unchanged', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders', 2);
  const named = { topic_name: 'orders' };
  await testApi.refusal('update_topic', { ...named, partition_count: 1, configs: { 'retention.ms': '5' } });
  await testApi.refusal('update_topic', { ...named, partition_count: 4, configs: { 'retention.ms': 'x' } });
  const { partition_count, configs } = await testApi.call('describe_topic', named);
  assert.deepEqual([partition_count, configs['retention.ms']], [2, '86400000']);
});

test('a cluster without soft delete refuses a soft delete', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders');
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { broker_configs: { 'service.soft.delete.topic.enable': 'false' } },
  });
  const [code, message] = await testApi.refusal('delete_topic', { topic_name: 'orders', soft_delete: true });
  assert.equal(code, 'invalid_request');
  assert.match(message, /service\.soft\.delete\.topic\.enable is false/);
  await testApi.call('delete_topic', { topic_name: 'orders' });
  const { recently_deleted_topics } = await testApi.call('list_topics', { include_recently_deleted: true });
  assert.deepEqual(recently_deleted_topics, []);
});

test('a cluster without a leader is unavailable, not broken', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.node.stop();
  const [code] = await testApi.refusal('create_topic', { topic_name: 'x', partition_count: 1 });
  assert.equal(code, 'unavailable');
});

test('internal topics are not listed, and cannot be changed', async (t) => {
  const testApi = await openTestClusterApi(t);
  const named = { topic_name: '__service_events_acl_logs' };
  await testApi.addTopic(named.topic_name);
  assert.deepEqual((await testApi.call('list_topics', {})).topics, []);
  assert.equal((await testApi.call('describe_topic', named)).partition_count, 1);
  const refusals = [
    await testApi.refusal('create_topic', { topic_name: '__service_x', partition_count: 1, configs: {} }),
    await testApi.refusal('update_topic', { ...named, configs: { 'retention.ms': '1' } }),
    await testApi.refusal('delete_topic', named),
  ];
  for (const [code, message] of refusals) {
    assert.equal(code, 'invalid_request');
    assert.match(message, /belongs to the service/);
  }
});
