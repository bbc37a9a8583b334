import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterNode } from '@weir/metadata';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

const noMember = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionMs: -1 };

/** Commits offsets as a client that is not a member. */
async function commit(node: ClusterNode, groupId: string, topicId: string, offsets: readonly number[]) {
  await node.commitOffsets([
    {
      ...noMember,
      groupId,
      offsets: offsets.map((offset, partition) => {
        return { topicId, partition, offset, leaderEpoch: -1, metadata: '' };
      }),
    },
  ]);
}

/** Adds a member of the KIP-848 protocol. */
async function joinConsumer(node: ClusterNode, groupId: string, topic: string): Promise<void> {
  const heartbeat = {
    groupId,
    memberId: 'm1',
    memberEpoch: 0,
    instanceId: 'static-1',
    rackId: null,
    clientId: 'c1',
    clientHost: '/10.0.0.1',
    rebalanceTimeoutMs: 60_000,
    subscribedTopicNames: [topic],
    subscribedTopicRegex: null,
    serverAssignor: 'uniform',
    ownedPartitions: [],
    requiresMemberId: true,
  };
  const [answer] = await node.consumerGroupHeartbeats([heartbeat]);
  assert.equal(answer!.error, 'NONE');
}

/** Adds a classic member that is its own leader and assigns itself the first partition of a topic. */
async function joinClassic(node: ClusterNode, groupId: string, topic: string): Promise<string> {
  const changes = [{ name: 'group.initial.rebalance.delay.ms', operation: 'set', value: '0' } as const];
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  const { memberId, generationId } = await node.joinGroup({
    groupId,
    memberId: '',
    groupInstanceId: null,
    clientId: 'shop-1',
    clientHost: '/10.0.0.7',
    sessionTimeoutMs: 45_000,
    rebalanceTimeoutMs: 60_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: new Uint8Array() }],
    requiresKnownMemberId: false,
    supportsSkipAssignment: false,
    reason: null,
  });
  const assignments = [{ memberId, assignment: firstPartitionOf(topic) }];
  const { error } = await node.syncGroup({
    groupId,
    memberId,
    generationId,
    groupInstanceId: null,
    protocolType: 'consumer',
    protocolName: 'range',
    assignments,
  });
  assert.equal(error, 'NONE');
  return memberId;
}

/** Version 0 of an assignment: topics with partitions, and no user data. */
function firstPartitionOf(topic: string): Uint8Array {
  const head = Buffer.from([0, 0, 0, 0, 0, 1, 0, topic.length]);
  const partitions = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]);
  return Buffer.concat([head, Buffer.from(topic), partitions, Buffer.from([255, 255, 255, 255])]);
}

test('a classic group with its topics and progress', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 2);
  await testApi.write(topicId, 0, 10);
  await testApi.write(topicId, 1, 4);
  const memberId = await joinClassic(testApi.node, 'shop', 'orders');
  await testApi.node.commitOffsets([
    {
      groupId: 'shop',
      memberId,
      generationIdOrMemberEpoch: 1,
      groupInstanceId: null,
      retentionMs: -1,
      offsets: [{ topicId, partition: 0, offset: 7, leaderEpoch: -1, metadata: '' }],
    },
  ]);
  const member = {
    id: memberId,
    group_instance_id: null,
    client_id: 'shop-1',
    client_host: '/10.0.0.7',
    assignment: { assignments: [{ topic_name: 'orders', partitions: [0] }] },
  };
  const { group } = await testApi.call('describe_consumer_group', { group: 'shop' });
  const { committed_at } = group.topics[0]!.partitions[0]!;
  // By the clock of the leader.
  assert.match(committed_at!, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(group, {
    name: 'shop',
    type: 'classic',
    state: 'Stable',
    protocol: 'range',
    total_lag: 3,
    generation: 1,
    members: [member],
    topics: [
      {
        name: 'orders',
        total_lag: 3,
        partitions: [
          {
            partition: 0,
            member_id: memberId,
            start_offset: 0,
            end_offset: 10,
            committed_offset: 7,
            committed_at,
            lag: 3,
          },
        ],
      },
    ],
  });
  assert.deepEqual(await testApi.call('monitoring/describe_all_consumer_groups', {}), {
    state: {
      groups: [
        {
          name: 'shop',
          state: 'Stable',
          protocol: 'range',
          members: [member],
          topics: [
            {
              name: 'orders',
              partitions: [
                {
                  member_id: memberId,
                  partition: 0,
                  empty: false,
                  min_offset: 0,
                  max_offset: 10,
                  committed_offset: 7,
                },
              ],
            },
          ],
        },
      ],
    },
  });
});

