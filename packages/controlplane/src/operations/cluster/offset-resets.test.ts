import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf } from '@weir/api';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

type Reset = Omit<CallOf<'preview_offset_reset'>, 'virtual_cluster_id'>;

async function commit(
  { node }: TestClusterApi,
  groupId: string,
  topicId: string,
  offsets: readonly number[],
) {
  const rows = offsets.map((offset, partition) => ({
    topicId,
    partition,
    offset,
    leaderEpoch: -1,
    metadata: '',
  }));
  const noMember = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionMs: -1 };
  await node.commitOffsets([{ ...noMember, groupId, offsets: rows }]);
}

async function openShop(t: Parameters<typeof openTestClusterApi>[0]) {
  const api = await openTestClusterApi(t);
  const topicId = await api.addTopic('orders', 2);
  await api.write(topicId, 0, 10);
  await api.write(topicId, 1, 4);
  await commit(api, 'shop', topicId, [7, 4]);
  await commit(api, 'other', topicId, [2]);
  return { api, topicId };
}

test('a preview shows what a reset changes, and the reset does it', async (t) => {
  const { api } = await openShop(t);
  // biome-ignore format: a table
  const cases: readonly [reset: Omit<Reset, 'group'>, offsets: readonly number[], skipped: number, repeated: number][] = [
    [{ to: 'earliest' },                  [0, 0],  0, 11],
    [{ to: 'latest' },                    [10, 4], 3, 0],
    [{ to: 'offset', offset: 5 },         [5, 4],  0, 2],
    [{ to: 'shift', shift_by: -2 },       [5, 2],  0, 4],
    [{ to: 'shift', shift_by: 100 },      [10, 4], 3, 0],
    [{ to: 'group', from_group: 'other' }, [2],    0, 5],
    [{ to: 'time', time: '2100-01-01T00:00:00Z' }, [10, 4], 3, 0],
    [{ to: 'latest', topics: ['orders'] }, [10, 4], 3, 0],
    [{ to: 'offsets', offsets: [{ topic: 'orders', partition: 1, offset: 3 }] }, [3], 0, 1],
  ];
  for (const [reset, offsets, skipped, repeated] of cases) {
    const preview = await api.call('preview_offset_reset', { group: 'shop', ...reset });
    const shown = preview.partitions.map(({ new_offset }) => new_offset);
    assert.deepEqual(
      [shown, preview.skipped_records, preview.repeated_records, preview.member_count],
      [offsets, skipped, repeated, 0],
      JSON.stringify(reset),
    );
  }
  const done = await api.call('reset_consumer_group_offsets', { group: 'shop', to: 'latest' });
  assert.equal(done.skipped_records, 3);
  const { group } = await api.call('describe_consumer_group', { group: 'shop' });
  assert.equal(group.total_lag, 0);
});

test('resets that make no sense are refused in one line', async (t) => {
  const { api } = await openShop(t);
  const place = { topic: 'orders', partition: 0, offset: 1 };
  const cases: readonly [reset: Reset, code: string, message: RegExp][] = [
    [{ group: 'nope', to: 'latest' }, 'not_found', /Group nope not found/],
    [{ group: 'shop', to: 'offset' }, 'invalid_request', /needs offset/],
    [{ group: 'shop', to: 'latest', offset: 3 }, 'invalid_request', /does not take offset/],
    [{ group: 'shop', to: 'latest', topics: ['nope'] }, 'not_found', /Topic nope not found/],
    [
      { group: 'other', to: 'shift', shift_by: 1, topics: ['orders'] },
      'conflict',
      /to shift in orders partition 1/,
    ],
    [{ group: 'shop', to: 'group', from_group: 'nope' }, 'not_found', /Group nope not found/],
    [{ group: 'shop', to: 'offsets' }, 'invalid_request', /needs offsets/],
    [{ group: 'shop', to: 'latest', offsets: [place] }, 'invalid_request', /does not take offsets/],
    [
      { group: 'shop', to: 'offsets', offsets: [place], topics: ['orders'] },
      'invalid_request',
      /not take topics/,
    ],
    [{ group: 'shop', to: 'offsets', offsets: [{ ...place, partition: 9 }] }, 'not_found', /no partition 9/],
    [
      { group: 'shop', to: 'offsets', offsets: [{ ...place, topic: 'nope' }] },
      'not_found',
      /Topic nope not found/,
    ],
  ];
  for (const [reset, code, message] of cases)
    await assert.rejects(api.call('preview_offset_reset', reset), { code, message }, JSON.stringify(reset));
});

