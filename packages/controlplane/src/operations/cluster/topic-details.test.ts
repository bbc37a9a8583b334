import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@weir/api';
import { configProblem } from '@weir/api/topic-rules';
import { checkTopicConfigs } from '@weir/cluster';
import fc from 'fast-check';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

const named = { topic_name: 'orders' };

test('the definitions have every config, with the default of the cluster', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders');
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { broker_configs: { 'log.retention.ms': '5000' } },
  });
  const { definitions } = await testApi.call('list_topic_config_definitions', {});
  const { configs, set_configs } = await testApi.call('describe_topic', named);
  assert.deepEqual(set_configs, []);
  assert.deepEqual(Object.fromEntries(definitions.map(({ name, default: value }) => [name, value])), configs);
  assert.equal(configs['retention.ms'], '5000');
  const found = (name: string) => definitions.find((definition) => definition.name === name)!;
  assert.deepEqual(found('remote.storage.enable').words, ['false'], 'a refused value is no choice');
  assert.deepEqual(
    [found('retention.ms').minimum, found('retention.ms').maximum],
    ['-1', String(2n ** 63n - 1n)],
  );
  assert.equal(found('segment.bytes').has_effect, false);
});

/** Lists of free words, which only the service checks. */
const freeLists = /throttled\.replicas$/;

test('a form that follows the definitions refuses what the service refuses', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { definitions } = await testApi.call('list_topic_config_definitions', {});
  const checked = definitions.filter(({ name }) => !freeLists.test(name));
  const near = checked.flatMap(({ words, minimum, maximum }) => [
    ...(words ?? []),
    ...[minimum, maximum].flatMap((bound) =>
      bound === null || bound.includes('.')
        ? []
        : [bound, String(BigInt(bound) - 1n), String(BigInt(bound) + 1n)],
    ),
  ]);
  const anyText = fc.oneof(
    fc.constantFrom(
      ...near,
      '',
      ' ',
      'TRUE',
      ' true ',
      '+5',
      '1e-1',
      '.5',
      '0.5',
      'compact,delete',
      'delete,delete',
    ),
    fc.constantFrom(...near).map((text) => ` ${text} `),
    fc.integer().map(String),
    fc.double({ noNaN: true }).map(String),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...checked), anyText, (definition, text) => {
      const { problems } = checkTopicConfigs({ [definition.name]: text });
      assert.equal(
        configProblem(definition, text) === undefined,
        problems.length === 0,
        `${definition.name}=${text}`,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('partitions are listed with what they hold, in pages and sorted', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 5);
  await testApi.write(topicId, 1, 3);
  await testApi.write(topicId, 3, 7);
  const all = await testApi.call('list_topic_partitions', named);
  assert.deepEqual(
    all.partitions.map(({ partition, start_offset, end_offset }) => [partition, start_offset, end_offset]),
    [
      [0, 0, 0],
      [1, 0, 3],
      [2, 0, 0],
      [3, 0, 7],
      [4, 0, 0],
    ],
  );
  assert.deepEqual([all.partition_count, all.record_count], [5, 10]);
  assert.equal(
    all.size_bytes,
    all.partitions.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  );
  assert.equal(all.partitions[0]!.latest_record_at, null);
  assert.match(all.partitions[3]!.latest_record_at!, /^\d{4}-/);
  const numbers = async (body: object) =>
    (await testApi.call('list_topic_partitions', { ...named, ...body })).partitions.map(
      ({ partition }) => partition,
    );
  assert.deepEqual(await numbers({ skip: 2, limit: 2 }), [2, 3]);
  assert.deepEqual(await numbers({ skip: 9 }), []);
  assert.deepEqual(await numbers({ sort_by: 'records', descending: true }), [3, 1, 0, 2, 4]);
  assert.deepEqual(await numbers({ sort_by: 'partition', descending: true, limit: 1 }), [4]);
});

test('records are deleted up to an offset, in all partitions or in none', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 2);
  await testApi.write(topicId, 0, 5);
  await testApi.write(topicId, 1, 5);
  const starts = async () =>
    (await testApi.call('list_topic_partitions', named)).partitions.map(({ start_offset }) => start_offset);
  const [code, message] = await testApi.refusal('delete_records', {
    ...named,
    partitions: [
      { partition: 0, before_offset: 2 },
      { partition: 1, before_offset: 6 },
    ],
  });
  assert.equal(code, 'invalid_request');
  assert.match(message, /Partition 1 of orders has offsets from 0 to 5; 6 is out of range/);
  assert.deepEqual(await starts(), [0, 0]);
  const { partitions } = await testApi.call('delete_records', {
    ...named,
    partitions: [
      { partition: 1, before_offset: null },
      { partition: 0, before_offset: 2 },
    ],
  });
  assert.deepEqual(partitions, [
    { partition: 1, start_offset: 5 },
    { partition: 0, start_offset: 2 },
  ]);
  assert.deepEqual(await starts(), [2, 5]);
});

