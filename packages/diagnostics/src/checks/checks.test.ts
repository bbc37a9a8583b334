import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentSilenceMsMax } from '@weir/cluster';
import { KiB, seriesPerMetricMax } from '@weir/core';
import {
  agentOf,
  dayMs,
  groupOf,
  healthySnapshot,
  minuteMs,
  snapshotMs,
  starredAcl,
} from '../../testing/diagnostic-snapshot.ts';
import { type CheckResult, entityKey, isNoData } from '../check.ts';
import type {
  AgentFacts,
  BucketFacts,
  CompactionFacts,
  CredentialFacts,
  DamagedFileFacts,
  DeadFileFacts,
  DiagnosticSnapshot,
  MigratedTopicFacts,
  MigrationFacts,
  PipelineFacts,
  PipelineInstanceFacts,
  ProduceFacts,
  RegistryFacts,
  TableFacts,
} from '../diagnostic-snapshot.ts';
import { type ClusterHistory, lagSamplesMax, noHistory, withSnapshot } from '../history.ts';
import { type CheckName, checks } from '../registry.ts';

/** The outcome of a check: every finding with its severity if that is not the default, or what is missing. */
type Outcome = readonly string[] | { readonly missing: string };

interface Case {
  readonly name: string;
  readonly snapshot: Partial<DiagnosticSnapshot>;
  /** Earlier snapshots, the oldest first. */
  readonly before?: readonly Partial<DiagnosticSnapshot>[];
  readonly outcome: Outcome;
}

/** Half a day old, with a week to live. */
const delegationToken = {
  tokenId: 't',
  owner: 'ann',
  issuedMs: snapshotMs - 12 * 3_600_000,
  expiresMs: snapshotMs + 12 * 3_600_000,
  endsMs: snapshotMs + 6 * 86_400_000,
};

const healthy = healthySnapshot();
const agents = (...rows: readonly AgentFacts[]) => ({ agents: rows });
const loads = (...rows: readonly number[]) =>
  agents(...rows.map((cpuLoad, index) => agentOf(String.fromCharCode(97 + index), { cpuLoad })));
const releases = (...rows: readonly string[]) =>
  agents(...rows.map((release, index) => agentOf(String.fromCharCode(97 + index), { release })));
const cluster = (facts: Partial<DiagnosticSnapshot['cluster']>) => ({
  cluster: { ...healthy.cluster, ...facts },
});
const produce = (facts: Partial<ProduceFacts>) => ({ produce: { ...healthy.produce!, ...facts } });
const registry = (facts: Partial<RegistryFacts>) => ({ registry: { ...healthy.registry!, ...facts } });
const timeout = (timeoutMs: number) =>
  produce({ clientTimeouts: [{ clientId: 'shop', timeoutMs, requestCount: 7 }] });
const files = (fileCount: number, averageBytes: number) =>
  produce({ fileCount, fileBytes: fileCount * averageBytes });
const compaction = (facts: Partial<CompactionFacts>) => ({
  compaction: { ...healthy.compaction!, ...facts },
});
const lateLevels = [
  { level: 0, files: 1_200, bytes: 3 * 2 ** 20, oldestMs: snapshotMs - 3 * 3_600_000 },
  { level: 1, files: 40, bytes: 2 * 2 ** 30, oldestMs: snapshotMs - 2 * 3_600_000 },
];
const bucket = (facts: Partial<BucketFacts>) => ({ buckets: [{ ...healthy.buckets![0]!, ...facts }] });
const damaged = (facts: Partial<DamagedFileFacts>) => ({
  damagedFiles: [
    {
      fileId: '018b',
      kind: 'short' as const,
      partitionCount: 1,
      partitions: [{ topic: 'orders', partition: 3, firstOffset: 1000, nextOffset: 1010 }],
      ...facts,
    },
  ],
});
const dead = (facts: Partial<DeadFileFacts>) => ({
  deadFiles: { ...healthy.deadFiles!, fileCount: 7, byteCount: 21 * 2 ** 20, ...facts },
});
const failingJob = (failureCount: number) => ({
  kind: 'file_deletion',
  scope: '',
  failureCount,
  isStopped: failureCount >= 5,
  message: 's3://records: not allowed',
});
const waiting = (facts: Partial<NonNullable<DiagnosticSnapshot['waitingJobs']>[number]>) => ({
  waitingJobs: [
    {
      kind: 'file_compaction',
      jobCount: 16,
      oldestMs: snapshotMs - 26 * minuteMs,
      agentCount: 0,
      pausedCount: 0,
      ...facts,
    },
  ],
});
const instance = (facts: Partial<PipelineInstanceFacts> = {}): PipelineInstanceFacts => ({
  jobId: 'pipeline-1-1',
  instance: 0,
  state: 'running',
  plannedMs: snapshotMs - 5 * minuteMs,
  startedMs: snapshotMs - 5 * minuteMs,
  failureCount: 0,
  message: '',
  doneCount: 10,
  errorCount: 0,
  lastError: '',
  lastErrorStage: '',
  ...facts,
});
const pipelines = (...rows: readonly Partial<PipelineFacts>[]) => ({
  pipelines: rows.map((facts) => ({
    pipelineId: 'pi_1',
    name: 'clean',
    type: 'bento' as const,
    instanceCount: 1,
    groupIds: ['billing'],
    agentCount: 2,
    instances: [instance()],
    ...facts,
  })),
});
const refused = instance({ state: 'stopped', failureCount: 1, message: 'line 3, column 5: no such field' });
const failed = (failureCount: number, facts: Partial<PipelineInstanceFacts> = {}) =>
  instance({ state: 'failing', failureCount, message: 'the instance used too much memory', ...facts });
const downError = { lastError: 'connection refused', lastErrorStage: 'root.output' };
const unknownPipelines = {
  name: 'not known',
  snapshot: { pipelines: undefined },
  outcome: { missing: 'pipelines' },
};
const report = (facts: Partial<NonNullable<TableFacts['report']>> = {}) => ({
  tableUuid: 'u',
  tableName: 'k__orders',
  topic: 'orders',
  configurationId: 'pci_1',
  hasConfiguration: true,
  partitions: [],
  partitionCount: 4,
  stoppedPartitionCount: 0,
  lagRecords: 0,
  ingestionLagMs: 0,
  keptRecordCount: 0,
  droppedRecordCount: 0,
  isFailing: false,
  agentId: 'a',
  reportedMs: snapshotMs,
  ...facts,
});
const tables = (...rows: readonly Partial<TableFacts>[]) => ({
  tables: rows.map((facts) => ({
    tableUuid: facts.name ?? 'u',
    name: 'k__orders',
    agentCount: 2,
    state: 'running' as const,
    plannedMs: snapshotMs - 5 * minuteMs,
    failureCount: 0,
    message: '',
    report: report(),
    ...facts,
  })),
});
const migration = (...rows: readonly Partial<MigratedTopicFacts>[]): { migration: MigrationFacts } => ({
  migration: {
    pipelineId: 'pi_1',
    name: 'from-old',
    agentCount: 1,
    errors: [],
    topics: rows.map((facts) => ({
      name: 'orders',
      state: 'REPLICATING' as const,
      changedBy: 'migration',
      changedMs: snapshotMs - dayMs,
      reason: '',
      isCuttingOver: false,
      partitionCount: 4,
      lagOffsets: 0,
      stopped: [],
      error: undefined,
      unproxiedRecords: 0,
      ...facts,
    })),
  },
});
const lagsOfRuns = (count: number, lagOf: (run: number) => number) =>
  Array.from({ length: count }, (_, run) => migration({ lagOffsets: lagOf(run) }));
