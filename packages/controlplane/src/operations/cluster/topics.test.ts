import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@weir/api';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

test('a topic is made, listed, described, changed and deleted', async (t) => {
  const desk = await openTestClusterApi(t);
  const named = { topic_name: 'orders' };
  await desk.call('create_topic', {
    ...named,
    partition_count: 2,
    configs: { 'retention.ms': '1000', 'cleanup.policy': null },
  });
  await desk.addTopic('a_first_one');
  const { topics, recently_deleted_topics } = await desk.call('list_topics', {});
  assert.equal(recently_deleted_topics, null);
  assert.deepEqual(
    topics.map(({ name, shard_count, retention }) => [name, shard_count, retention]),
    [
      ['a_first_one', 1, 86_400_000_000_000],
      ['orders', 2, 1_000_000_000],
    ],
  );

  const before = await desk.call('describe_topic', named);
  assert.equal(before.partition_count, 2);
  assert.equal(before.configs['retention.ms'], '1000');
  assert.equal(before.configs['cleanup.policy'], 'delete');
  await desk.write(before.topic_id, 1, 5);
  assert.equal((await desk.call('list_topics', {})).topics[1]!.uncompressed_size_hint, 100);

  await desk.call('update_topic', { ...named, partition_count: 3, configs: { 'retention.ms': null } });
  await desk.call('update_topic', { ...named, partition_count: 3 });
  const after = await desk.call('describe_topic', named);
  assert.deepEqual([after.partition_count, after.configs['retention.ms']], [3, '86400000']);

  await desk.call('delete_topic', named);
  assert.deepEqual(await desk.refusal('describe_topic', named), ['not_found', 'There is no topic orders.']);
});

test('for ever is told as -1, and what numbers cannot tell exactly as an integer of 64 bits', async (t) => {
  const desk = await openTestClusterApi(t);
  for (const [name, retention] of [
    ['ever', '-1'],
    ['long', '9007199255'],
    ['longest', '9223372036854775807'],
  ] as const)
    await desk.call('create_topic', {
      topic_name: name,
      partition_count: 1,
      configs: { 'retention.ms': retention },
    });
  const { topics } = await desk.call('list_topics', {});
  assert.deepEqual(
    topics.map(({ retention }) => retention),
    [-1, 9_007_199_255_000_000n, 2n ** 63n - 1n],
  );
});

test('a deleted topic comes back with its records, by its name or by its id', async (t) => {
  const desk = await openTestClusterApi(t);
  const first = await desk.addTopic('orders', 2);
  await desk.write(first, 1, 7);
  await desk.call('delete_topic', { topic_name: 'orders', soft_delete: true });
  const second = await desk.addTopic('orders');
  await desk.call('delete_topic', { topic_name: 'orders' });
  const listDeleted = async () => {
    const list = await desk.call('list_topics', { include_recently_deleted: true });
    return list.recently_deleted_topics!;
  };
  const deleted = await listDeleted();
  assert.deepEqual(new Set(deleted.map(({ id }) => id)), new Set([first, second]));
  for (const { deleted_at, restorable_until } of deleted)
    assert.equal(Date.parse(restorable_until) - Date.parse(deleted_at), 86_400_000);

  await desk.call('undelete_topic', { topic_id: first });
  const [answer] = await desk.node.findBatches([{ topicId: first, partition: 1, offset: 0, bytesMax: 1 }]);
  assert.equal(answer!.nextOffset, 7);
  assert.deepEqual(
    (await listDeleted()).map(({ id }) => id),
    [second],
  );
  const [code, words] = await desk.refusal('undelete_topic', { topic_name: 'orders' });
  assert.equal(code, 'not_restorable');
  assert.match(words, /another topic orders/);
  await desk.call('delete_topic', { topic_name: 'orders', soft_delete: false });
  await desk.call('undelete_topic', { topic_name: 'orders' });
  assert.equal((await desk.call('describe_topic', { topic_name: 'orders' })).topic_id, second);
  assert.deepEqual(await listDeleted(), []);
});

type Refusal = [
  what: string,
  call: (desk: TestClusterApi) => Promise<[ErrorCode, string]>,
  code: ErrorCode,
  words: RegExp,
];

