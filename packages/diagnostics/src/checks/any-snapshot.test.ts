import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snapshotMs } from '../../testing/diagnostic-snapshot.ts';
import { entityKey, isNoData } from '../check.ts';
import { clusterKinds, type DiagnosticSnapshot } from '../diagnostic-snapshot.ts';
import { worstFirst } from '../findings.ts';
import { noHistory, withSnapshot } from '../history.ts';
import { checks } from '../registry.ts';

/** Snapshots with parts that are missing, empty, repeated, huge or nonsense. */
const name = fc.constantFrom('a', 'b', '', '__proto__', 'x'.repeat(3000), '\u0000\ud800');
const stat = fc.constantFrom(0, 1, 0.5, 1e3, 1e15, -1);
const timeMs = fc.constantFrom(0, snapshotMs - 1, snapshotMs, snapshotMs + 1, 8e15);
const maybe = <T>(part: fc.Arbitrary<T>) => fc.option(part, { nil: undefined });
const few = <T>(part: fc.Arbitrary<T>) => fc.array(part, { maxLength: 3 });
const expiring = fc.record({ name, expiresMs: timeMs, issuedMs: maybe(timeMs) });
const anySnapshot: fc.Arbitrary<DiagnosticSnapshot> = fc.record({
  atMs: fc.constantFrom(0, snapshotMs),
  cluster: fc.record({
    clusterId: fc.constant('vci_any'),
    kind: fc.constantFrom(...clusterKinds),
    topicCount: stat,
    partitionCount: stat,
    partitionCountMax: stat,
  }),
  agents: few(
    fc.record({
      agentId: name,
      nodeId: stat,
      host: name,
      kafkaPort: stat,
      internalUrl: name,
      zone: name,
      group: name,
      roles: few(name),
      release: fc.constantFrom('v762', 'v830', 'v', 'dev', ''),
      cpuCount: stat,
      cpuLoad: stat,
      lastSeenMs: timeMs,
      clockOffsetMs: maybe(stat),
      certificates: maybe(few(expiring)),
      tokens: maybe(few(expiring)),
      bucketProblem: maybe(fc.string()),
    }),
  ),
  topics: maybe(
    few(
      fc.record({
        name,
        partitionCount: stat,
        isDeleting: fc.boolean(),
        retentionMs: maybe(stat),
        retentionBytes: maybe(stat),
      }),
    ),
  ),
  groups: maybe(
    few(
      fc.record({
        groupId: name,
        state: fc.constantFrom('Stable', 'Empty'),
        memberCount: fc.constantFrom(0, 1),
        emptySinceMs: maybe(timeMs),
        partitions: few(fc.record({ topic: name, partition: stat, committedOffset: stat, endOffset: stat })),
      }),
    ),
  ),
  produce: maybe(
    fc.record({
      spanMs: stat,
      fileCount: stat,
      fileBytes: stat,
      clientTimeouts: few(fc.record({ clientId: name, timeoutMs: stat, requestCount: stat })),
    }),
  ),
  buckets: maybe(
    few(
      fc.record({
        name,
        operationCount: stat,
        failureCount: stat,
        deniedOperations: few(fc.record({ operation: name, count: stat })),
        missingCount: stat,
        putP99Ms: maybe(stat),
        getP99Ms: maybe(stat),
      }),
    ),
  ),
  invalidRecords: maybe(few(fc.record({ topic: name, reason: name, count: stat }))),
  registry: maybe(
    fc.record({
      subjectCount: stat,
      uncheckedSubjectCount: stat,
      uncheckedSubjects: few(name),
      isUncheckedByDefault: fc.boolean(),
    }),
  ),
  controlPlaneUtilization: maybe(stat),
  metadataBackupAgeMs: maybe(stat),
  acls: maybe(
    fc.record({
      mode: fc.constantFrom('off', 'shadow', 'enforced'),
      ruleCount: stat,
      invalid: few(
        fc.record({
          acl: fc.record({
            resourceType: fc.constant('TOPIC' as const),
            resourceName: name,
            patternType: fc.constant('LITERAL' as const),
            principal: name,
            host: name,
            operation: fc.constant('READ' as const),
            permission: fc.constant('ALLOW' as const),
          }),
          reason: name,
        }),
      ),
    }),
  ),
  damagedFiles: maybe(
    few(
      fc.record({
        fileId: name,
        kind: fc.constantFrom('missing', 'short', 'corrupt'),
        partitionCount: stat,
        partitions: few(fc.record({ topic: name, partition: stat, firstOffset: stat, nextOffset: stat })),
      }),
    ),
  ),
  deadFiles: maybe(
    fc.record({
      fileCount: stat,
      byteCount: stat,
      oldestDeadMs: fc.constantFrom(undefined, 0, snapshotMs),
      deleteDelayMs: stat,
      isDeletionOn: fc.boolean(),
      deletingAgentCount: stat,
    }),
  ),
  compaction: maybe(
    fc.record({
      lateLevels: few(fc.record({ level: stat, files: stat, bytes: stat, oldestMs: timeMs })),
      lateTopics: few(fc.record({ name, partitionCount: stat, dueMs: timeMs })),
      mergingAgentCount: stat,
      pausedAgentCount: stat,
      problem: fc.constantFrom(undefined, '', 'words'),
    }),
  ),
  failingJobs: maybe(
    few(
      fc.record({
        kind: name,
        scope: name,
        failureCount: stat,
        isStopped: fc.boolean(),
        message: name,
      }),
    ),
  ),
  waitingJobs: maybe(
    fc.uniqueArray(
      fc.record({ kind: name, jobCount: stat, oldestMs: timeMs, agentCount: stat, pausedCount: stat }),
      { selector: ({ kind }) => kind, maxLength: 4 },
    ),
  ),
  pipelines: maybe(
    few(
      fc.record({
        pipelineId: name,
        name,
        type: fc.constantFrom('bento', 'schema_linking'),
        instanceCount: stat,
        agentGroup: maybe(name),
        groupIds: few(name),
        agentCount: stat,
        instances: few(
          fc.record({
            jobId: name,
            instance: stat,
            state: fc.constantFrom('waiting', 'running', 'done', 'failing', 'stopped'),
            plannedMs: timeMs,
            startedMs: fc.option(timeMs),
            failureCount: stat,
            message: name,
            doneCount: stat,
            errorCount: stat,
            lastError: name,
            lastErrorStage: fc.constantFrom('', 'output', 'root.output.broker', 'input'),
          }),
        ),
      }),
    ),
  ),
  tables: maybe(
    few(
      fc.record({
        tableUuid: name,
        name,
        agentCount: stat,
        state: maybe(fc.constantFrom('waiting', 'running', 'done', 'failing', 'stopped')),
        plannedMs: maybe(timeMs),
        failureCount: stat,
        message: name,
        report: maybe(
          fc.record({
            tableUuid: name,
            tableName: name,
            topic: name,
            configurationId: name,
            hasConfiguration: fc.boolean(),
            partitions: fc.constant([]),
            partitionCount: stat,
            stoppedPartitionCount: stat,
            lagRecords: stat,
            ingestionLagMs: maybe(stat),
            keptRecordCount: stat,
            droppedRecordCount: stat,
            isFailing: fc.boolean(),
            lastError: maybe(name),
            lastErrorCause: maybe(fc.constantFrom('source', 'records', 'storage', 'catalog', 'other')),
            agentId: name,
            reportedMs: timeMs,
          }),
        ),
      }),
    ),
  ),
  migration: fc.option(
    maybe(
      fc.record({
        pipelineId: name,
        name,
        agentCount: stat,
        errors: few(name),
        topics: fc.uniqueArray(
          fc.record({
            name,
            state: maybe(fc.constantFrom('REPLICATING', 'PROXY', 'BLOCKED', 'MIGRATED')),
            changedBy: fc.constantFrom('timeout', 'ada'),
            changedMs: timeMs,
            reason: name,
            isCuttingOver: fc.boolean(),
            partitionCount: stat,
            lagOffsets: maybe(stat),
            stopped: few(fc.record({ partition: stat, error: name })),
            error: maybe(name),
            unproxiedRecords: stat,
          }),
          { maxLength: 3, selector: (topic) => topic.name },
        ),
      }),
    ),
  ),
  credentials: maybe(
    few(
      fc.record({
        username: name,
        isSuperuser: fc.boolean(),
        createdMs: timeMs,
        lastUsedMs: fc.constantFrom(undefined, null, 0, snapshotMs),
      }),
    ),
  ),
  delegationTokens: maybe(
    few(fc.record({ tokenId: name, owner: name, issuedMs: timeMs, expiresMs: timeMs, endsMs: timeMs })),
  ),
  metrics: maybe(few(fc.record({ name, seriesCount: stat }))),
});

test('property: no snapshot makes a check throw, a check does not modify it, and results are repeatable', () => {
  fc.assert(
    fc.property(fc.array(anySnapshot, { minLength: 1, maxLength: 4 }), (snapshots) => {
      const snapshot = structuredClone(snapshots.at(-1)!);
      const before = structuredClone(snapshot);
      const history = snapshots.reduce(withSnapshot, noHistory);
      for (const check of checks) {
        const result = check.run(snapshot, history);
        assert.deepEqual(check.run(snapshot, history), result, check.name);
        if (isNoData(result)) continue;
        const sorted = worstFirst(check, result);
        const keys = sorted.map(({ entity }) => entityKey(entity));
        assert.equal(new Set(keys).size, keys.length, check.name);
        assert.ok(
          result.every(({ message }) => !/undefined|NaN|Infinity/.test(message)),
          check.name,
        );
      }
      assert.deepEqual(snapshot, before);
    }),
  );
});
