import {
  type ClusterHealth,
  type ClusterPort,
  type ClusterSnapshot,
  type CompactionBacklog,
  clusterConfigValue,
  describeConfigs,
  type FileTotals,
  fileCompactionKind,
  fileDeletionKind,
  type GroupListing,
  invalidAcls,
  type JobsState,
  type ReceivedReports,
  type ReportedDamage,
  readAcls,
  readDelegationToken,
  SnapshotTopics,
  takeSnapshot,
} from '@weir/cluster';
import { coreLimits } from '@weir/core';

import type {
  AclFacts,
  AlertChannelFacts,
  ClusterFacts,
  CompactionFacts,
  DamagedFileFacts,
  DeadFileFacts,
  DelegationTokenFacts,
  DiagnosticSnapshot,
  GroupFacts,
  GroupPartition,
  TopicFacts,
} from './diagnostic-snapshot.ts';
import { diagnosticLimits } from './limits.ts';
import { migrationFacts, type WantedMigration } from './migration-facts.ts';
import { pipelineFacts, type WantedPipeline } from './pipeline-facts.ts';
import type { RegistryLevels } from './registry-levels.ts';
import { lastUsed, reportedFacts } from './reported-facts.ts';
import { type TableToWrite, tableFacts } from './table-facts.ts';

/** The calls to a leader that a snapshot needs. */
export interface DiagnosticCluster
  extends Pick<
    ClusterPort,
    | 'follow'
    | 'listAgents'
    | 'listGroups'
    | 'describeGroups'
    | 'describeConsumerGroups'
    | 'fetchOffsets'
    | 'listCredentials'
    | 'listJobs'
    | 'fileTotals'
    | 'compactionBacklog'
    | 'readRegistry'
    | 'listReportedTables'
    | 'listManagedTopics'
    | 'describeReportedMigration'
  > {
  receivedReports(): Promise<ReceivedReports>;
  /** Notes the result, for agents that publish it. */
  noteHealth(health: ClusterHealth): void;
}

