import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type LeaderAgent, startLeaderAgent, testAgent } from '@weir/broker/testing';
import { type ClusterPort, writeAssignment } from '@weir/cluster';
import { Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { newFileId } from '@weir/storage';
import {
  ClusterMetrics,
  type ClusterMetricsOptions,
  isPublishingAgent,
  publishIntervalMs,
} from './cluster-metrics.ts';

const nowMs = 1_800_000_000_000;

/** A cluster with a real leader, and its published metrics. */
async function start(t: TestContext, differences: Partial<ClusterMetricsOptions> = {}) {
  const leader = await startLeaderAgent({ 'group.initial.rebalance.delay.ms': '0' });
  t.after(() => leader[Symbol.asyncDispose]());
  const clock = new HandClock();
  clock.advance(nowMs - clock.nowMs());
  const metrics = new Metrics();
  const published = new ClusterMetrics({
    view: leader.view,
    settings: { includesGroups: true, withoutTags: [] },
    isPublisher: () => true,
    clock,
    log: silentLog,
    metrics,
    ...differences,
  });
  t.after(() => published.stop());
  const stats = (pattern: RegExp) =>
    metrics
      .render()
      .split('\n')
      .filter((line) => pattern.test(line) && !line.startsWith('#'))
      .map((line) => line.replace('service_', ''));
  return { leader, clock, metrics, published, stats };
}

let seed = 0;

/** Writes one batch, in a file that was created `ageMs` ago. */
async function append(
  { node, view }: LeaderAgent,
  topicId: string,
  partition: number,
  count: number,
  ageMs: number,
) {
  const column = (value: number) => Uint32Array.of(value);
  const [result] = await node.commitFiles([
    {
      fileId: newFileId(nowMs - ageMs, seededRandom(seed++)),
      fileBytes: 100,
      topicIds: [topicId],
      topic: column(0),
      partition: column(partition),
      byteStart: column(0),
      byteLength: column(100),
      recordCount: column(count),
      maxTimestampMs: Float64Array.of(0),
      producerId: Float64Array.of(-1),
      producerEpoch: Int16Array.of(-1),
      baseSequence: Int32Array.of(-1),
    },
  ]);
  const end = result!.baseOffset[0]! + count;
  await until(() => view.ends(topicId, partition)!.nextOffset >= end);
}

async function commit(
  { node }: LeaderAgent,
  groupId: string,
  topicId: string,
  partition: number,
  offset: number,
) {
  const [answer] = await node.commitOffsets([
    {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionMs: -1,
      offsets: [{ topicId, partition, offset, leaderEpoch: -1, metadata: '' }],
    },
  ]);
  assert.deepEqual(answer!.offsets, ['NONE']);
}

test('the lag of a group that falls behind and catches up', async (t) => {
  const { leader, published, stats } = await start(t);
  const { topicId } = await leader.addTopic('orders', 2);
  await append(leader, topicId, 0, 10, 60_000);
  await append(leader, topicId, 0, 5, 20_000);
  await append(leader, topicId, 1, 3, 5_000);

  const lag = async (...offsets: (readonly [partition: number, offset: number])[]) => {
    for (const [partition, offset] of offsets) await commit(leader, 'readers', topicId, partition, offset);
    await published.publish();
    return stats(/lag/).map((line) =>
      line.replace(/.*_(lag|seconds)\{.*partition="(\d)"\} (\S+)/, '$1 $2 $3'),
    );
  };
  // The first uncommitted record is in the first file, in the second, in none.
  assert.deepEqual(await lag([0, 4]), ['seconds 0 60', 'lag 0 11']);
  assert.deepEqual(await lag([0, 10], [1, 0]), ['seconds 0 20', 'seconds 1 5', 'lag 0 5', 'lag 1 3']);
  assert.deepEqual(await lag([0, 15], [1, 3]), ['seconds 0 0', 'seconds 1 0', 'lag 0 0', 'lag 1 0']);
  // Offsets beyond the end come from a topic that was recreated.
  assert.deepEqual(await lag([1, 9]), ['seconds 0 0', 'seconds 1 0', 'lag 0 0', 'lag 1 0']);

  assert.deepEqual(stats(/^service_(?:max|min)_offset|num_records/), [
    'max_offset{topic="orders",partition="0"} 15',
    'max_offset{topic="orders",partition="1"} 3',
    'min_offset{topic="orders",partition="0"} 0',
    'min_offset{topic="orders",partition="1"} 0',
    'num_records{topic="orders",partition="0"} 15',
    'num_records{topic="orders",partition="1"} 3',
  ]);
  assert.deepEqual(stats(/group_(?:state|num|max|gen)/), [
    'consumer_group_max_offset{topic="orders",consumer_group="readers",partition="0"} 15',
    'consumer_group_max_offset{topic="orders",consumer_group="readers",partition="1"} 9',
    'consumer_group_num_members{consumer_group="readers"} 0',
    'consumer_group_num_partitions{consumer_group="readers"} 2',
    'consumer_group_num_topics{consumer_group="readers"} 1',
    'consumer_group_state{consumer_group="readers",group_state="Empty"} 1',
  ]);

  await leader.node.deleteGroups(['readers']);
  await published.publish();
  assert.deepEqual(stats(/consumer_group/), [], 'removed groups are not published');
});

test('failing diagnostics and the load of the leader are published, as the control plane found them', async (t) => {
  const { leader, published, stats } = await start(t);
  const health = async () => {
    await published.publish();
    return stats(/^service_(?:diagnostic_failure|control_plane_utilization)/);
  };
  assert.deepEqual(await health(), [], 'nothing before the first check');
  const { clusterId } = leader.view;
  const severities = (high: boolean) => ({
    severity_low: 'false',
    severity_medium: 'false',
    severity_high: String(high),
    severity_critical: 'false',
  });
  const diagnostic = (isFailing: boolean) => ({
    labels: {
      diagnostic_name: 'no_jobs_agent',
      diagnostic_type: 'agents',
      ...severities(isFailing),
      muted: 'false',
    },
    isFailing,
  });
  const line = (high: boolean) =>
    `diagnostic_failure{diagnostic_name="no_jobs_agent",diagnostic_type="agents",severity_low="false",severity_medium="false",severity_high="${high}",severity_critical="false",muted="false"}`;
  leader.node.noteHealth({ diagnostics: [diagnostic(true)], utilization: 0.25 });
  assert.deepEqual(await health(), [
    `control_plane_utilization{cluster="${clusterId}"} 0.25`,
    `${line(true)} 1`,
  ]);
  leader.node.noteHealth({ diagnostics: [diagnostic(false)], utilization: 0.5 });
  assert.deepEqual(await health(), [
    `control_plane_utilization{cluster="${clusterId}"} 0.5`,
    `${line(false)} 0`,
  ]);
});

test('assigned partitions count in both protocols, with or without commits', async (t) => {
  const { leader, published, stats } = await start(t);
  const { topicId } = await leader.addTopic('orders', 2);
  await append(leader, topicId, 0, 7, 30_000);
  await leader.node.consumerGroupHeartbeats([
    {
      groupId: 'new',
      memberId: 'm1',
      memberEpoch: 0,
      instanceId: null,
      rackId: null,
      clientId: 'c',
      clientHost: '/h',
      rebalanceTimeoutMs: 1000,
      subscribedTopicNames: ['orders'],
      subscribedTopicRegex: null,
      serverAssignor: null,
      ownedPartitions: [],
      requiresMemberId: true,
    },
  ]);
  const request = {
    groupId: 'old',
    memberId: '',
    groupInstanceId: null,
    clientId: 'c',
    clientHost: '/h',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    requiresKnownMemberId: false,
    supportsSkipAssignment: false,
    reason: null,
  };
  const { memberId, generationId } = await leader.node.joinGroup(request);
  const assignment = writeAssignment(0, [
    { topic: 'orders', partitions: [0] },
    { topic: 'gone', partitions: [0] },
  ]);
  await leader.node.syncGroup({
    groupId: 'old',
    generationId,
    memberId,
    groupInstanceId: null,
    protocolType: null,
    protocolName: null,
    assignments: [{ memberId, assignment }],
  });
  await published.publish();
  assert.deepEqual(stats(/consumer_group/), [
    'consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds{topic="orders",consumer_group="new",partition="0"} 30',
    'consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds{topic="orders",consumer_group="new",partition="1"} 0',
    'consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds{topic="orders",consumer_group="old",partition="0"} 30',
    `consumer_group_generation_id{consumer_group="new"} 1`,
    `consumer_group_generation_id{consumer_group="old"} ${generationId}`,
    'consumer_group_lag{topic="orders",consumer_group="new",partition="0"} 7',
    'consumer_group_lag{topic="orders",consumer_group="new",partition="1"} 0',
    'consumer_group_lag{topic="orders",consumer_group="old",partition="0"} 7',
    'consumer_group_num_members{consumer_group="new"} 1',
    'consumer_group_num_members{consumer_group="old"} 1',
    'consumer_group_num_partitions{consumer_group="new"} 2',
    'consumer_group_num_partitions{consumer_group="old"} 1',
    'consumer_group_num_topics{consumer_group="new"} 1',
    'consumer_group_num_topics{consumer_group="old"} 1',
    'consumer_group_state{consumer_group="new",group_state="Stable"} 1',
    'consumer_group_state{consumer_group="old",group_state="Stable"} 1',
  ]);
});

test('groups and partitions beyond the limits are left out as a whole, and counted', async (t) => {
  // limits on groups, their partitions and series: the published groups, and what is left out
  const table = [
    [10, 100, 100, 'a b c', 0, 0],
    [2, 100, 100, 'a b', 1, 0],
    [10, 3, 100, 'a', 2, 0],
    [10, 4, 100, 'a b', 1, 0],
    [10, 100, 4, 'a b', 0, 8],
  ] as const;
  for (const [groupsMax, partitionsMax, seriesMax, expected, groups, series] of table) {
    const { leader, published, stats } = await start(t, {
      limits: { groupsMax, partitionsMax },
      seriesMax,
    });
    const { topicId } = await leader.addTopic('t', 2);
    for (const group of ['c', 'a', 'b']) {
      for (const partition of [0, 1]) await commit(leader, group, topicId, partition, 0);
    }
    await published.publish();
    const found = stats(/_group_lag/).map((line) => /consumer_group="(.)"/.exec(line)![1]);
    assert.equal([...new Set(found)].join(' '), expected);
    assert.deepEqual(stats(/left_out/), [
      `cluster_metrics_left_out{what="groups"} ${groups}`,
      `cluster_metrics_left_out{what="series"} ${series}`,
    ]);
  }
});

test('without groups in the settings no metrics of groups are published', async (t) => {
  const { leader, published, stats } = await start(t, {
    settings: { includesGroups: false, withoutTags: ['partition'] },
  });
  const { topicId } = await leader.addTopic('orders', 2);
  await append(leader, topicId, 1, 3, 0);
  await commit(leader, 'g', topicId, 1, 1);
  await published.publish();
  assert.deepEqual(stats(/consumer_group/), []);
  assert.deepEqual(stats(/offset/), ['max_offset{topic="orders"} 3', 'min_offset{topic="orders"} 0']);
});

test('publishing continues after an outage, and stops when another agent publishes', async (t) => {
  let isPublisher = true;
  let isDown = false;
  const leader = await startLeaderAgent(
    {},
    {
      port: (node) =>
        new Proxy<ClusterPort>(node, {
          get(target, name) {
            if (name === 'listGroups' && isDown) return () => Promise.reject(new Error('down'));
            const found = Reflect.get(target, name) as unknown;
            return typeof found === 'function' ? found.bind(target) : found;
          },
        }),
    },
  );
  t.after(() => leader[Symbol.asyncDispose]());
  await leader.addTopic('orders');
  const { published, clock, stats } = await start(t, { view: leader.view, isPublisher: () => isPublisher });
  const outcomes = () => stats(/publish_all/).map((line) => line.replace(/.*outcome="(\w+)"\} /, '$1 '));
  published.start();
  await until(() => outcomes().includes('success 1'));
  isDown = true;
  clock.advance(publishIntervalMs);
  await until(() => outcomes().includes('error 1'));
  assert.equal(stats(/max_offset/).length, 1, 'the last stats remain published');
  isDown = false;
  clock.advance(publishIntervalMs);
  await until(() => outcomes().includes('success 2'));
  isPublisher = false;
  clock.advance(publishIntervalMs);
  await until(() => stats(/offset|left_out/).length === 0);
  published.stop();
  isPublisher = true;
  clock.advance(publishIntervalMs);
  assert.deepEqual(outcomes(), ['success 2', 'error 1']);
});

test('which agent publishes', () => {
  const jobs = (agentId: string) => testAgent(agentId);
  const noJobs = (agentId: string) => testAgent(agentId, { roles: ['proxy'] });
  const table = [
    ['b', [jobs('a'), jobs('b')], false],
    ['a', [jobs('a'), jobs('b')], true],
    ['b', [noJobs('a'), jobs('b')], true],
    ['b', [testAgent('a', { jobCategories: ['events'] }), jobs('b')], true],
    ['b', [testAgent('a', { jobCategories: ['events', 'metrics'] }), jobs('b')], false],
    // The list of agents does not contain it yet.
    ['b', [], true],
    ['a', [jobs('b')], true],
    ['c', [jobs('b')], false],
  ] as const;
  for (const [agentId, agents, expected] of table) {
    assert.equal(
      isPublishingAgent(agentId, agents),
      expected,
      `${agentId} of ${agents.map((one) => one.agentId)}`,
    );
  }
});
