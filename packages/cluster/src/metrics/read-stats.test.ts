import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { coreLimits, Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';
import { fileCommit } from '../../testing/file-commit.ts';
import type { AgentDescription } from '../calls/agents/agent-calls.ts';
import { CallRefused, ClusterUnavailable } from '../calls/call-errors.ts';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import { acknowledgeTypes } from '../calls/groups/share-calls.ts';
import { readMeasuredSnapshot } from './measured-cluster-snapshot.ts';
import { publishedMetrics } from './published-metrics.ts';
import { PublishedStats } from './published-stats.ts';
import { type ClusterMetricsSettings, readStats } from './read-stats.ts';

const everything: ClusterMetricsSettings = { includesGroups: true, withoutTags: [] };
const waitMsMax = 1_000;
const minuteMs = 60_000;
let count = 0;

/** A cluster over an in-memory journal; it leads if `isStarted`. */
async function startNode(t: TestContext, { isStarted = true } = {}) {
  const clock = new HandClock();
  const hub = openJournals(`memory://stats-${count++}`, { clock, log: silentLog });
  const clusterId = 'vci_test';
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'a', url: '' },
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  if (isStarted) {
    node.start();
    t.after(() => node.stop());
    await clock.pass(100);
  }
  let files = 0;
  return {
    clock,
    node,
    async addTopic(name: string, partitionCount: number, configs: Readonly<Record<string, string>> = {}) {
      const topics = [{ name, partitionCount, configs }];
      const [made] = await node.createTopics(topics, { validateOnly: false });
      return made!.topic!.topicId;
    },
    async write(topicId: string, partition: number, recordCount: number) {
      await node.commitFiles([fileCommit(++files, topicId, [{ partition, recordCount }])]);
    },
    /** The lines of a scrape, without the prefix, sorted by name. */
    async scrape(pattern: RegExp, settings = everything, port: ClusterPort = node) {
      const metrics = new Metrics();
      const view = await readMeasuredSnapshot(port, { clock, waitMsMax });
      const { stats } = await readStats(view, settings, clock);
      new PublishedStats(metrics, { seriesMax: 100 }).show(stats);
      return metrics
        .render()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.replace('service_', ''))
        .filter((line) => pattern.test(line));
    },
  };
}

function agent(agentId: string, differences: Partial<AgentDescription> = {}): AgentDescription {
  return {
    agentId,
    nodeId: 1,
    host: 'h',
    kafkaPort: 9092,
    internalUrl: '',
    zone: 'z1',
    group: '',
    roles: ['proxy', 'jobs'],
    release: 'v1',
    cpuCount: 4,
    cpuLoad: 0,
    ...differences,
  };
}

test('cluster totals: topics, partitions, records, bytes and files', async (t) => {
  const { node, addTopic, write, scrape } = await startNode(t);
  const orders = await addTopic('orders', 2);
  await addTopic('empty', 1);
  for (const [partition, records] of [
    [0, 5],
    [0, 2],
    [1, 3],
  ] as const) {
    await write(orders, partition, records);
  }
  await node.deleteRecords([{ topicId: orders, partition: 0, offset: 5 }]);
  assert.deepEqual(
    await scrape(/^(?!consumer|agent)/, { includesGroups: true, withoutTags: ['partition'] }),
    [
      'dead_files_bytes 100',
      'dead_files_count 1',
      'files_bytes{level="0"} 200',
      'files_count{level="0"} 2',
      'ingested_bytes_per_second 0',
      'max_offset{topic="empty"} 0',
      'max_offset{topic="orders"} 7',
      'min_offset{topic="empty"} 0',
      'min_offset{topic="orders"} 0',
      'num_records{topic="empty"} 0',
      'num_records{topic="orders"} 5',
      'partition_size_estimated_compressed_bytes{topic="empty"} 0',
      'partition_size_estimated_compressed_bytes{topic="orders"} 200',
      'partitions_count 3',
      `partitions_count_limit ${coreLimits.partitionsPerClusterMax}`,
      'produced_records{topic="empty"} 0',
      'produced_records{topic="orders"} 10',
      'topics_count 2',
      `topics_count_limit ${coreLimits.partitionsPerClusterMax}`,
    ],
  );
});

