import type {
  AgentFacts,
  DiagnosticSnapshot,
  GroupFacts,
  GroupPartition,
} from '../src/diagnostic-snapshot.ts';

export const snapshotMs = 1_700_000_000_000;
export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** A rule that has no effect: within a name, a star is a character like any other, and no topic may have it. */
export const starredAcl = {
  resourceType: 'TOPIC',
  resourceName: 'orders*',
  patternType: 'LITERAL',
  principal: 'User:ann',
  host: '*',
  operation: 'READ',
  permission: 'ALLOW',
} as const;

/** A healthy agent that reports everything. */
export function agentOf(agentId: string, facts: Partial<AgentFacts> = {}): AgentFacts {
  return {
    agentId,
    nodeId: 1,
    host: `${agentId}.example`,
    kafkaPort: 9092,
    internalUrl: `http://${agentId}.example`,
    zone: agentId === 'a' ? 'zone-1' : 'zone-2',
    group: '',
    roles: ['proxy', 'jobs'],
    release: 'v830',
    cpuCount: 4,
    cpuLoad: 0.3,
    lastSeenMs: snapshotMs,
    clockOffsetMs: 5,
    certificates: [{ name: 'kafka.example', expiresMs: snapshotMs + 90 * dayMs }],
    bucketProblem: '',
    tokens: [
      { name: 'agent token', issuedMs: snapshotMs - 10 * minuteMs, expiresMs: snapshotMs + 50 * minuteMs },
    ],
    ...facts,
  };
}

/** A group with members whose partition 0 of `orders` has read `committedOffset` of `endOffset`. */
export function groupOf(
  groupId: string,
  committedOffset: number,
  endOffset: number,
  facts: Partial<GroupFacts> = {},
): GroupFacts {
  const partitions: readonly GroupPartition[] = [
    { topic: 'orders', partition: 0, committedOffset, endOffset },
  ];
  return { groupId, state: 'Stable', memberCount: 2, partitions, ...facts };
}

/** A healthy cluster with all facts known. */
export function healthySnapshot(facts: Partial<DiagnosticSnapshot> = {}): DiagnosticSnapshot {
  return {
    atMs: snapshotMs,
    cluster: {
      clusterId: 'vci_test',
      kind: 'kafka',
      topicCount: 3,
      partitionCount: 100,
      partitionCountMax: 1000,
    },
    agents: [agentOf('a'), agentOf('b')],
    topics: [
      {
        name: 'orders',
        partitionCount: 8,
        isDeleting: true,
        retentionMs: 7 * dayMs,
        retentionBytes: undefined,
      },
    ],
    groups: [groupOf('billing', 100, 100)],
    produce: {
      spanMs: minuteMs,
      fileCount: 240,
      fileBytes: 240 * 4 * 2 ** 20,
      clientTimeouts: [{ clientId: 'shop', timeoutMs: 30_000, requestCount: 50 }],
    },
    damagedFiles: [],
    deadFiles: {
      fileCount: 3,
      byteCount: 3 * 2 ** 20,
      oldestDeadMs: snapshotMs - 5 * minuteMs,
      deleteDelayMs: 10 * minuteMs,
      isDeletionOn: true,
      deletingAgentCount: 2,
    },
    compaction: {
      lateLevels: [],
      lateTopics: [],
      mergingAgentCount: 2,
      pausedAgentCount: 0,
    },
    failingJobs: [],
    waitingJobs: [],
    pipelines: [],
    tables: [],
    migration: null,
    alertChannels: [],
    buckets: [
      {
        name: 's3://records',
        operationCount: 1000,
        failureCount: 0,
        deniedOperations: [],
        missingCount: 0,
        putP99Ms: 300,
        getP99Ms: 100,
      },
    ],
    controlPlaneUtilization: 0.1,
    acls: { mode: 'enforced', ruleCount: 2, invalid: [] },
    delegationTokens: [],
    credentials: [
      { username: 'root', isSuperuser: true, createdMs: snapshotMs - dayMs, lastUsedMs: snapshotMs },
    ],
    invalidRecords: [],
    registry: {
      subjectCount: 4,
      uncheckedSubjectCount: 0,
      uncheckedSubjects: [],
      isUncheckedByDefault: false,
    },
    metrics: [{ name: 'agent_kafka_request_count', seriesCount: 100 }],
    ...facts,
  };
}