interface DiagnosticSnapshotOptions {
  readonly kind: ClusterFacts['kind'];
  readonly nowMs: () => number;
  /** The load of the process that leads the cluster, if it is measured. */
  readonly utilization?: number | undefined;
  /** How long ago the metadata backup had everything, if there is a backup. */
  readonly backupAgeMs?: number | undefined;
  /** Channels of alerts whose last attempts failed; `undefined` if unknown. */
  readonly alertChannels?: readonly AlertChannelFacts[] | undefined;
  /** Pipelines that should run; `undefined` if unknown. */
  readonly pipelines?: readonly WantedPipeline[] | undefined;
  /** Tables that should be written; `undefined` if unknown, or if the cluster has none. */
  readonly tables?: readonly TableToWrite[] | undefined;
  /** The migration that should run; `null` if none should, `undefined` if unknown. */
  readonly migration?: WantedMigration | null | undefined;
  /** What is known of the registry of the cluster from earlier snapshots. */
  readonly registryLevels: RegistryLevels;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/** Compaction of files is late when it has not happened for this long after it was due. */
const lateMs = 3_600_000;

/** Groups per call, so that the leader can do other work in between. */
const groupsPerCall = 200;

/**
 * Takes the snapshot of a cluster at its leader, from the leader's own state and from the reports of its agents in the
 * last minute.
 */
export async function takeDiagnosticSnapshot(
  cluster: DiagnosticCluster,
  {
    kind,
    nowMs,
    utilization,
    backupAgeMs,
    alertChannels,
    pipelines,
    tables,
    migration,
    registryLevels,
    signal,
  }: DiagnosticSnapshotOptions,
): Promise<DiagnosticSnapshot> {
  // First, because a process that no longer leads fails here, and never returns a snapshot.
  const agents = await cluster.listAgents();
  const received = await cluster.receivedReports();
  const atMs = nowMs();
  const snapshot = await takeSnapshot(cluster, { stop: signal });
  const groups = await groupsOf(cluster, snapshot, signal);
  const credentials = await cluster.listCredentials();
  const jobs = await cluster.listJobs();
  const files = await cluster.fileTotals();
  const backlog = await cluster.compactionBacklog(Math.max(0, atMs - lateMs));
  const reports = tables === undefined ? [] : await cluster.listReportedTables();
  const registry = await registryLevels.read(cluster, signal);
  const { produce, buckets, metrics, damagedFiles, invalidRecords, ofAgent } = reportedFacts(received, atMs);
  const { clusterId, topics } = snapshot;
  return {
    atMs,
    cluster: {
      clusterId,
      kind,
      topicCount: topics.length,
      partitionCount: topics.reduce((sum, { partitionCount }) => sum + partitionCount, 0),
      partitionCountMax: coreLimits.partitionsPerClusterMax,
    },
    agents: [...agents.map((agent) => ({ ...agent, ...ofAgent(agent.agentId) })), ...received.lost],
    topics: topicsOf(snapshot),
    groups,
    produce,
    buckets,
    metrics,
    invalidRecords,
    registry,
    damagedFiles: damagedFiles && damagedFilesIn(damagedFiles, new SnapshotTopics(snapshot)),
    deadFiles: deadFilesOf(files, jobs, snapshot),
    compaction: compactionOf(backlog, jobs, new SnapshotTopics(snapshot), atMs),
    failingJobs: jobs.jobs
      .filter(({ failureCount }) => failureCount > 0)
      .map(({ kind, scope, failureCount, state, message }) => {
        return { kind, scope, failureCount, isStopped: state === 'stopped', message };
      }),
    waitingJobs: waitingJobsOf(jobs),
    pipelines: pipelines?.map((pipeline) => pipelineFacts(pipeline, jobs)),
    tables: tables && tableFacts(tables, jobs, reports),
    migration: migration && (await migrationOf(cluster, migration, jobs)),
    alertChannels,
    controlPlaneUtilization: utilization,
    metadataBackupAgeMs: backupAgeMs,
    acls: aclsOf(snapshot),
    delegationTokens: delegationTokensOf(snapshot),
    credentials: credentials.map(({ username, isSuperuser, createdMs, lastUsedMs }) => ({
      username,
      isSuperuser,
      createdMs,
      lastUsedMs: lastUsed(received, { createdMs, lastUsedMs }),
    })),
  };
}

async function migrationOf(cluster: DiagnosticCluster, wanted: WantedMigration, jobs: JobsState) {
  const managed = await cluster.listManagedTopics({ pipelineId: wanted.pipelineId });
  const reported = await cluster.describeReportedMigration(wanted.pipelineId);
  return migrationFacts(wanted, managed, reported, jobs);
}

function topicsOf({ topics, clusterConfigs }: ClusterSnapshot): readonly TopicFacts[] {
  const names = ['cleanup.policy', 'retention.ms', 'retention.bytes'];
  return topics.map(({ name, partitionCount, configs }) => {
    const described = describeConfigs('topic', {
      texts: configs,
      clusterTexts: clusterConfigs,
      agentTexts: {},
      names,
    });
    const values = new Map(described.map((config) => [config.name, config.value ?? '']));
    return {
      name,
      partitionCount,
      isDeleting: values.get('cleanup.policy')!.includes('delete'),
      retentionMs: limitOf(values.get('retention.ms')!),
      retentionBytes: limitOf(values.get('retention.bytes')!),
    };
  });
}

/** Returns those whose offsets are still in the log: an agent that is gone cannot report that they were deleted. */
function damagedFilesIn(
  reported: readonly ReportedDamage[],
  topics: SnapshotTopics,
): readonly DamagedFileFacts[] {
  return reported.flatMap(({ fileId, kind, partitionCount, partitions }) => {
    const left = partitions.flatMap(({ topicId, partition, firstOffset, nextOffset }) => {
      const topic = topics.topicById(topicId)?.name;
      const startOffset = topics.ends(topicId, partition)?.logStartOffset;
      if (topic === undefined || startOffset === undefined || startOffset >= nextOffset) return [];
      return [{ topic, partition, firstOffset: Math.max(firstOffset, startOffset), nextOffset }];
    });
    if (left.length === 0) return [];
    return [
      { fileId, kind, partitionCount: partitionCount - partitions.length + left.length, partitions: left },
    ];
  });
}

function deadFilesOf(
  { deadFiles, deadBytes, oldestDeadMs }: FileTotals,
  { takers }: JobsState,
  { clusterConfigs }: ClusterSnapshot,
): DeadFileFacts {
  return {
    fileCount: deadFiles,
    byteCount: deadBytes,
    oldestDeadMs: oldestDeadMs ?? undefined,
    deleteDelayMs: clusterConfigValue('service.file.delete.delay.ms', clusterConfigs),
    isDeletionOn: clusterConfigValue('service.file.delete.enable', clusterConfigs),
    deletingAgentCount: takers.find(({ kind }) => kind === fileDeletionKind)?.agentCount ?? 0,
  };
}

function compactionOf(
  { levels, partitions = [] }: CompactionBacklog,
  { jobs, takers }: JobsState,
  topics: SnapshotTopics,
  atMs: number,
): CompactionFacts {
  const taker = takers.find(({ kind }) => kind === fileCompactionKind);
  const failing = jobs.find(({ kind, failureCount }) => kind === fileCompactionKind && failureCount > 0);
  const lateTopics = new Map<string, { name: string; partitionCount: number; dueMs: number }>();
  for (const { topicId, dueMs } of partitions) {
    const name = topics.topicById(topicId)?.name;
    if (name === undefined || dueMs > atMs - lateMs) continue;
    const topic = lateTopics.get(topicId) ?? { name, partitionCount: 0, dueMs };
    lateTopics.set(topicId, topic);
    topic.partitionCount++;
    topic.dueMs = Math.min(topic.dueMs, dueMs);
  }
  return {
    lateLevels: levels,
    lateTopics: [...lateTopics.values()],
    mergingAgentCount: taker?.agentCount ?? 0,
    pausedAgentCount: taker?.pausedCount ?? 0,
    problem: failing?.message,
  };
}

function waitingJobsOf({ jobs, takers }: JobsState): DiagnosticSnapshot['waitingJobs'] {
  return takers.flatMap(({ kind, agentCount, pausedCount }) => {
    const waiting = jobs.filter((job) => job.kind === kind && job.state === 'waiting');
    if (waiting.length === 0) return [];
    const oldestMs = Math.min(...waiting.map(({ plannedMs }) => plannedMs));
    return [{ kind, jobCount: waiting.length, oldestMs, agentCount, pausedCount }];
  });
}

/** Kafka uses -1 for no limit. */
function limitOf(value: string): number | undefined {
  const limit = Number(value);
  return value === '' || limit < 0 ? undefined : limit;
}

function aclsOf({ records, clusterConfigs }: ClusterSnapshot): AclFacts {
  const keys = records.filter(({ namespace }) => namespace === 'acl').map(({ key }) => key);
  const rules = [...readAcls(keys)];
  const isShadowing = clusterConfigValue('service.acl.shadowing.enabled', clusterConfigs);
  const isEnforced = clusterConfigValue('service.acls.enabled', clusterConfigs);
  return {
    mode: isEnforced ? 'enforced' : isShadowing ? 'shadow' : 'off',
    ruleCount: rules.length,
    invalid: invalidAcls(rules),
  };
}

function delegationTokensOf({ records }: ClusterSnapshot): readonly DelegationTokenFacts[] {
  return records
    .filter(({ namespace }) => namespace === 'delegationToken')
    .map(({ key, value }) => {
      const { owner, issuedMs, expiresMs, endsMs } = readDelegationToken(value);
      return { tokenId: key, owner, issuedMs, expiresMs, endsMs };
    });
}

/** Returns groups with offsets, as many as can be followed. Share groups have none: the broker assigns the records. */
async function groupsOf(
  cluster: DiagnosticCluster,
  snapshot: ClusterSnapshot,
  signal: AbortSignal,
): Promise<readonly GroupFacts[]> {
  const listed = await cluster.listGroups({ states: [], types: ['classic', 'consumer'] });
  const topics = new SnapshotTopics(snapshot);
  const groups: GroupFacts[] = [];
  let partitionCount = 0;
  for (
    let begin = 0;
    begin < Math.min(listed.length, diagnosticLimits.diagnosedGroupsMax);
    begin += groupsPerCall
  ) {
    signal.throwIfAborted();
    const some = listed.slice(begin, Math.min(begin + groupsPerCall, diagnosticLimits.diagnosedGroupsMax));
    const memberCounts = await memberCountsOf(cluster, some);
    const partitions = await partitionsOf(cluster, some, topics);
    for (const [index, { groupId, state }] of some.entries()) {
      const memberCount = memberCounts.get(groupId) ?? 0;
      groups.push({ groupId, state, memberCount, partitions: partitions[index]! });
      partitionCount += partitions[index]!.length;
    }
    if (partitionCount >= diagnosticLimits.diagnosedPartitionsMax) break;
  }
  return groups;
}

async function memberCountsOf(
  cluster: DiagnosticCluster,
  groups: readonly GroupListing[],
): Promise<ReadonlyMap<string, number>> {
  // An empty group has no members to count, which saves a call for most groups of some clusters.
  const idsOf = (type: GroupListing['type']) =>
    groups.filter((group) => group.type === type && group.state !== 'Empty').map(({ groupId }) => groupId);
  const described = [
    ...(await cluster.describeGroups(idsOf('classic'))),
    ...(await cluster.describeConsumerGroups(idsOf('consumer'))),
  ];
  return new Map(described.map(({ groupId, members }) => [groupId, members.length]));
}

/** In the order of the groups. Offsets of deleted topics do not count as lag. */
async function partitionsOf(
  cluster: DiagnosticCluster,
  groups: readonly GroupListing[],
  topics: SnapshotTopics,
): Promise<readonly (readonly GroupPartition[])[]> {
  const answers = await cluster.fetchOffsets(
    groups.map(({ groupId }) => {
      return { groupId, memberId: null, memberEpoch: -1, requireStable: false, partitions: null };
    }),
  );
  return answers.map(({ offsets }) =>
    offsets.flatMap(({ topicId, partition, offset, error }) => {
      const topic = topics.topicById(topicId)?.name;
      const ends = topics.ends(topicId, partition);
      if (topic === undefined || ends === undefined || error !== 'NONE' || offset < 0) return [];
      // Records of an open transaction cannot be read yet, so they do not count as lag.
      return [{ topic, partition, committedOffset: offset, endOffset: ends.lastStableOffset }];
    }),
  );
}