test('requests, ingested bytes and write amplification come from the reports of agents', async (t) => {
  const { clock, node, scrape } = await startNode(t);
  const report = (number: number) => ({
    startedMs: 1,
    number,
    sinceNumber: number - 1,
    spanMs: 20_000,
    nowMs: clock.nowMs(),
    files: { count: 2, bytes: 1_000 },
    mergedBytes: 1_500,
    buckets: [{ name: 's3://records', operationCount: 9, failureCount: 0, requests: [20, 10, 0, 5] }],
  });
  for (const agentId of ['a', 'b'])
    for (const number of [1, 2]) await node.heartbeat({ ...agent(agentId), report: report(number) });
  await clock.pass(20_000);
  const lines = await scrape(/^(?:bucket|ingested|write)/);
  const values = new Map(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]));
  const puts = values.get('bucket_requests_per_second{bucket="s3://records",kind="put"}')!;
  assert.ok(puts > 0);
  assert.deepEqual(
    [...values].map(([name, value]) => [name, Math.round((80 * value) / puts)]),
    [
      ['bucket_requests_per_second{bucket="s3://records",kind="put"}', 80],
      ['bucket_requests_per_second{bucket="s3://records",kind="get"}', 40],
      ['bucket_requests_per_second{bucket="s3://records",kind="list"}', 0],
      ['bucket_requests_per_second{bucket="s3://records",kind="delete"}', 20],
      ['ingested_bytes_per_second', 4_000],
      ['write_amplification_ratio', Math.round((80 * 1.5) / puts)],
    ],
  );
  assert.equal(values.get('write_amplification_ratio'), 1.5);
});

test('the dirty ratio is that of the dirtiest compacted partition, once compactions were planned', async (t) => {
  const { clock, node, addTopic, write, scrape } = await startNode(t);
  const dirtyRatio = () => scrape(/^key_compaction/);
  await write(await addTopic('deleted', 1), 0, 1);
  await clock.pass(minuteMs);
  assert.deepEqual(await dirtyRatio(), [], 'no agent takes jobs');
  void node.claimJobs({ agentId: 'a', kinds: [], slots: 1, waitMs: 0 });
  await clock.pass(minuteMs);
  assert.deepEqual(await dirtyRatio(), ['key_compaction_dirty_ratio_max 0']);
  const table = await addTopic('table', 2, { 'cleanup.policy': 'compact' });
  const commit = fileCommit(9, table, [{ partition: 1, recordCount: 1 }]);
  const fileId = clock.nowMs().toString(16).padStart(12, '0').padEnd(32, '0');
  await node.commitFiles([{ ...commit, fileId }]);
  await clock.pass(20 * minuteMs);
  assert.deepEqual(await dirtyRatio(), ['key_compaction_dirty_ratio_max 1']);
});

test('agents are published with their own descriptions', async (t) => {
  const { node, scrape } = await startNode(t);
  await node.heartbeat(agent('b', { roles: ['proxy'], group: 'blue', cpuLoad: 0.25, release: 'v2' }));
  await node.heartbeat(agent('a', { cpuCount: 8 }));
  const a = 'agent="a",group="",zone="z1",agent_version="v1"';
  const b = 'agent="b",group="blue",zone="z1",agent_version="v2"';
  assert.deepEqual(await scrape(/^agent/), [
    `agent_cpu{${a}} 0`,
    `agent_cpu{${b}} 0.25`,
    `agent_heartbeat{${a},roles="jobs,proxy"} 1`,
    `agent_heartbeat{${b},roles="proxy"} 1`,
    `agent_num_vcpus{${a}} 8`,
    `agent_num_vcpus{${b}} 4`,
  ]);
});