const noMigration = [
  { name: 'not known', snapshot: { migration: undefined }, outcome: { missing: 'migration' } },
  { name: 'none', snapshot: { migration: null }, outcome: [] },
];
const unknownTables = { name: 'not known', snapshot: { tables: undefined }, outcome: { missing: 'tables' } };
const channel = (failures: number) => ({
  name: 'on call',
  failures,
  sinceMs: snapshotMs - minuteMs,
  lastError: 'The server answered with status 404.',
});
const credentials = (...rows: readonly Partial<CredentialFacts>[]) => ({
  credentials: rows.map((facts) => ({ ...healthy.credentials![0]!, ...facts })),
});
const certificate = (leftMs: number) =>
  agents(
    agentOf('a'),
    agentOf('b', { certificates: [{ name: 'kafka.example', expiresMs: snapshotMs + leftMs }] }),
  );
const token = (leftMs: number, issuedMs?: number) =>
  agents(agentOf('a', { tokens: [{ name: 'agent token', expiresMs: snapshotMs + leftMs, issuedMs }] }));
const topic = (facts: Partial<NonNullable<DiagnosticSnapshot['topics']>[number]>) => ({
  topics: [{ ...healthy.topics![0]!, retentionMs: undefined, ...facts }],
});
const invalidAcl = {
  acl: starredAcl,
  reason: 'No topic has a name with a star.',
} as const;
const acls = (mode: 'off' | 'shadow' | 'enforced', invalid = [invalidAcl]) => ({
  acls: { mode, ruleCount: 2, invalid },
});

/** A group over time, one snapshot per minute: its committed offset and the end of its partition. */
function snapshots(
  rows: readonly (readonly [committed: number, end: number])[],
  memberCount = 2,
): readonly Partial<DiagnosticSnapshot>[] {
  return rows.map(([committed, end], index) => ({
    atMs: snapshotMs - (rows.length - 1 - index) * minuteMs,
    groups: [groupOf('billing', committed, end, { memberCount })],
  }));
}

/** A group with partitions of two topics, of which one has no lag. */
function severalPartitions(atMs: number): Partial<DiagnosticSnapshot> {
  const row = (topic: string, partition: number, endOffset: number) => {
    return { topic, partition, committedOffset: 1, endOffset };
  };
  const partitions = [row('orders', 0, 3), row('orders', 1, 5), row('users', 5, 10), row('orders', 2, 1)];
  return { atMs, groups: [groupOf('billing', 0, 0, { partitions })] };
}

/** The last row is the snapshot, the others are the history. */
function story(rows: readonly (readonly [committed: number, end: number])[], memberCount?: number) {
  const all = snapshots(rows, memberCount);
  return { snapshot: all.at(-1)!, before: all.slice(0, -1) };
}

const times = <Row>(count: number, row: (index: number) => Row) =>
  Array.from({ length: count }, (_, i) => row(i));

/** The groups of a story are those of a pipeline. */
const withPipeline = ({ before, snapshot }: ReturnType<typeof story>) => ({
  before,
  snapshot: { ...snapshot, ...pipelines({}) },
});

