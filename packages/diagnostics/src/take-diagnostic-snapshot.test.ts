import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentSilenceMsMax } from '@weir/cluster';
import { agentReport, credentialsOf } from '@weir/cluster/testing';
import { oneBatchFile, startLeader, until } from '@weir/controlplane/testing';
import { coreLimits, systemClock } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { agentOf, dayMs, starredAcl } from '../testing/diagnostic-snapshot.ts';
import { RegistryLevels } from './registry-levels.ts';
import { takeDiagnosticSnapshot } from './take-diagnostic-snapshot.ts';

const options = () =>
  ({
    kind: 'kafka',
    nowMs: systemClock.nowMs,
    registryLevels: new RegistryLevels(),
    signal: new AbortController().signal,
  }) as const;
const mutation = { validateOnly: false };

async function makeTopic(node: ClusterNode, name: string, configs: Record<string, string> = {}) {
  const [made] = await node.createTopics([{ name, partitionCount: 4, configs }], mutation);
  assert.equal(made!.error, 'NONE', made!.message ?? '');
  return made!.topic!.topicId;
}

async function setClusterConfigs(node: ClusterNode, configs: Record<string, string>) {
  const changes = Object.entries(configs).map(([name, value]) => ({
    name,
    operation: 'set' as const,
    value,
  }));
  const [altered] = await node.alterConfigs(
    [{ kind: 'cluster', name: '', replacesAll: false, changes }],
    mutation,
  );
  assert.equal(altered!.error, 'NONE', altered!.message ?? '');
}

test('the snapshot of a new cluster is empty', async (t) => {
  const node = await startLeader(t);
  const snapshot = await takeDiagnosticSnapshot(node, { ...options(), nowMs: () => 77, utilization: 0.25 });
  assert.deepEqual(snapshot, {
    atMs: 77,
    cluster: {
      clusterId: 'vci_test',
      kind: 'kafka',
      topicCount: 0,
      partitionCount: 0,
      partitionCountMax: coreLimits.partitionsPerClusterMax,
    },
    agents: [],
    topics: [],
    groups: [],
    produce: undefined,
    buckets: undefined,
    metrics: undefined,
    invalidRecords: undefined,
    registry: {
      subjectCount: 0,
      uncheckedSubjectCount: 0,
      uncheckedSubjects: [],
      isUncheckedByDefault: false,
    },
    damagedFiles: undefined,
    deadFiles: {
      fileCount: 0,
      byteCount: 0,
      oldestDeadMs: undefined,
      deleteDelayMs: 600_000,
      isDeletionOn: true,
      deletingAgentCount: 0,
    },
    compaction: {
      lateLevels: [],
      lateTopics: [],
      mergingAgentCount: 0,
      pausedAgentCount: 0,
      problem: undefined,
    },
    failingJobs: [],
    waitingJobs: [],
    pipelines: undefined,
    tables: undefined,
    migration: undefined,
    alertChannels: undefined,
    controlPlaneUtilization: 0.25,
    metadataBackupAgeMs: undefined,
    acls: { mode: 'off', ruleCount: 0, invalid: [] },
    credentials: [],
    delegationTokens: [],
  });
});

test('topics have their effective retention', async (t) => {
  const node = await startLeader(t);
  await setClusterConfigs(node, { 'log.retention.ms': '-1' });
  await makeTopic(node, 'all');
  await makeTopic(node, 'by-size', { 'retention.bytes': '1000' });
  await makeTopic(node, 'by-time', { 'retention.ms': String(dayMs) });
  await makeTopic(node, 'compacted', { 'cleanup.policy': 'compact' });
  const { topics, cluster } = await takeDiagnosticSnapshot(node, options());
  const rows = topics!.map(({ name, isDeleting, retentionMs, retentionBytes }) => {
    return [name, isDeleting, retentionMs, retentionBytes];
  });
  assert.deepEqual(rows.sort(), [
    ['all', true, undefined, undefined],
    ['by-size', true, undefined, 1000],
    ['by-time', true, dayMs, undefined],
    ['compacted', false, undefined, undefined],
  ]);
  assert.equal(cluster.partitionCount, 16);
});

test('groups have their members, and their committed offsets against the readable ends', async (t) => {
  const node = await startLeader(t);
  const [orders, gone] = [await makeTopic(node, 'orders'), await makeTopic(node, 'gone')];
  await node.commitFiles([oneBatchFile(1, orders, 0, 10)]);
  const offset = { partition: 0, offset: 4, leaderEpoch: -1, metadata: '' };
  const committer = {
    groupId: 'billing',
    memberId: '',
    generationIdOrMemberEpoch: -1,
    groupInstanceId: null,
    retentionMs: -1,
  };
  const offsets = [
    { ...offset, topicId: orders },
    { ...offset, topicId: orders, partition: 1, offset: 0 },
    { ...offset, topicId: gone },
  ];
  const [answer] = await node.commitOffsets([{ ...committer, offsets }]);
  assert.deepEqual(answer, { error: 'NONE', offsets: ['NONE', 'NONE', 'NONE'] });
  await node.deleteTopics([{ topicId: gone }]);
  const [heartbeat] = await node.consumerGroupHeartbeats([
    {
      groupId: 'shipping',
      memberId: 'm1',
      memberEpoch: 0,
      instanceId: null,
      rackId: null,
      clientId: 'c',
      clientHost: '/127.0.0.1',
      rebalanceTimeoutMs: 60_000,
      subscribedTopicNames: ['orders'],
      subscribedTopicRegex: null,
      serverAssignor: null,
      ownedPartitions: [],
      requiresMemberId: true,
    },
  ]);
  assert.equal(heartbeat!.error, 'NONE');
  const { groups } = await takeDiagnosticSnapshot(node, options());
  const shown = groups!.map(({ groupId, memberCount, partitions }) => ({ groupId, memberCount, partitions }));
  assert.deepEqual(
    shown.sort((a, b) => (a.groupId < b.groupId ? -1 : 1)),
    [
      {
        groupId: 'billing',
        memberCount: 0,
        partitions: [
          { topic: 'orders', partition: 0, committedOffset: 4, endOffset: 10 },
          { topic: 'orders', partition: 1, committedOffset: 0, endOffset: 0 },
        ],
      },
      { groupId: 'shipping', memberCount: 1, partitions: [] },
    ],
  );
});