test('commit times are in nanoseconds; without the partition tag, the latest is published', async (t) => {
  const { clock, node, addTopic, scrape } = await startNode(t);
  const topicId = await addTopic('t', 2);
  const times: number[] = [];
  for (const partition of [0, 1]) {
    await clock.pass(1_000);
    await node.commitOffsets([
      {
        groupId: 'g',
        generationIdOrMemberEpoch: -1,
        memberId: '',
        groupInstanceId: null,
        retentionMs: -1,
        offsets: [{ topicId, partition, offset: 0, leaderEpoch: -1, metadata: '' }],
      },
    ]);
    times.push(clock.nowMs());
  }
  const [first, last] = times.map((ms) => `${ms}000000`);
  assert.deepEqual(await scrape(/commit_ts/), [
    `consumer_group_commit_ts{topic="t",consumer_group="g",partition="0"} ${first}`,
    `consumer_group_commit_ts{topic="t",consumer_group="g",partition="1"} ${last}`,
  ]);
  assert.deepEqual(await scrape(/commit_ts/, { includesGroups: true, withoutTags: ['partition'] }), [
    `consumer_group_commit_ts{topic="t",consumer_group="g"} ${last}`,
  ]);
});

test('lag of a share group counts records that are not done, at any offset', async (t) => {
  const { node, addTopic, write, scrape } = await startNode(t);
  const topicId = await addTopic('t', 2);
  const changes = [{ name: 'share.auto.offset.reset', operation: 'set', value: 'earliest' }] as const;
  await node.alterConfigs([{ kind: 'group', name: 'g', replacesAll: false, changes }], {
    validateOnly: false,
  });
  await node.shareGroupHeartbeats([
    {
      groupId: 'g',
      memberId: 'm',
      memberEpoch: 0,
      rackId: null,
      clientId: 'c',
      clientHost: '/h',
      subscribedTopicNames: ['t'],
    },
  ]);
  await write(topicId, 0, 10);
  const lag = () => scrape(/^consumer_group_(?:lag|max|est|commit)/);
  assert.deepEqual(await lag(), [], 'the group has read nothing yet');
  const place = { topicId, partition: 0 };
  await node.acquireRecords({
    groupId: 'g',
    memberId: 'm',
    partitions: [place],
    recordsMax: 100,
    bytesMax: 1_000_000,
    bytesMin: 1,
    waitMs: 0,
  });
  const labels = '{topic="t",consumer_group="g",partition="0"}';
  const done = async (firstOffset: number, lastOffset: number) => {
    const acknowledged = {
      ...place,
      firstOffset: Float64Array.of(firstOffset),
      lastOffset: Float64Array.of(lastOffset),
      type: Uint8Array.of(acknowledgeTypes.indexOf('accept')),
    };
    const request = { groupId: 'g', memberId: 'm', partitions: [acknowledged], released: [] };
    assert.deepEqual((await node.acknowledgeRecords([request]))[0]!.partitions, ['NONE']);
    return (await lag()).filter((line) => !line.includes('seconds'));
  };
  assert.deepEqual(await done(0, 1), [
    `consumer_group_lag${labels} 8`,
    `consumer_group_max_offset${labels} 2`,
  ]);
  assert.deepEqual(await done(5, 9), [
    `consumer_group_lag${labels} 3`,
    `consumer_group_max_offset${labels} 2`,
  ]);
  await done(2, 4);
  assert.deepEqual(await lag(), [
    `consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds${labels} 0`,
    `consumer_group_lag${labels} 0`,
    `consumer_group_max_offset${labels} 10`,
  ]);
});