/** The boundary of every rule, from both sides. */
const cases = {
  no_agents: [
    { name: 'agents run', snapshot: {}, outcome: [] },
    {
      name: 'none',
      snapshot: agents(),
      outcome: ['cluster:vci_test The cluster has 3 topics and no running agent.'],
    },
    {
      name: 'all were lost',
      snapshot: agents(agentOf('a', { lastSeenMs: snapshotMs - agentSilenceMsMax })),
      outcome: ['cluster:vci_test The cluster has 3 topics and no running agent.'],
    },
    { name: 'no topics either', snapshot: { ...agents(), ...cluster({ topicCount: 0 }) }, outcome: [] },
  ],
  no_jobs_agent: [
    { name: 'one of two', snapshot: agents(agentOf('a', { roles: ['proxy'] }), agentOf('b')), outcome: [] },
    {
      name: 'none of two',
      snapshot: agents(agentOf('a', { roles: ['proxy-consume'] }), agentOf('b', { roles: ['proxy'] })),
      outcome: ['cluster:vci_test 2 agents run; roles: proxy, proxy-consume.'],
    },
    {
      name: 'the one that had it was lost',
      snapshot: agents(
        agentOf('a', { roles: ['proxy'] }),
        agentOf('b', { lastSeenMs: snapshotMs - minuteMs }),
      ),
      outcome: ['cluster:vci_test 1 agent runs; roles: proxy.'],
    },
    { name: 'no agents', snapshot: agents(), outcome: [] },
  ],
  lost_agent: [
    {
      name: 'silent for almost too long',
      snapshot: agents(agentOf('a', { lastSeenMs: snapshotMs - agentSilenceMsMax + 1 })),
      outcome: [],
    },
    {
      name: 'silent for too long',
      snapshot: agents(agentOf('a', { lastSeenMs: snapshotMs - agentSilenceMsMax }), agentOf('b')),
      outcome: ['agent:a Agent a on a.example in zone zone-1: last heartbeat 9 seconds ago.'],
    },
  ],
  avoided_release: [
    { name: 'good ones', snapshot: releases('v830', 'v761', 'v763'), outcome: [] },
    {
      name: 'a bad one',
      snapshot: releases('v762', 'v762', 'v763'),
      outcome: ['release:v762 2 agents on v762 (known defect: consumers may skip records), use v830: a, b.'],
    },
    { name: 'before a range', snapshot: releases('v642'), outcome: [] },
    {
      name: 'begin of a range',
      snapshot: releases('v643'),
      outcome: ['release:v643 1 agent on v643, use v647 or later: a.'],
    },
    {
      name: 'end of a range',
      snapshot: releases('v646'),
      outcome: ['release:v646 1 agent on v646, use v647 or later: a.'],
    },
    { name: 'behind a range', snapshot: releases('v647'), outcome: [] },
    {
      name: 'with two faults the later fix counts',
      snapshot: releases('v739'),
      outcome: [
        'release:v739 1 agent on v739 (known defect: can fail to start on hosts with many CPUs; fails to start with some C libraries), use v744 or later: a.',
      ],
    },
    { name: 'a custom build', snapshot: releases('v762-mine', 'dev', ''), outcome: [] },
  ],
  mixed_releases: [
    { name: 'one', snapshot: releases('v830', 'v830'), outcome: [] },
    {
      name: 'two',
      snapshot: releases('v830', 'v829', 'v830'),
      outcome: ['cluster:vci_test Agents by release: 1 on v829, 2 on v830.'],
    },
    { name: 'no agents', snapshot: agents(), outcome: [] },
  ],
  overloaded_agents: [
    { name: 'almost', snapshot: loads(0.899, 0.2), outcome: [] },
    {
      name: 'just',
      snapshot: loads(0.9, 0.2),
      outcome: ['agent:a Agent a on a.example: CPU utilization 90 % of 4 CPUs.'],
    },
  ],
  unbalanced_agents: [
    { name: 'alike', snapshot: loads(0.6, 0.5, 0.55), outcome: [] },
    { name: 'almost twice', snapshot: loads(0.59, 0.3, 0.3), outcome: [] },
    {
      name: 'twice the others',
      snapshot: loads(0.6, 0.3, 0.3),
      outcome: ['agent:a Agent a on a.example: CPU utilization 60 %, other agents 30 % on average.'],
    },
    { name: 'twice of nearly nothing', snapshot: loads(0.49, 0.1), outcome: [] },
    { name: 'one alone', snapshot: loads(0.8), outcome: [] },
    {
      name: 'other roles are another matter',
      snapshot: agents(agentOf('a', { cpuLoad: 0.8 }), agentOf('b', { cpuLoad: 0.1, roles: ['jobs'] })),
      outcome: [],
    },
  ],
  clock_skew: [
    { name: 'at the limit', snapshot: agents(agentOf('a', { clockOffsetMs: -2000 })), outcome: [] },
    {
      name: 'behind',
      snapshot: agents(agentOf('a', { clockOffsetMs: -2001 })),
      outcome: ['agent:a Agent a on a.example: clock is 2 seconds behind.'],
    },
    {
      name: 'far ahead',
      snapshot: agents(agentOf('a', { clockOffsetMs: 60_000 }), agentOf('b')),
      outcome: ['agent:a (high) Agent a on a.example: clock is 60 seconds ahead.'],
    },
    {
      name: 'not reported',
      snapshot: agents(agentOf('a', { clockOffsetMs: undefined })),
      outcome: { missing: 'agent clocks' },
    },
  ],
  single_zone: [
    { name: 'two', snapshot: {}, outcome: [] },
    {
      name: 'one',
      snapshot: agents(agentOf('a'), agentOf('b', { zone: 'zone-1' })),
      outcome: ['cluster:vci_test 2 agents run, all in zone zone-1.'],
    },
    {
      name: 'unknown',
      snapshot: agents(agentOf('a', { zone: 'SERVICE_UNSET_AZ' })),
      outcome: { missing: 'agent zones' },
    },
    { name: 'no agents', snapshot: agents(), outcome: [] },
    { name: 'a playground', snapshot: agents(agentOf('a', { zone: 'playground' })), outcome: [] },
    { name: 'local', snapshot: agents(agentOf('a', { zone: 'local' })), outcome: [] },
  ],
  produce_timeout_too_low: [
    { name: 'at the limit', snapshot: timeout(5000), outcome: [] },
    {
      name: 'below',
      snapshot: timeout(4999),
      outcome: [
        'client:shop Client shop has request.timeout.ms=4999, below the minimum of 5 seconds; 7 requests since the last run.',
      ],
    },
    { name: 'not reported', snapshot: { produce: undefined }, outcome: { missing: 'produce timeouts' } },
  ],
  records_without_valid_schema: [
    { name: 'none', snapshot: { invalidRecords: [] }, outcome: [] },
    {
      name: 'several reasons',
      snapshot: {
        invalidRecords: [
          { topic: 'orders', reason: 'unknown_schema', count: 40 },
          { topic: 'clicks', reason: 'payload', count: 1 },
          { topic: 'orders', reason: 'wire_format', count: 2 },
          { topic: 'later', reason: 'of_a_later_release', count: 3 },
        ],
      },
      outcome: [
        'topic:orders Topic orders, last minute: 40 records have an unknown schema id; 2 records carry no schema id.',
        'topic:clicks Topic clicks, last minute: 1 record does not match its schema.',
        'topic:later Topic later, last minute: 3 records are invalid.',
      ],
    },
    {
      name: 'not reported',
      snapshot: { invalidRecords: undefined },
      outcome: { missing: 'agent reports' },
    },
  ],
  subjects_without_compatibility: [
    {
      name: 'some',
      snapshot: registry({ uncheckedSubjectCount: 2, uncheckedSubjects: ['a', 'b'] }),
      outcome: ['subject:a Subject a has compatibility NONE.', 'subject:b Subject b has compatibility NONE.'],
    },
    {
      name: 'all by default',
      snapshot: registry({
        uncheckedSubjectCount: 3,
        uncheckedSubjects: ['a', 'b', 'c'],
        isUncheckedByDefault: true,
      }),
      outcome: ['cluster:schema registry Default compatibility is NONE: it applies to 3 of 4 subjects.'],
    },
    {
      name: 'by default, and nothing is there',
      snapshot: registry({ subjectCount: 0, isUncheckedByDefault: true }),
      outcome: [],
    },
    { name: 'not read', snapshot: { registry: undefined }, outcome: { missing: 'schema registry' } },
  ],
  consumer_group_stuck: [
    { name: 'gets on', ...story(times(20, (i) => [i, i + 5])), outcome: [] },
    { name: 'almost', ...story(times(10, () => [7, 9])), outcome: [] },
    {
      name: 'just',
      ...story(times(11, () => [7, 9])),
      outcome: [
        'group:billing Group billing is stuck in 1 of 1 partition: orders partition 0 at offset 7 for 10 minutes, lag 2 records; 2 members.',
      ],
    },
    {
      name: 'several partitions',
      before: times(10, (i) => severalPartitions(snapshotMs - (10 - i) * minuteMs)),
      snapshot: severalPartitions(snapshotMs),
      outcome: [
        'group:billing Group billing is stuck in 3 of 4 partitions (users partition 5, orders partitions 1, 0): users partition 5 at offset 1 for 10 minutes, lag 9 records; 2 members.',
      ],
    },
    { name: 'nothing to read', ...story(times(30, () => [9, 9])), outcome: [] },
    { name: 'has just begun to lag', ...story(times(30, (i) => [9, i < 25 ? 9 : 12])), outcome: [] },
    {
      name: 'no member is there',
      ...story(
        times(30, () => [7, 9]),
        0,
      ),
      outcome: [],
    },
    {
      name: 'has just come back',
      before: [
        ...snapshots(
          times(30, () => [7, 9]),
          0,
        ).slice(0, -1),
      ],
      snapshot: snapshots([[7, 9]])[0]!,
      outcome: [],
    },
    { name: 'not reported', snapshot: { groups: undefined }, outcome: { missing: 'group offsets' } },
  ],
  consumer_group_falling_behind: [
    { name: 'keeps up', ...story(times(lagSamplesMax, (i) => [i * 100, i * 100 + 5000])), outcome: [] },
    {
      name: 'falls behind',
      ...story(times(lagSamplesMax, (i) => [i, 5000 + i * 101])),
      outcome: [
        'group:billing Group billing: lag grew from 5,000 to 6,400 records over 15 runs, in orders partition 0; 2 members.',
      ],
    },
    {
      name: 'not seen for long enough',
      ...story(times(lagSamplesMax - 1, (i) => [i, 5000 + i * 101])),
      outcome: [],
    },
    { name: 'lag too small', ...story(times(lagSamplesMax, (i) => [i, 799 + i * 15])), outcome: [] },
    {
      name: 'reads almost as fast as others write',
      ...story(times(lagSamplesMax, (i) => [i * 76, 50_000 + i * 100])),
      outcome: [],
    },
    {
      name: 'still falls behind when its lag is large',
      ...story(times(lagSamplesMax, (i) => [i * 75, 1_000_000 + i * 100])),
      outcome: [
        'group:billing Group billing: lag grew from 1,000,000 to 1,000,350 records over 15 runs, in orders partition 0; 2 members.',
      ],
    },
    {
      name: 'commits every eight minutes and keeps up',
      ...story(times(lagSamplesMax, (i) => [Math.floor(i / 8) * 800, 50_000 + i * 100])),
      outcome: [],
    },
    {
      name: 'offsets reset by a little',
      ...story(times(lagSamplesMax, (i) => [5_000 - i * 2, 50_000 + i])),
      outcome: [],
    },
    { name: 'a wave', ...story(times(lagSamplesMax, (i) => [i, 5000 + (i % 5) * 1000])), outcome: [] },
    {
      name: 'of a pipeline, which is another diagnostic',
      ...withPipeline(story(times(lagSamplesMax, (i) => [i, 5000 + i * 101]))),
      outcome: [],
    },
    {
      name: 'does not commit at all',
      ...story(times(lagSamplesMax, (i) => [0, 5000 + i * 101])),
      outcome: [],
    },
    { name: 'not reported', snapshot: { groups: undefined }, outcome: { missing: 'group offsets' } },
  ],
  pipeline_failing: [
    { name: 'runs', snapshot: pipelines({}), outcome: [] },
    { name: 'failed twice', snapshot: pipelines({ instances: [failed(2)] }), outcome: [] },
    {
      name: 'is refused, fails, and of two instances one fails',
      snapshot: pipelines(
        { instances: [refused] },
        { name: 'enrich', instances: [failed(3)] },
        { name: 'archive', instanceCount: 2, instances: [instance(), failed(7, { instance: 1 })] },
      ),
      outcome: [
        'pipeline:clean Pipeline clean: its instance failed 1 time in a row: line 3, column 5: no such field',
        'pipeline:enrich Pipeline enrich: its instance failed 3 times in a row: the instance used too much memory',
        'pipeline:archive Pipeline archive: instance 1 of 2 failed 7 times in a row: the instance used too much memory',
      ],
    },
    {
      name: 'schema linking',
      snapshot: pipelines({ type: 'schema_linking', instances: [failed(5, { message: 'no login' })] }),
      outcome: ['pipeline:clean Pipeline clean: its sync failed 5 times in a row: no login'],
    },
    unknownPipelines,
  ],
  pipeline_restarting: [
    { name: 'runs', snapshot: pipelines({}), outcome: [] },
    {
      name: 'was started again twice',
      snapshot: pipelines({ instances: [failed(2, { state: 'running' })] }),
      outcome: [],
    },
    {
      name: 'runs again, and waits',
      snapshot: pipelines(
        { instances: [failed(3, { state: 'running' })] },
        { name: 'enrich', instances: [failed(4, { state: 'waiting', startedMs: null })] },
      ),
      outcome: [
        'pipeline:clean Pipeline clean: its instance was started again after 3 failures in a row, the last: the instance used too much memory',
        'pipeline:enrich Pipeline enrich: its instance was started again after 4 failures in a row, the last: the instance used too much memory',
      ],
    },
    {
      name: 'has run for long since',
      snapshot: pipelines({
        instances: [failed(9, { state: 'running', startedMs: snapshotMs - 10 * minuteMs })],
      }),
      outcome: [],
    },
    unknownPipelines,
  ],
  pipeline_output_down: [
    { name: 'runs', snapshot: pipelines({}), outcome: [] },
    {
      name: 'fails and writes nothing',
      before: [{ atMs: snapshotMs - 2 * minuteMs, ...pipelines({}) }],
      snapshot: pipelines({ instances: [instance({ errorCount: 4, ...downError })] }),
      outcome: [
        'pipeline:clean Pipeline clean: its instance has written nothing for 2 minutes; root.output: connection refused',
      ],
    },
    {
      name: 'never wrote anything',
      before: [
        {
          atMs: snapshotMs - minuteMs,
          ...pipelines({ instances: [instance({ doneCount: 0, errorCount: 4, ...downError })] }),
        },
      ],
      snapshot: pipelines({ instances: [instance({ doneCount: 0, errorCount: 4, ...downError })] }),
      outcome: [
        'pipeline:clean Pipeline clean: its instance has written nothing for 60 seconds; root.output: connection refused',
      ],
    },
    {
      name: 'failed, and has written since',
      before: [
        { atMs: snapshotMs - 3 * minuteMs, ...pipelines({}) },
        {
          atMs: snapshotMs - 2 * minuteMs,
          ...pipelines({ instances: [instance({ doneCount: 11, errorCount: 4, ...downError })] }),
        },
      ],
      snapshot: pipelines({ instances: [instance({ doneCount: 11, errorCount: 4, ...downError })] }),
      outcome: [],
    },
    {
      name: 'a processor fails',
      before: [{ atMs: snapshotMs - 2 * minuteMs, ...pipelines({}) }],
      snapshot: pipelines({
        instances: [
          instance({ errorCount: 4, lastError: 'x', lastErrorStage: 'root.pipeline.processors.0' }),
        ],
      }),
      outcome: [],
    },
    unknownPipelines,
  ],
  pipeline_falling_behind: [
    {
      name: 'keeps up',
      ...withPipeline(story(times(lagSamplesMax, (i) => [i * 100, i * 100 + 5000]))),
      outcome: [],
    },
    {
      name: 'falls behind',
      ...withPipeline(story(times(lagSamplesMax, (i) => [i, 5000 + i * 101]))),
      outcome: [
        'pipeline:clean Pipeline clean: group billing: lag grew from 5,000 to 6,400 records over 15 runs, in orders partition 0; 1 instance.',
      ],
    },
    { name: 'of another', ...story(times(lagSamplesMax, (i) => [i, 5000 + i * 101])), outcome: [] },
    unknownPipelines,
    {
      name: 'no groups',
      snapshot: { groups: undefined, ...pipelines({}) },
      outcome: { missing: 'group offsets' },
    },
  ],
  pipeline_not_running: [
    { name: 'runs', snapshot: pipelines({}), outcome: [] },
    {
      name: 'waits for a moment',
      snapshot: pipelines({ instances: [instance({ state: 'waiting', plannedMs: snapshotMs - 59_000 })] }),
      outcome: [],
    },
    {
      name: 'no agent runs pipelines, none of the group, and none has room',
      snapshot: {
        ...agents(agentOf('a', { roles: ['pipelines'], group: 'eu' }), agentOf('b')),
        ...pipelines(
          { agentCount: 0, instances: [] },
          { name: 'enrich', agentGroup: 'us', instances: [instance({ state: 'waiting' })] },
          { name: 'archive', instanceCount: 3, instances: [instance()] },
        ),
      },
      outcome: [
        'pipeline:clean Pipeline clean: 0 of 1 instance running; no agent runs pipelines.',
        'pipeline:enrich Pipeline enrich: 0 of 1 instance running; no agent of the group us runs pipelines.',
        'pipeline:archive (medium) Pipeline archive: 1 of 3 instances running; 2 agents run pipelines, and none has room.',
      ],
    },
    {
      name: 'failing, and done',
      snapshot: pipelines(
        { instances: [failed(4)] },
        { name: 'b', instances: [instance({ state: 'done' })] },
      ),
      outcome: [],
    },
    {
      name: 'schema linking between two syncs, and without an agent',
      snapshot: pipelines(
        { type: 'schema_linking', instances: [] },
        { name: 'mirror', type: 'schema_linking', agentCount: 0, instances: [] },
      ),
      outcome: ['pipeline:mirror Pipeline mirror: 0 of 1 instance running; no agent takes its syncs.'],
    },
    { name: 'no agents at all', snapshot: { agents: [], ...pipelines({ instances: [] }) }, outcome: [] },
    unknownPipelines,
  ],
  table_failing: [
    { name: 'is written', snapshot: tables({}, { report: undefined }), outcome: [] },
    {
      name: 'failed twice',
      snapshot: tables({ state: 'failing', failureCount: 2, report: undefined }),
      outcome: [],
    },
    {
      name: 'fails, is refused, and has stopped partitions',
      snapshot: tables(
        { state: 'failing', failureCount: 3, message: 'the process ended' },
        { name: 'b', state: 'stopped', failureCount: 1, message: 'line 3, column 5: no such field' },
        {
          name: 'c',
          report: report({ isFailing: true, lastErrorCause: 'storage', lastError: 's3://lake: denied' }),
        },
        { name: 'd', report: report({ isFailing: true, lastErrorCause: 'catalog', lastError: '403' }) },
        { name: 'e', report: report({ isFailing: true }) },
        { name: 'f', report: report({ stoppedPartitionCount: 1, lastError: 'id: no number' }) },
      ),
      outcome: [
        'table:k__orders Table k__orders: failed 3 times in a row: the process ended',
        'table:b Table b: failed 1 time in a row: line 3, column 5: no such field',
        'table:c Table c: its bucket refuses it: s3://lake: denied',
        'table:d Table d: its catalog refuses it: 403',
        'table:e Table e: it cannot be written: no reason is known',
        'table:f (medium) Table f: partitions are stopped: 1 of 4; id: no number',
      ],
    },
    {
      name: 'its catalog denies access, which has a check of its own',
      snapshot: tables({ report: report({ isFailing: true, isDenied: true, lastErrorCause: 'catalog' }) }),
      outcome: [],
    },
    unknownTables,
  ],
  table_catalog_denies: [
    {
      name: 'is written, is written again, and fails otherwise',
      snapshot: tables(
        { report: undefined },
        { name: 'b', report: report({ isDenied: true, lastErrorCause: 'catalog', lastError: '403' }) },
        { name: 'c', report: report({ isFailing: true, lastErrorCause: 'catalog', lastError: '409' }) },
      ),
      outcome: [],
    },
    {
      name: 'denied',
      snapshot: tables({
        report: report({
          isFailing: true,
          isDenied: true,
          lastErrorCause: 'catalog',
          lastError: 'status 403',
        }),
      }),
      outcome: ['table:k__orders Table k__orders: its catalog denies access: status 403'],
    },
    unknownTables,
  ],
  table_falling_behind: [
    {
      name: 'within a commit interval, and without a record',
      snapshot: tables(
        { report: report({ lagRecords: 5, ingestionLagMs: 69 * minuteMs }) },
        { name: 'b', report: report({ ingestionLagMs: 2 * dayMs }) },
      ),
      outcome: [],
    },
    {
      name: 'late, and very late',
      snapshot: tables(
        { report: report({ lagRecords: 5, ingestionLagMs: 70 * minuteMs }) },
        { name: 'b', report: report({ lagRecords: 1, ingestionLagMs: dayMs }) },
      ),
      outcome: [
        'table:k__orders Table k__orders: lacks 5 records, the oldest 70 minutes old.',
        'table:b (high) Table b: lacks 1 record, the oldest 1,440 minutes old.',
      ],
    },
    unknownTables,
  ],
  table_dead_letters_growing: [
    {
      name: 'as many as before',
      before: [tables({ report: report({ keptRecordCount: 7, droppedRecordCount: 3 }) })],
      snapshot: tables({ report: report({ keptRecordCount: 7, droppedRecordCount: 3 }) }),
      outcome: [],
    },
    {
      name: 'more are kept, and another agent dropped some',
      before: [
        tables({ report: report({ keptRecordCount: 7, droppedRecordCount: 3 }) }),
        tables({ report: undefined }),
      ],
      snapshot: tables({ report: report({ keptRecordCount: 9, droppedRecordCount: 1 }) }),
      outcome: [
        'table:k__orders Table k__orders: 3 records could not be rows in the last 1 run; 9 records kept.',
      ],
    },
    {
      name: 'a replay took some',
      before: [tables({ report: report({ keptRecordCount: 7 }) })],
      snapshot: tables({ report: report({ keptRecordCount: 2 }) }),
      outcome: [],
    },
    unknownTables,
  ],
  tables_not_running: [
    { name: 'written', snapshot: tables({}), outcome: [] },
    {
      name: 'waits for a moment, or its agent is silent for a moment',
      snapshot: tables(
        { state: 'waiting', plannedMs: snapshotMs - 59_000, report: undefined },
        { name: 'b', report: undefined },
      ),
      outcome: [],
    },
    {
      name: 'no agent takes tables',
      snapshot: tables({ state: undefined, agentCount: 0, report: undefined }),
      outcome: [
        `cluster:${healthy.cluster.clusterId} 1 table of 1 table wait for an agent; none of 2 agents takes them.`,
      ],
    },
    {
      name: 'no agent at all',
      snapshot: { agents: [], ...tables({ state: undefined, agentCount: 0, report: undefined }) },
      outcome: [
        `cluster:${healthy.cluster.clusterId} 1 table of 1 table wait for an agent; the cluster has no running agent.`,
      ],
    },
    {
      name: 'no agent has room',
      snapshot: tables({}, { name: 'b', state: 'waiting', report: undefined }),
      outcome: [
        `cluster:${healthy.cluster.clusterId} 1 table of 2 tables wait for an agent; 2 agents take tables, and none has room.`,
      ],
    },
    unknownTables,
  ],
  migration_partition_stopped: [
    ...noMigration,
    { name: 'all are copied', snapshot: migration({}), outcome: [] },
    {
      name: 'one waits for a decision',
      snapshot: migration({ stopped: [{ partition: 3, error: 'the source ends at 5, and the copy at 9' }] }),
      outcome: [
        'topic:orders Topic orders: 1 of 4 partitions stopped; partition 3: the source ends at 5, and the copy at 9',
      ],
    },
  ],
  migration_source_failing: [
    ...noMigration,
    { name: 'works', snapshot: migration({}), outcome: [] },
    {
      name: 'a login is refused, and a topic has other records',
      snapshot: {
        migration: {
          ...migration({ state: undefined, error: 'exists here already' }).migration,
          errors: ['h:9092: the login was refused', 'other'],
        },
      },
      outcome: [
        'pipeline:from-old Migration from-old: h:9092: the login was refused',
        'topic:orders (medium) Topic orders: exists here already',
      ],
    },
  ],
  migration_falling_behind: [
    ...noMigration,
    {
      name: 'catches up',
      before: lagsOfRuns(14, (run) => 90_000 - run * 1_000),
      snapshot: migration({ lagOffsets: 20_000 }),
      outcome: [],
    },
    {
      name: 'grows, and is small',
      before: lagsOfRuns(14, (run) => run),
      snapshot: migration({ lagOffsets: 9_999 }),
      outcome: [],
    },
    {
      name: 'grows for too few runs',
      before: lagsOfRuns(13, (run) => run * 1_000),
      snapshot: migration({ lagOffsets: 20_000 }),
      outcome: [],
    },
    {
      name: 'grows',
      before: lagsOfRuns(14, (run) => run * 1_000),
      snapshot: migration({ lagOffsets: 10_000 }, { name: 'b', lagOffsets: 10_000 }),
      outcome: ['pipeline:from-old Migration from-old: lag grew from 0 to 20,000 offsets over 15 runs.'],
    },
  ],
  migration_unproxied_writes: [
    ...noMigration,
    {
      name: 'all went through the agents, or nothing has to',
      snapshot: migration({ state: 'PROXY' }, { name: 'b', unproxiedRecords: 7 }),
      outcome: [],
    },
    {
      name: 'some went past them',
      snapshot: migration({ state: 'PROXY', unproxiedRecords: 7 }),
      outcome: [
        'topic:orders Topic orders: 7 records reached the source past the agents since they forward.',
      ],
    },
  ],
  migration_cut_over_timed_out: [
    ...noMigration,
    {
      name: 'is under way, was ended by a user, or was long ago',
      snapshot: migration(
        { state: 'PROXY', isCuttingOver: true, changedBy: 'timeout', changedMs: snapshotMs },
        { name: 'b', state: 'PROXY', changedBy: 'ada', changedMs: snapshotMs },
        { name: 'c', state: 'PROXY', changedBy: 'timeout' },
      ),
      outcome: [],
    },
    {
      name: 'timed out',
      snapshot: migration({ state: 'PROXY', changedBy: 'timeout', changedMs: snapshotMs - minuteMs }),
      outcome: ['topic:orders Topic orders: the cut-over ended by its timeout'],
    },
  ],
  consumer_group_without_members: [
    {
      name: 'almost long enough',
      snapshot: { groups: [groupOf('g', 1, 9, { memberCount: 0, emptySinceMs: snapshotMs - dayMs + 1 })] },
      outcome: [],
    },
    {
      name: 'long enough',
      snapshot: { groups: [groupOf('g', 1, 9, { memberCount: 0, emptySinceMs: snapshotMs - 2 * dayMs })] },
      outcome: ['group:g Group g has had no members for 2 days; lag 8 records in orders partition 0.'],
    },
    {
      name: 'the history remembers it too',
      before: [{ atMs: snapshotMs - dayMs, groups: [groupOf('g', 1, 9, { memberCount: 0 })] }],
      snapshot: { groups: [groupOf('g', 1, 9, { memberCount: 0 })] },
      outcome: ['group:g Group g has had no members for 24 hours; lag 8 records in orders partition 0.'],
    },
    {
      name: 'nothing to read',
      snapshot: { groups: [groupOf('g', 9, 9, { memberCount: 0, emptySinceMs: 0 })] },
      outcome: [],
    },
    { name: 'not reported', snapshot: { groups: undefined }, outcome: { missing: 'group members' } },
  ],
  partition_count_near_limit: [
    { name: 'below', snapshot: cluster({ partitionCount: 799 }), outcome: [] },
    {
      name: 'near',
      snapshot: cluster({ partitionCount: 800 }),
      outcome: ['cluster:vci_test The cluster has 800 partitions, 80 % of the limit of 1,000.'],
    },
    {
      name: 'very near',
      snapshot: cluster({ partitionCount: 950 }),
      outcome: ['cluster:vci_test (high) The cluster has 950 partitions, 95 % of the limit of 1,000.'],
    },
    {
      name: 'without a limit',
      snapshot: cluster({ partitionCountMax: 0 }),
      outcome: { missing: 'partition limit' },
    },
  ],
  metadata_backup_behind: [
    { name: 'no backup', snapshot: { metadataBackupAgeMs: undefined }, outcome: [] },
    { name: 'recent', snapshot: { metadataBackupAgeMs: 299_999 }, outcome: [] },
    {
      name: 'behind',
      snapshot: { metadataBackupAgeMs: 300_000 },
      outcome: ['cluster:vci_test Last complete metadata backup: 5 minutes ago.'],
    },
  ],
  control_plane_utilization: [
    { name: 'below', snapshot: { controlPlaneUtilization: 0.79 }, outcome: [] },
    {
      name: 'above',
      snapshot: { controlPlaneUtilization: 0.8 },
      outcome: ['cluster:vci_test Control plane utilization of the cluster is 80 %.'],
    },
    {
      name: 'at its end',
      snapshot: { controlPlaneUtilization: 0.95 },
      outcome: ['cluster:vci_test (critical) Control plane utilization of the cluster is 95 %.'],
    },
    {
      name: 'not reported',
      snapshot: { controlPlaneUtilization: undefined },
      outcome: { missing: 'the utilization' },
    },
  ],
  high_cardinality: [
    {
      name: 'below',
      snapshot: { metrics: [{ name: 'm', seriesCount: seriesPerMetricMax * 0.8 - 1 }] },
      outcome: [],
    },
    {
      name: 'above',
      snapshot: { metrics: [{ name: 'm', seriesCount: seriesPerMetricMax * 0.8 }] },
      outcome: ['metric:m Metric m has 8,000 series.'],
    },
    { name: 'not reported', snapshot: { metrics: undefined }, outcome: { missing: 'metric series' } },
  ],
  invalid_acls: [
    { name: 'none', snapshot: acls('shadow', []), outcome: [] },
    {
      name: 'one is tried out',
      snapshot: acls('shadow'),
      outcome: [
        'acl:TOPIC orders*: ALLOW READ for User:ann from * TOPIC orders*: ALLOW READ for User:ann from *. No topic has a name with a star.',
      ],
    },
    {
      name: 'one is enforced',
      snapshot: acls('enforced'),
      outcome: [
        'acl:TOPIC orders*: ALLOW READ for User:ann from * (high) TOPIC orders*: ALLOW READ for User:ann from *. No topic has a name with a star.',
      ],
    },
    { name: 'the rules are not evaluated', snapshot: acls('off'), outcome: [] },
    { name: 'not reported', snapshot: { acls: undefined }, outcome: { missing: 'ACLs' } },
  ],
  acls_without_superuser: [
    {
      name: 'there is one',
      snapshot: credentials({ isSuperuser: false }, { isSuperuser: true }),
      outcome: [],
    },
    {
      name: 'there is none',
      snapshot: credentials({ isSuperuser: false }),
      outcome: ['cluster:vci_test 2 ACLs and 1 credential, no superuser.'],
    },
    { name: 'only tried out', snapshot: { ...credentials(), ...acls('shadow') }, outcome: [] },
    {
      name: 'credentials not reported',
      snapshot: { credentials: undefined },
      outcome: { missing: 'credentials' },
    },
    { name: 'rules not reported', snapshot: { acls: undefined }, outcome: { missing: 'ACLs' } },
  ],
  expiring_certificates: [
    { name: 'at the limit', snapshot: certificate(30 * dayMs), outcome: [] },
    {
      name: 'soon',
      snapshot: certificate(30 * dayMs - 1),
      outcome: [
        'certificate:kafka.example Certificate kafka.example expires in 29 days; presented by 1 agent.',
      ],
    },
    {
      name: 'very soon',
      snapshot: certificate(7 * dayMs - 1),
      outcome: [
        'certificate:kafka.example (high) Certificate kafka.example expires in 6 days; presented by 1 agent.',
      ],
    },
    {
      name: 'over',
      snapshot: certificate(-2 * 3_600_000),
      outcome: [
        'certificate:kafka.example (critical) Certificate kafka.example expired 2 hours ago; presented by 1 agent.',
      ],
    },
    {
      name: 'not reported',
      snapshot: agents(agentOf('a', { certificates: undefined })),
      outcome: { missing: 'certificates' },
    },
  ],
  named_bucket_unused: [
    {
      name: 'refused by one agent',
      snapshot: agents(agentOf('a'), agentOf('b', { bucketProblem: 's3: other is not allowed' })),
      outcome: ['agent:b Agent b on b.example still uses the previous bucket: s3: other is not allowed.'],
    },
    { name: 'used by all', snapshot: agents(agentOf('a'), agentOf('b')), outcome: [] },
    {
      name: 'not reported',
      snapshot: agents(agentOf('a', { bucketProblem: undefined })),
      outcome: { missing: 'agent reports' },
    },
  ],
  expiring_tokens: [
    { name: 'a tenth left', snapshot: token(6 * minuteMs, snapshotMs - 54 * minuteMs), outcome: [] },
    {
      name: 'less than a tenth',
      snapshot: token(5 * minuteMs, snapshotMs - 55 * minuteMs),
      outcome: ['token:agent token of a Token agent token of agent a on a.example expires in 5 minutes.'],
    },
    {
      name: 'a long one',
      snapshot: token(8 * dayMs, snapshotMs - 82 * dayMs),
      outcome: ['token:agent token of a Token agent token of agent a on a.example expires in 8 days.'],
    },
    { name: 'begin unknown, enough left', snapshot: token(10 * minuteMs), outcome: [] },
    {
      name: 'over',
      snapshot: token(0),
      outcome: [
        'token:agent token of a (critical) Token agent token of agent a on a.example expired 0 ms ago.',
      ],
    },
    {
      name: 'not reported',
      snapshot: agents(agentOf('a', { tokens: undefined })),
      outcome: { missing: 'agent tokens' },
    },
  ],
  expiring_delegation_tokens: [
    {
      name: 'soon',
      snapshot: {
        delegationTokens: [
          { ...delegationToken, tokenId: 't1', expiresMs: snapshotMs + 3_600_000 },
          { ...delegationToken, tokenId: 't2', expiresMs: snapshotMs + 2 * 3_600_000 },
          { ...delegationToken, tokenId: 't3', expiresMs: snapshotMs - 60_000, endsMs: snapshotMs - 60_000 },
        ],
      },
      outcome: [
        'token:t1 Delegation token t1 of ann expires in 60 minutes.',
        'token:t3 Delegation token t3 of ann expired 60 seconds ago and cannot be renewed.',
      ],
    },
    {
      name: 'made for a short time',
      snapshot: {
        delegationTokens: [
          { ...delegationToken, issuedMs: snapshotMs - 60_000, expiresMs: snapshotMs + 60_000 },
        ],
      },
      outcome: [],
    },
    { name: 'there are none', snapshot: { delegationTokens: [] }, outcome: [] },
    {
      name: 'not known',
      snapshot: { delegationTokens: undefined },
      outcome: { missing: 'delegation tokens' },
    },
  ],
  unused_credentials: [
    {
      name: 'used',
      snapshot: credentials({ isSuperuser: false, lastUsedMs: snapshotMs - 90 * dayMs + 1 }),
      outcome: [],
    },
    {
      name: 'not any more',
      snapshot: credentials({ username: 'ann', isSuperuser: false, lastUsedMs: snapshotMs - 90 * dayMs }),
      outcome: ['credential:ann Credential ann was last used 90 days ago.'],
    },
    {
      name: 'a superuser who never came',
      snapshot: credentials({ createdMs: snapshotMs - 100 * dayMs, lastUsedMs: null }),
      outcome: ['credential:root (medium) Credential root was never used; created 100 days ago.'],
    },
    { name: 'new', snapshot: credentials({ lastUsedMs: null }), outcome: [] },
    { name: 'there are none', snapshot: credentials(), outcome: [] },
    {
      name: 'logins not reported',
      snapshot: credentials({ lastUsedMs: undefined }),
      outcome: { missing: 'logins' },
    },
    { name: 'not reported', snapshot: { credentials: undefined }, outcome: { missing: 'logins' } },
  ],
  bucket_unavailable: [
    { name: 'there', snapshot: bucket({ failureCount: 100 }), outcome: [] },
    {
      name: 'missing',
      snapshot: bucket({ missingCount: 1200 }),
      outcome: [
        'bucket:s3://records Bucket s3://records does not exist: 1,200 requests failed since the last run.',
      ],
    },
    {
      name: 'an agent cannot write',
      snapshot: agents(agentOf('a', { writeProblem: 'the disk is full' }), agentOf('b')),
      outcome: [`agent:a Agent a on ${agentOf('a').host} is not ready: the disk is full.`],
    },
    {
      name: 'an agent that is gone could not',
      snapshot: agents(agentOf('a', { writeProblem: 'the disk is full', lastSeenMs: snapshotMs - minuteMs })),
      outcome: [],
    },
    { name: 'not reported', snapshot: { buckets: undefined }, outcome: { missing: 'bucket stats' } },
  ],
  bucket_permission: [
    {
      name: 'all allowed',
      snapshot: bucket({ deniedOperations: [{ operation: 'put', count: 0 }] }),
      outcome: [],
    },
    {
      name: 'something is not',
      snapshot: bucket({
        deniedOperations: [
          { operation: 'delete', count: 1 },
          { operation: 'list', count: 1200 },
        ],
      }),
      outcome: [
        'bucket:s3://records Bucket s3://records denied delete 1 time, list 1,200 times since the last run.',
      ],
    },
    { name: 'not reported', snapshot: { buckets: undefined }, outcome: { missing: 'bucket stats' } },
  ],
  bucket_failures: [
    { name: 'at the limit', snapshot: bucket({ failureCount: 10 }), outcome: [] },
    {
      name: 'above',
      snapshot: bucket({ failureCount: 11 }),
      outcome: ['bucket:s3://records Bucket s3://records: 11 of 1,000 requests failed since the last run.'],
    },
    {
      name: 'far above',
      snapshot: bucket({ failureCount: 100 }),
      outcome: [
        'bucket:s3://records (critical) Bucket s3://records: 100 of 1,000 requests failed since the last run.',
      ],
    },
    { name: 'too few to evaluate', snapshot: bucket({ operationCount: 99, failureCount: 99 }), outcome: [] },
    { name: 'nothing happened', snapshot: bucket({ operationCount: 0 }), outcome: [] },
    { name: 'not reported', snapshot: { buckets: undefined }, outcome: { missing: 'bucket stats' } },
  ],
  damaged_files: [
    { name: 'none', snapshot: { damagedFiles: [] }, outcome: [] },
    {
      name: 'one partition',
      snapshot: damaged({ kind: 'missing' }),
      outcome: [
        'file:018b File 018b is missing from the bucket: orders partition 3 offsets 1,000 to 1,009 unreadable.',
      ],
    },
    {
      name: 'more partitions than are listed',
      snapshot: damaged({ kind: 'corrupt', partitionCount: 8 }),
      outcome: [
        'file:018b File 018b fails its checksum: orders partition 3 offsets 1,000 to 1,009, 7 other partitions unreadable.',
      ],
    },
    {
      name: 'not reported',
      snapshot: { damagedFiles: undefined },
      outcome: { missing: 'agent reports' },
    },
  ],
  dead_files_growing: [
    { name: 'none', snapshot: dead({ fileCount: 0, oldestDeadMs: undefined }), outcome: [] },
    { name: 'at the limit', snapshot: dead({ oldestDeadMs: snapshotMs - 70 * minuteMs }), outcome: [] },
    {
      name: 'late',
      snapshot: dead({ oldestDeadMs: snapshotMs - 130 * minuteMs }),
      outcome: [
        'cluster:vci_test 7 files (21 MiB) not deleted, the oldest overdue for 2 hours: file deletion jobs fail or are too slow.',
      ],
    },
    {
      name: 'without an agent that deletes',
      snapshot: dead({ oldestDeadMs: snapshotMs - 130 * minuteMs, deletingAgentCount: 0 }),
      outcome: [
        'cluster:vci_test 7 files (21 MiB) not deleted, the oldest overdue for 2 hours: no agent runs file deletion jobs.',
      ],
    },
    {
      name: 'kept on purpose',
      snapshot: dead({ oldestDeadMs: snapshotMs - 10 * minuteMs, isDeletionOn: false }),
      outcome: [
        'cluster:vci_test (low) 7 files (21 MiB) not deleted, the oldest overdue for 10 minutes: service.file.delete.enable is false.',
      ],
    },
    { name: 'not known', snapshot: { deadFiles: undefined }, outcome: { missing: 'file totals' } },
  ],
  compaction_behind: [
    { name: 'in time', snapshot: compaction({}), outcome: [] },
    {
      name: 'no agent merges',
      snapshot: compaction({ lateLevels, mergingAgentCount: 0 }),
      outcome: [
        'cluster:vci_test Merge overdue: 1,200 files of level 0 (3 MiB) and 40 files of level 1 (2 GiB), oldest 3 hours: no agent runs compaction jobs.',
      ],
    },
    {
      name: 'a busy disk',
      snapshot: compaction({ lateLevels: [lateLevels[1]!], mergingAgentCount: 0, pausedAgentCount: 1 }),
      outcome: [
        'cluster:vci_test (low) Merge overdue: 40 files of level 1 (2 GiB), oldest 2 hours: agents postpone merges until clients write less.',
      ],
    },
    {
      name: 'merges that fail',
      snapshot: compaction({ lateLevels: [lateLevels[1]!], problem: 's3://records: not allowed.' }),
      outcome: [
        'cluster:vci_test Merge overdue: 40 files of level 1 (2 GiB), oldest 2 hours: compaction jobs fail: s3://records: not allowed.',
      ],
    },
    {
      name: 'merges that are too slow, although another agent waits for its disk',
      snapshot: compaction({ lateLevels: [lateLevels[1]!], pausedAgentCount: 1 }),
      outcome: [
        'cluster:vci_test Merge overdue: 40 files of level 1 (2 GiB), oldest 2 hours: merges are slower than new files arrive.',
      ],
    },
    {
      name: 'dirty topics',
      snapshot: compaction({
        lateTopics: [{ name: 'users', partitionCount: 2, dueMs: snapshotMs - 5 * 3_600_000 }],
      }),
      outcome: ['topic:users 2 partitions of topic users: compaction overdue for 5 hours.'],
    },
    {
      name: 'not known',
      snapshot: { compaction: undefined },
      outcome: { missing: 'compaction backlog' },
    },
  ],
  failing_jobs: [
    { name: 'none', snapshot: { failingJobs: [] }, outcome: [] },
    { name: 'a few failures', snapshot: { failingJobs: [failingJob(2)] }, outcome: [] },
    {
      name: 'again and again',
      snapshot: { failingJobs: [failingJob(3), { ...failingJob(5), scope: 'x' }] },
      outcome: [
        'job:file_deletion Job file_deletion failed 3 times in a row: s3://records: not allowed',
        'job:file_deletion x Job file_deletion x failed 5 times in a row: s3://records: not allowed',
      ],
    },
    {
      name: 'one that an operator has to look at',
      snapshot: { failingJobs: [{ ...failingJob(1), isStopped: true }] },
      outcome: ['job:file_deletion Job file_deletion stopped: s3://records: not allowed'],
    },
    {
      name: 'an instance of a pipeline, which is another diagnostic',
      snapshot: { failingJobs: [{ ...failingJob(5), kind: 'pipeline' }] },
      outcome: [],
    },
    { name: 'not known', snapshot: { failingJobs: undefined }, outcome: { missing: 'jobs' } },
  ],
  waiting_jobs: [
    { name: 'none', snapshot: { waitingJobs: [] }, outcome: [] },
    {
      name: 'of a pipeline, which is another diagnostic',
      snapshot: waiting({ kind: 'pipeline' }),
      outcome: [],
    },
    { name: 'a short wait', snapshot: waiting({ oldestMs: snapshotMs - 10 * minuteMs + 1 }), outcome: [] },
    {
      name: 'no taker',
      snapshot: waiting({}),
      outcome: [
        'job:file_compaction 16 jobs of kind file_compaction: waiting for 26 minutes; no agent takes this kind.',
      ],
    },
    { name: 'postponed', snapshot: waiting({ pausedCount: 1 }), outcome: [] },
    {
      name: 'busy agents',
      snapshot: waiting({ agentCount: 2 }),
      outcome: [
        'job:file_compaction (low) 16 jobs of kind file_compaction: waiting for 26 minutes; 2 agents busy with other jobs.',
      ],
    },
    {
      name: 'another diagnostic',
      snapshot: { ...waiting({}), ...agents(agentOf('a', { roles: ['proxy'] })) },
      outcome: [],
    },
    { name: 'not known', snapshot: { waitingJobs: undefined }, outcome: { missing: 'jobs' } },
  ],
  failing_alert_channels: [
    { name: 'none', snapshot: { alertChannels: [] }, outcome: [] },
    { name: 'a restart', snapshot: { alertChannels: [channel(2)] }, outcome: [] },
    {
      name: 'a channel that is gone',
      snapshot: { alertChannels: [channel(3)] },
      outcome: [
        'channel:on call Channel on call: 3 attempts in a row failed: The server answered with status 404.',
      ],
    },
    { name: 'not known', snapshot: { alertChannels: undefined }, outcome: { missing: 'alert channels' } },
  ],
  bucket_latency: [
    { name: 'at the limit', snapshot: bucket({ putP99Ms: 2000, getP99Ms: 1000 }), outcome: [] },
    {
      name: 'slow writes',
      snapshot: bucket({ putP99Ms: 2001, getP99Ms: undefined }),
      outcome: ['bucket:s3://records Bucket s3://records: p99 latency PUT 2 seconds over 1,000 requests.'],
    },
    {
      name: 'slow in all',
      snapshot: bucket({ putP99Ms: 5000, getP99Ms: 1500 }),
      outcome: [
        'bucket:s3://records Bucket s3://records: p99 latency PUT 5 seconds, GET 1,500 ms over 1,000 requests.',
      ],
    },
    { name: 'too few to evaluate', snapshot: bucket({ operationCount: 99, putP99Ms: 9000 }), outcome: [] },
    {
      name: 'not reported',
      snapshot: bucket({ putP99Ms: undefined, getP99Ms: undefined }),
      outcome: { missing: 'bucket latency' },
    },
  ],
  small_files: [
    { name: 'large', snapshot: files(6000, 512 * KiB), outcome: [] },
    {
      name: 'small',
      snapshot: files(600, 100 * KiB),
      outcome: ['cluster:vci_test 10 new files per second, 100 KiB on average.'],
    },
    { name: 'small and few', snapshot: files(599, 100 * KiB), outcome: [] },
    { name: 'none', snapshot: produce({ fileCount: 0, fileBytes: 0 }), outcome: [] },
    { name: 'not reported', snapshot: { produce: undefined }, outcome: { missing: 'new file sizes' } },
  ],
  topics_without_retention: [
    { name: 'by time', snapshot: topic({ retentionMs: 0 }), outcome: [] },
    { name: 'by size', snapshot: topic({ retentionBytes: 5 }), outcome: [] },
    {
      name: 'neither',
      snapshot: topic({}),
      outcome: ['topic:orders Topic orders with 8 partitions has unlimited retention.'],
    },
    {
      name: 'compacted',
      snapshot: topic({ isDeleting: false }),
      outcome: [],
    },
    { name: 'our own', snapshot: topic({ name: '__consumer_offsets' }), outcome: [] },
    { name: 'not reported', snapshot: { topics: undefined }, outcome: { missing: 'topics' } },
  ],
} satisfies Record<CheckName, readonly Case[]>;