test('the snapshot has the agents, ACLs and credentials of the cluster', async (t) => {
  const node = await startLeader(t);
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  await setClusterConfigs(node, { 'service.acl.shadowing.enabled': 'true' });
  await node.createAcls([starredAcl, { ...starredAcl, resourceName: 'orders' }]);
  const snapshot = await takeDiagnosticSnapshot(node, options());
  const [{ lastSeenMs: seenMs, ...shown } = agentOf('none')] = snapshot.agents;
  assert.deepEqual(shown, agent);
  assert.ok(snapshot.atMs - seenMs < agentSilenceMsMax);
  assert.equal(snapshot.acls?.mode, 'shadow');
  assert.equal(snapshot.acls?.ruleCount, 2);
  assert.deepEqual(
    snapshot.acls?.invalid.map(({ acl }) => acl),
    [starredAcl],
  );
});

test('the snapshot has the reports of agents, and the last use of each credential', async (t) => {
  const node = await startLeader(t);
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  const credentials = credentialsOf('ann', 'bob');
  for (const { error } of await node.putCredentials(credentials)) assert.equal(error, 'NONE');
  const nowMs = systemClock.nowMs();
  await node.heartbeat({
    ...agent,
    report: agentReport(nowMs, {
      nowMs: nowMs + dayMs,
      files: { count: 3, bytes: 300 },
      metrics: [{ name: 'm', seriesCount: 9_000 }],
      certificates: [{ name: 'kafka.example', expiresMs: nowMs }],
      logins: [{ username: 'ann', agoMs: 0 }],
    }),
  });
  const snapshot = await takeDiagnosticSnapshot(node, options());
  assert.partialDeepStrictEqual(snapshot.produce, { spanMs: 20_000, fileCount: 3, fileBytes: 300 });
  assert.deepEqual(snapshot.metrics, [{ name: 'm', seriesCount: 9_000 }]);
  const [shown] = snapshot.agents;
  assert.deepEqual(shown!.certificates, [{ name: 'kafka.example', expiresMs: nowMs }]);
  assert.ok(Math.abs(shown!.clockOffsetMs! - dayMs) < agentSilenceMsMax);
  const lastUsedMs = new Map(snapshot.credentials!.map((one) => [one.username, one.lastUsedMs]));
  assert.ok(Math.abs(lastUsedMs.get('ann')! - nowMs) < 5_000);
  assert.equal(lastUsedMs.get('bob'), null, 'unused since it was made');
});

test('a damaged file is in the snapshot as long as its offsets are in the log', async (t) => {
  const node = await startLeader(t);
  const orders = await makeTopic(node, 'orders');
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  const nowMs = systemClock.nowMs();
  const offsets = { partition: 0, firstOffset: 3, nextOffset: 9 };
  await node.heartbeat({
    ...agent,
    report: agentReport(nowMs, {
      damagedFiles: [
        {
          fileId: 'f',
          kind: 'missing',
          partitionCount: 3,
          partitions: [
            { topicId: orders, ...offsets },
            { topicId: 'gone', ...offsets },
          ],
        },
        { fileId: 'g', kind: 'short', partitionCount: 1, partitions: [{ topicId: 'gone', ...offsets }] },
      ],
    }),
  });
  const { damagedFiles } = await takeDiagnosticSnapshot(node, options());
  assert.deepEqual(damagedFiles, [
    { fileId: 'f', kind: 'missing', partitionCount: 2, partitions: [{ topic: 'orders', ...offsets }] },
  ]);
  await node.deleteTopics([{ topicId: orders }]);
  assert.deepEqual((await takeDiagnosticSnapshot(node, options())).damagedFiles, []);
});

test('an aborted snapshot stops following the cluster', async () => {
  let followers = 0;
  const refuse = () => Promise.reject(new Error('not asked'));
  const silent = {
    follow() {
      followers++;
      return () => {
        followers--;
      };
    },
    listAgents: async () => [],
    noteHealth: () => {},
    receivedReports: async () => ({
      reports: new Map(),
      lost: [],
      loginsReceivedSinceMs: undefined,
    }),
    listGroups: refuse,
    describeGroups: refuse,
    describeConsumerGroups: refuse,
    fetchOffsets: refuse,
    listCredentials: refuse,
    listJobs: refuse,
    fileTotals: refuse,
    compactionBacklog: refuse,
    readRegistry: refuse,
    listReportedTables: refuse,
    listManagedTopics: refuse,
    describeReportedMigration: refuse,
  };
  const controller = new AbortController();
  const taken = takeDiagnosticSnapshot(silent, { ...options(), signal: controller.signal });
  await until(() => followers > 0);
  assert.equal(followers, 1);
  controller.abort(new Error('given up'));
  await assert.rejects(taken, /given up/);
  assert.equal(followers, 0);
});