test('tables have lags, sizes and limits from the reports of agents, under names without a prefix', async (t) => {
  const { node, scrape } = await startNode(t);
  assert.deepEqual(await scrape(/tableflow/), []);
  const state = {
    tableUuid: 'u',
    tableName: 'k__orders',
    topic: 'orders',
    configurationId: 'c',
    hasConfiguration: true,
    partitions: [{ partition: 0, nextOffset: 1, endOffset: 8 }],
    partitionCount: 1,
    stoppedPartitionCount: 0,
    lagRecords: 7,
    ingestionLagMs: 1_500,
    keptRecordCount: 0,
    droppedRecordCount: 0,
    isFailing: false,
  };
  const counts = { fileCount: 4, snapshotCount: 3, tablePartitionCount: 2, tablePartitionLimit: 10_000 };
  const limits = { snapshotLimit: 2_000, fileLimit: 200_000 };
  const full = { ...state, ...counts, ...limits, queryLagMs: 2_500 };
  await node.reportTables({ agentId: 'a', tables: [full, { ...state, tableUuid: 'v' }] });
  const replays = [{ tableUuid: 'u', lagRecords: 5, lagMs: 60_000 }];
  await node.reportTables({ agentId: 'b', tables: [], replays });
  const labels = (uuid: string) => `table_name="k__orders",table_uuid="${uuid}",topic="orders"`;
  const found = (await scrape(/tableflow/)).map((line) => line.replace(/(?<={)(.*)(?=})/, sorted));
  assert.deepEqual(found, [
    `tableflow_files_count{${labels('u')}} 4`,
    `tableflow_files_limit{${labels('u')}} 200000`,
    `tableflow_ingestion_lag_seconds{${labels('u')}} 1.5`,
    `tableflow_ingestion_lag_seconds{${labels('v')}} 1.5`,
    `tableflow_partition_offset_lag{is_dlq="false",${labels('u')}} 7`,
    `tableflow_partition_offset_lag{is_dlq="true",${labels('u')}} 5`,
    `tableflow_partition_offset_lag{is_dlq="false",${labels('v')}} 7`,
    `tableflow_partition_time_lag_seconds{is_dlq="false",${labels('u')}} 1.5`,
    `tableflow_partition_time_lag_seconds{is_dlq="true",${labels('u')}} 60`,
    `tableflow_partition_time_lag_seconds{is_dlq="false",${labels('v')}} 1.5`,
    `tableflow_partitions_count{${labels('u')}} 2`,
    `tableflow_partitions_limit{${labels('u')}} 10000`,
    `tableflow_query_lag_seconds{${labels('u')}} 2.5`,
    `tableflow_snapshots_count{${labels('u')}} 3`,
    `tableflow_snapshots_limit{${labels('u')}} 2000`,
    'tableflow_tables_count 2',
    `tableflow_tables_limit ${coreLimits.tablesPerClusterMax}`,
  ]);
});

const sorted = (labels: string) => labels.split(',').sort().join();

test('a leader of an older release that does not count files is still measured', async (t) => {
  const { node, scrape } = await startNode(t);
  const older = new Proxy<ClusterPort>(node, {
    get(target, name) {
      if (['countFiles', 'fileTotals', 'storageTraffic', 'listReportedTables'].includes(String(name)))
        return () => Promise.reject(new CallRefused('invalid', 'no such call'));
      const found = Reflect.get(target, name) as unknown;
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  assert.deepEqual(await scrape(/^(?:files|topics|dead|bucket|ingested)/, everything, older), [
    'topics_count 0',
    `topics_count_limit ${coreLimits.partitionsPerClusterMax}`,
  ]);
});

test('a cluster without a leader fails at once, and a silent one after the timeout', async (t) => {
  const { clock, node } = await startNode(t, { isStarted: false });
  await assert.rejects(readMeasuredSnapshot(node, { clock, waitMsMax }), ClusterUnavailable);
  const silent = new Proxy<ClusterPort>(node, {
    get: (target, name) => {
      if (name === 'listAgents') return () => Promise.resolve([]);
      const found = Reflect.get(target, name) as unknown;
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const reading = assert.rejects(readMeasuredSnapshot(silent, { clock, waitMsMax }), /in time/);
  await clock.pass(waitMsMax);
  await reading;
});

test('measuring many partitions yields to the event loop', async (t) => {
  const { clock, node, addTopic } = await startNode(t);
  await addTopic('wide', 12_000);
  const view = await readMeasuredSnapshot(node, { clock, waitMsMax });
  let breaks = 0;
  const patient = {
    ...clock,
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after(_delayMs: number, run: () => void) {
      breaks++;
      queueMicrotask(run);
      return () => {};
    },
  };
  const { stats } = await readStats(view, { includesGroups: true, withoutTags: ['partition'] }, patient);
  assert.equal(breaks, 4);
  const offsets = [...stats.families()].find(({ row }) => row.name === 'max_offset')!;
  assert.equal(offsets.stats.size, 1);
});

test('every metric has a unique name and a help text', () => {
  const names = publishedMetrics.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, help } of publishedMetrics) {
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.match(help, /^[A-Z].*\.$/, name);
  }
});