function outcome(result: CheckResult): Outcome {
  if (isNoData(result)) return result;
  return result.map(({ entity, severity, message }) => {
    return `${entityKey(entity)} ${severity === undefined ? '' : `(${severity}) `}${message}`;
  });
}

for (const check of checks) {
  const rows: readonly Case[] = cases[check.name];
  test(`${check.name}: ${rows.map(({ name }) => name).join(', ')}`, () => {
    for (const { name, snapshot, before = [], outcome: expected } of rows) {
      let history: ClusterHistory = noHistory;
      for (const facts of [...before, snapshot]) history = withSnapshot(history, healthySnapshot(facts));
      assert.deepEqual(outcome(check.run(healthySnapshot(snapshot), history)), expected, name);
    }
  });

  test(`${check.name} has a case that passes and one that fails, and passes a healthy cluster`, () => {
    const outcomes = rows.map((row) => ('missing' in row.outcome ? 'no data' : row.outcome.length > 0));
    assert.ok(outcomes.includes(true) && outcomes.includes(false));
    assert.deepEqual(check.run(healthy, withSnapshot(noHistory, healthy)), []);
  });
}

test('the message names the object, because lists show nothing else of it', () => {
  for (const check of checks) {
    for (const { name, snapshot, before = [] } of cases[check.name] as readonly Case[]) {
      const history = [...before, snapshot].map(healthySnapshot).reduce(withSnapshot, noHistory);
      const result = check.run(healthySnapshot(snapshot), history);
      for (const { entity, message } of isNoData(result) ? [] : result) {
        // The caller asked about one cluster and knows its name.
        const isNamed = entity.kind === 'cluster' || message.includes(entity.name);
        assert.ok(isNamed, `${check.name}, ${name}: ${message}`);
      }
    }
  }
});