test('the lag of a partition without a commit is all its records', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 2);
  await testApi.write(topicId, 1, 4);
  await joinConsumer(testApi.node, 'new', 'orders');
  const { group } = await testApi.call('describe_consumer_group', { group: 'new' });
  assert.deepEqual([group.type, group.protocol, group.total_lag], ['consumer', 'uniform', 4]);
  assert.equal(group.members[0]!.group_instance_id, 'static-1');
  assert.deepEqual(
    group.topics[0]!.partitions.map(({ member_id, end_offset, committed_offset, lag }) => {
      return { member_id, end_offset, committed_offset, lag };
    }),
    [
      { member_id: 'm1', end_offset: 0, committed_offset: null, lag: 0 },
      { member_id: 'm1', end_offset: 4, committed_offset: null, lag: 4 },
    ],
  );
  const { state } = await testApi.call('monitoring/describe_all_consumer_groups', {});
  const [first] = state.groups[0]!.topics[0]!.partitions;
  assert.deepEqual([first!.empty, first!.committed_offset], [true, -1]);
});

test('a share group is returned like the others', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('orders');
  const [answer] = await testApi.node.shareGroupHeartbeats([
    {
      groupId: 'sharing',
      memberId: 'm1',
      memberEpoch: 0,
      rackId: null,
      clientId: 'c',
      clientHost: '/10.0.0.1',
      subscribedTopicNames: ['orders'],
    },
  ]);
  assert.equal(answer!.error, 'NONE');
  const { group } = await testApi.call('describe_consumer_group', { group: 'sharing' });
  assert.deepEqual([group.type, group.members.length, group.total_lag], ['share', 1, 0]);
  const { groups } = await testApi.call('list_consumer_groups', {});
  assert.deepEqual(
    groups.map(({ name, type, member_count }) => [name, type, member_count]),
    [['sharing', 'share', 1]],
  );
});

test('offsets of deleted topics do not count as lag', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders');
  await testApi.write(topicId, 0, 10);
  await commit(testApi.node, 'g', topicId, [4]);
  assert.equal((await testApi.call('describe_consumer_group', { group: 'g' })).group.total_lag, 6);
  await testApi.call('delete_topic', { topic_name: 'orders' });
  assert.deepEqual((await testApi.call('describe_consumer_group', { group: 'g' })).group.topics, []);
  await testApi.call('undelete_topic', { topic_name: 'orders' });
  assert.equal((await testApi.call('describe_consumer_group', { group: 'g' })).group.total_lag, 6);
});

test('an unknown group is not found', async (t) => {
  const testApi = await openTestClusterApi(t);
  assert.deepEqual(await testApi.refusal('describe_consumer_group', { group: 'none' }), [
    'not_found',
    'Group none not found.',
  ]);
});

/** Groups a to g, with the given lags. */
async function withGroups(testApi: TestClusterApi, lags: Readonly<Record<string, number>>): Promise<void> {
  const topicId = await testApi.addTopic('orders', 2);
  await testApi.write(topicId, 0, 100);
  for (const [name, lag] of Object.entries(lags)) await commit(testApi.node, name, topicId, [100 - lag, 0]);
}

const lags = { a: 5, 'b\ud800': 50, c: 0, d: 50, e: 7, [`f${'ä'.repeat(1023)}`]: 1, g: 0 };
const lists: [what: string, body: object, lags: number[]][] = [
  ['by name', {}, [5, 50, 0, 50, 7, 1, 0]],
  ['the largest lag first, equal ones by name', { sort_by: 'lag' }, [50, 50, 7, 5, 1, 0, 0]],
  ['those that are behind', { lag_min: 5 }, [5, 50, 50, 7]],
  ['those that are far behind, the largest first', { lag_min: 7, sort_by: 'lag' }, [50, 50, 7]],
  ['a part of a name', { query: 'ä' }, [1]],
  ['nothing', { query: 'z' }, []],
];

test('lists of groups, whole and page by page', async (t) => {
  const testApi = await openTestClusterApi(t);
  await withGroups(testApi, lags);
  for (const [what, body, expected] of lists) {
    await t.test(what, async () => {
      for (const limit of [1, 2, 3, 100]) {
        const found: number[] = [];
        let cursor: string | undefined;
        do {
          const page = await testApi.call('list_consumer_groups', {
            ...body,
            limit,
            ...(cursor === undefined ? {} : { cursor }),
          });
          assert.ok(page.groups.length <= limit);
          found.push(...page.groups.map(({ total_lag }) => total_lag));
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
        assert.deepEqual(found, expected, `pages of ${limit}`);
      }
    });
  }
  const [row] = (await testApi.call('list_consumer_groups', { limit: 1 })).groups;
  assert.deepEqual(row, {
    name: 'a',
    type: 'classic',
    state: 'Empty',
    protocol: '',
    total_lag: 5,
    member_count: 0,
    topic_count: 1,
    partition_count: 2,
    max_lag: 5,
  });
  const [code] = await testApi.refusal('list_consumer_groups', { cursor: 'nonsense' });
  assert.equal(code, 'invalid_request');
});