const refusals: Refusal[] = [
  [
    'a topic that is there',
    (desk) => desk.refusal('create_topic', { topic_name: 'orders', partition_count: 1 }),
    'topic_already_exists',
    /orders/,
  ],
  [
    'a name that metrics cannot tell from another',
    (desk) => desk.refusal('create_topic', { topic_name: 'dot_ted', partition_count: 1 }),
    'topic_already_exists',
    /collides with dot\.ted/,
  ],
  [
    'a config of ours that there is not',
    (desk) =>
      desk.refusal('create_topic', {
        topic_name: 'x',
        partition_count: 1,
        configs: { 'service.unheard.of': '1' },
      }),
    'invalid_topic_config',
    /service\.unheard\.of/,
  ],
  [
    'a value that a config cannot have',
    (desk) => desk.refusal('update_topic', { topic_name: 'orders', configs: { 'retention.ms': 'soon' } }),
    'invalid_topic_config',
    /retention\.ms=soon/,
  ],
  [
    'a topic that is to be compacted',
    (desk) =>
      desk.refusal('update_topic', { topic_name: 'orders', configs: { 'cleanup.policy': 'compact' } }),
    'compaction_change',
    /cannot be made compacted/,
  ],
  [
    'a compacted topic that is not to be',
    (desk) => desk.refusal('update_topic', { topic_name: 'keys', configs: { 'cleanup.policy': 'delete' } }),
    'compaction_change',
    /cannot be made non-compacted/,
  ],
  [
    'fewer partitions',
    (desk) => desk.refusal('update_topic', { topic_name: 'orders', partition_count: 1 }),
    'invalid_request',
    /2/,
  ],
  [
    'a change of a topic that is not there',
    (desk) => desk.refusal('update_topic', { topic_name: 'none', partition_count: 1 }),
    'not_found',
    /none/,
  ],
  [
    'a protected topic',
    (desk) => desk.refusal('delete_topic', { topic_name: 'keys' }),
    'deletion_protected',
    /deletion protection enabled/,
  ],
  [
    'a protected topic for good',
    (desk) => desk.refusal('delete_topic', { topic_name: 'keys', soft_delete: false }),
    'deletion_protected',
    /deletion protection enabled/,
  ],
  [
    'a topic that is not there',
    (desk) => desk.refusal('delete_topic', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'a return of what never was',
    (desk) => desk.refusal('undelete_topic', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'a return by an unknown id',
    (desk) => desk.refusal('undelete_topic', { topic_id: 'abc' }),
    'not_found',
    /abc/,
  ],
  [
    'topics of a schema registry',
    (desk) => desk.refusal('list_topics', { virtual_cluster_id: 'vci_sr_test' }),
    'unsupported_cluster_type',
    /type/,
  ],
];

test('what is refused, with which code and words', async (t) => {
  const desk = await openTestClusterApi(t);
  await desk.addTopic('orders', 2);
  await desk.addTopic('dot.ted');
  await desk.call('create_topic', {
    topic_name: 'keys',
    partition_count: 1,
    configs: { 'cleanup.policy': 'compact', 'service.deletion.protection.enabled': 'true' },
  });
  for (const [what, call, code, words] of refusals) {
    await t.test(what, async () => {
      const [given, said] = await call(desk);
      assert.equal(given, code);
      assert.match(said, words);
    });
  }
});

test('a mistake in one half of a change leaves the other half as it was', async (t) => {
  const desk = await openTestClusterApi(t);
  await desk.addTopic('orders', 2);
  const named = { topic_name: 'orders' };
  await desk.refusal('update_topic', { ...named, partition_count: 1, configs: { 'retention.ms': '5' } });
  await desk.refusal('update_topic', { ...named, partition_count: 4, configs: { 'retention.ms': 'x' } });
  const { partition_count, configs } = await desk.call('describe_topic', named);
  assert.deepEqual([partition_count, configs['retention.ms']], [2, '86400000']);
});

test('a cluster that keeps no deleted topics does not pretend to', async (t) => {
  const desk = await openTestClusterApi(t);
  await desk.addTopic('orders');
  await desk.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { broker_configs: { 'service.soft.delete.topic.enable': 'false' } },
  });
  const [code, words] = await desk.refusal('delete_topic', { topic_name: 'orders', soft_delete: true });
  assert.equal(code, 'invalid_request');
  assert.match(words, /service\.soft\.delete\.topic\.enable=false/);
  await desk.call('delete_topic', { topic_name: 'orders' });
  const { recently_deleted_topics } = await desk.call('list_topics', { include_recently_deleted: true });
  assert.deepEqual(recently_deleted_topics, []);
});

test('a cluster that nobody leads is unavailable, not broken', async (t) => {
  const desk = await openTestClusterApi(t);
  await desk.node.stop();
  const [code] = await desk.refusal('create_topic', { topic_name: 'x', partition_count: 1 });
  assert.equal(code, 'unavailable');
});

test('topics of the service are not listed, and nobody changes them', async (t) => {
  const desk = await openTestClusterApi(t);
  const named = { topic_name: '__service_events_acl_logs' };
  await desk.addTopic(named.topic_name);
  assert.deepEqual((await desk.call('list_topics', {})).topics, []);
  assert.equal((await desk.call('describe_topic', named)).partition_count, 1);
  const refusals = [
    await desk.refusal('create_topic', { topic_name: '__service_x', partition_count: 1, configs: {} }),
    await desk.refusal('update_topic', { ...named, configs: { 'retention.ms': '1' } }),
    await desk.refusal('delete_topic', named),
  ];
  for (const [code, message] of refusals) {
    assert.equal(code, 'invalid_request');
    assert.match(message, /belongs to the service/);
  }
});