type Refusal = [
  what: string,
  call: (testApi: TestClusterApi) => Promise<[ErrorCode, string]>,
  code: ErrorCode,
  pattern: RegExp,
];

const one = (topic_name: string, partition = 0) => ({
  topic_name,
  partitions: [{ partition, before_offset: null }],
});

const refusals: Refusal[] = [
  ['an unknown topic', (api) => api.refusal('delete_records', one('none')), 'not_found', /none/],
  [
    'partitions of an unknown topic',
    (api) => api.refusal('list_topic_partitions', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'consumers of an unknown topic',
    (api) => api.refusal('list_topic_consumers', { topic_name: 'none' }),
    'not_found',
    /none/,
  ],
  [
    'an unknown partition',
    (api) => api.refusal('delete_records', one('orders', 9)),
    'invalid_request',
    /partition 9 does not exist/,
  ],
  [
    'a compacted topic',
    (api) => api.refusal('delete_records', one('keys')),
    'invalid_request',
    /cannot be deleted by offset/,
  ],
  [
    'an internal topic',
    (api) => api.refusal('delete_records', one('__service_x')),
    'invalid_request',
    /belongs to the service/,
  ],
];

test('refusals, with their codes and messages', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders');
  const compacted = { topic_name: 'keys', partition_count: 1, configs: { 'cleanup.policy': 'compact' } };
  await testApi.call('create_topic', compacted);
  for (const [what, call, code, pattern] of refusals)
    await t.test(what, async () => {
      const [given, message] = await call(testApi);
      assert.equal(given, code);
      assert.match(message, pattern);
    });
});

test('the groups of a topic have their lag in it alone', async (t) => {
  const testApi = await openTestClusterApi(t);
  const orders = await testApi.addTopic('orders', 2);
  const other = await testApi.addTopic('other');
  await testApi.write(orders, 0, 5);
  await testApi.write(orders, 1, 2);
  await testApi.write(other, 0, 9);
  const commit = async (
    groupId: string,
    offsets: readonly [topicId: string, partition: number, offset: number][],
  ) => {
    await testApi.node.commitOffsets([
      {
        groupId,
        memberId: '',
        groupInstanceId: null,
        generationIdOrMemberEpoch: -1,
        retentionMs: -1,
        offsets: offsets.map(([topicId, partition, offset]) => {
          return { topicId, partition, offset, leaderEpoch: -1, metadata: '' };
        }),
      },
    ]);
  };
  await commit('near', [
    [orders, 0, 4],
    [orders, 1, 2],
  ]);
  await commit('far', [
    [orders, 0, 1],
    [other, 0, 0],
  ]);
  await commit('elsewhere', [[other, 0, 1]]);
  const { consumers } = await testApi.call('list_topic_consumers', named);
  assert.deepEqual(
    consumers.map(({ group, lag, max_lag, partition_count, member_count }) => [
      group,
      lag,
      max_lag,
      partition_count,
      member_count,
    ]),
    [
      ['far', 4, 4, 1, 0],
      ['near', 1, 1, 2, 0],
    ],
  );
  const page = await testApi.call('list_topic_consumers', { ...named, limit: 1 });
  const next = await testApi.call('list_topic_consumers', { ...named, limit: 1, cursor: page.next_cursor! });
  assert.deepEqual(
    [page, next].map(({ consumers: [first] }) => first!.group),
    ['far', 'near'],
  );
  assert.equal(next.next_cursor, null);
});