test('a group with members keeps its offsets', async (t) => {
  const { api } = await openShop(t);
  await api.node.consumerGroupHeartbeats([
    {
      groupId: 'shop',
      memberId: 'm1',
      memberEpoch: 0,
      instanceId: null,
      rackId: null,
      clientId: 'c1',
      clientHost: '/10.0.0.1',
      rebalanceTimeoutMs: 60_000,
      subscribedTopicNames: ['orders'],
      subscribedTopicRegex: null,
      serverAssignor: 'uniform',
      ownedPartitions: [],
      requiresMemberId: true,
    },
  ]);
  assert.equal((await api.call('preview_offset_reset', { group: 'shop', to: 'latest' })).member_count, 1);
  const refused = { code: 'conflict', message: /active member/ };
  await assert.rejects(api.call('reset_consumer_group_offsets', { group: 'shop', to: 'latest' }), refused);
  await assert.rejects(api.call('delete_consumer_group', { group: 'shop', confirm_group: 'shop' }), refused);
  const topic = { group: 'shop', topic: 'orders' };
  await assert.rejects(api.call('delete_consumer_group_offsets', topic), {
    code: 'conflict',
    message: /reads/,
  });
});

test('groups and offsets of one topic are deleted', async (t) => {
  const { api } = await openShop(t);
  const mismatch = { group: 'shop', confirm_group: 'other' };
  await assert.rejects(api.call('delete_consumer_group', mismatch), { code: 'name_mismatch' });
  const topic = { group: 'shop', topic: 'orders' };
  assert.deepEqual(await api.call('delete_consumer_group_offsets', topic), { partition_count: 2 });
  await assert.rejects(api.call('delete_consumer_group_offsets', topic), { code: 'not_found' });
  await api.call('delete_consumer_group', { group: 'other', confirm_group: 'other' });
  await assert.rejects(api.call('describe_consumer_group', { group: 'other' }), { code: 'not_found' });
});

test('offsets of a deleted group come back', async (t) => {
  const { api } = await openShop(t);
  await api.call('delete_consumer_group', { group: 'shop', confirm_group: 'shop' });
  const offsets = [7, 4].map((offset, partition) => ({ topic: 'orders', partition, offset }));
  const reset = { group: 'shop', to: 'offsets' as const, offsets };
  const preview = await api.call('preview_offset_reset', reset);
  assert.deepEqual([preview.state, preview.partitions.map((one) => one.old_offset)], ['Empty', [null, null]]);
  await api.call('reset_consumer_group_offsets', reset);
  const { group } = await api.call('describe_consumer_group', { group: 'shop' });
  assert.deepEqual(
    group.topics[0]!.partitions.map((one) => one.committed_offset),
    [7, 4],
  );
});

test('an overview counts, and series have the steps that were asked for', async (t) => {
  const { api } = await openShop(t);
  const overview = await api.call('describe_cluster_overview', {});
  assert.deepEqual(
    [overview.topic_count, overview.partition_count, overview.consumer_group_count, overview.agent_count],
    [1, 2, 2, 0],
  );
  const { series, step_seconds } = await api.call('query_metrics', {
    metrics: ['lag'],
    range_seconds: 86_400,
  });
  assert.deepEqual([series, step_seconds], [[], 240]);
  const tooMany = { metrics: ['lag' as const], range_seconds: 86_400, step_seconds: 60 };
  await assert.rejects(api.call('query_metrics', tooMany), {
    code: 'invalid_request',
    message: /1440 steps/,
  });
});
