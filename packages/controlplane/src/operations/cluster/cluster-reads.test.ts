import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { printJson } from '@weir/api';
import { type CallName, CallRefused, type ClusterPort, callOn, portOf } from '@weir/cluster';
import type { ClusterNode } from '@weir/metadata';
import { startLeader } from '../../../testing/leading-node.ts';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

interface CountingPort {
  readonly port: ClusterPort;
  snapshots: number;
  answerBytes: number;
}

/**
 * Counts snapshots and the bytes of answers. `refused` are calls that a leader of an earlier release does not support.
 */
function countingPort(node: ClusterNode, refused: readonly CallName[] = []): CountingPort {
  const counting: CountingPort = {
    port: {
      ...portOf(async (name, args) => {
        if (refused.includes(name)) throw new CallRefused('invalid', `${name}: no such call`);
        const answer = await callOn(node, name, args);
        counting.answerBytes += Buffer.byteLength(printJson(answer ?? null));
        return answer;
      }),
      follow(follower) {
        counting.snapshots++;
        return node.follow(follower);
      },
    },
    snapshots: 0,
    answerBytes: 0,
  };
  return counting;
}

const newCalls: readonly CallName[] = [
  'clusterConfigs',
  'describeTopics',
  'describePartitions',
  'countResources',
];

const reads: [name: string, read: (api: TestClusterApi) => Promise<unknown>][] = [
  ['describe_topic', (api) => api.call('describe_topic', { topic_name: 'orders' })],
  ['update_topic', (api) => api.call('update_topic', { topic_name: 'orders', partition_count: 2 })],
  ['describe_virtual_cluster_configuration', (api) => api.call('describe_virtual_cluster_configuration', {})],
  [
    'update_virtual_cluster_configuration',
    (api) =>
      api.call('update_virtual_cluster_configuration', {
        virtual_cluster_configuration: { bucket_url: 's3://bucket?region=us-east-1' },
      }),
  ],
  ['get_events_state', (api) => api.call('get_events_state', {})],
  [
    'explain_access',
    (api) =>
      api.call('explain_access', { operation: 'READ', resource_type: 'TOPIC', resource_name: 'orders' }),
  ],
  ['describe_quotas', (api) => api.call('monitoring/describe_quotas', {})],
  ['list_consumer_groups', (api) => api.call('list_consumer_groups', {})],
  ['delete_topic', (api) => api.call('delete_topic', { topic_name: 'orders', soft_delete: true })],
];

async function openApi(t: TestContext, node: ClusterNode, port: ClusterPort): Promise<TestClusterApi> {
  await node.createTopics([{ name: 'orders', partitionCount: 2, configs: {} }], { validateOnly: false });
  return openTestClusterApi(t, { port });
}

test('operations on one config or one topic take no snapshot and get small answers', async (t) => {
  const node = await startLeader(t);
  const others = Array.from({ length: 10_000 }, (_, index) => {
    return { name: `other-${index}`, partitionCount: 1, configs: { 'retention.ms': '86400000' } };
  });
  await node.createTopics(others, { validateOnly: false });
  const counting = countingPort(node);
  const api = await openApi(t, node, counting.port);
  for (const [name, read] of reads) {
    counting.answerBytes = 0;
    await read(api);
    assert.equal(counting.snapshots, 0, name);
    assert.ok(counting.answerBytes < 2_000, `${name}: ${counting.answerBytes} bytes`);
  }
});

test('a leader of an earlier release serves a snapshot instead, with the same results', async (t) => {
  const [newNode, oldNode] = [await startLeader(t), await startLeader(t)];
  const old = countingPort(oldNode, newCalls);
  const [newApi, oldApi] = [await openApi(t, newNode, newNode), await openApi(t, oldNode, old.port)];
  for (const [name, read] of reads) {
    old.snapshots = 0;
    // Ids and times are those of two clusters.
    const comparable = async (api: TestClusterApi) =>
      printJson(await read(api)).replaceAll(/"(topic_id|created_at)":"[^"]+"/g, '"$1":"…"');
    assert.equal(await comparable(oldApi), await comparable(newApi), name);
    const needsNothing = ['list_consumer_groups', 'update_virtual_cluster_configuration'].includes(name);
    if (!needsNothing) assert.ok(old.snapshots > 0, name);
  }
});
