import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import type { ListedJob } from '@weir/cluster';
import { jobOperations } from './jobs.ts';
import type { ClusterServices } from './services.ts';

const running: ListedJob = {
  jobId: 'dead_file_scan-2-1',
  kind: 'dead_file_scan',
  scope: '',
  state: 'running',
  agentId: 'a',
  plannedMs: 1_700_000_000_000,
  startedMs: 1_700_000_001_000,
  endedMs: null,
  progress: { doneCount: 3_000, totalCount: -1 },
  failureCount: 0,
  retryMs: null,
  message: '',
};

const stopped: ListedJob = {
  ...running,
  jobId: 'file_deletion-2-7',
  kind: 'file_deletion',
  state: 'stopped',
  endedMs: 1_700_000_002_000,
  progress: { doneCount: 4, totalCount: 9 },
  failureCount: 6,
  retryMs: 1_700_000_602_000,
  message: 'failed to delete 5 of 9 files: not allowed',
};

const takers = [
  { kind: 'dead_file_scan', agentCount: 2, pausedCount: 0 },
  { kind: 'file_compaction', agentCount: 0, pausedCount: 1 },
];

test('jobs are listed with their progress and outcome, also by kind and state', async () => {
  const services = {
    clusterPort: () => ({ listJobs: async () => ({ jobs: [running, stopped], takers }) }),
  } as unknown as ClusterServices;
  const { list_jobs } = jobOperations(services);
  const listed = (filter: { kind?: string; state?: ListedJob['state'] }) =>
    list_jobs({ virtual_cluster_id: 'vci_1', ...filter });
  const all = await listed({});
  catalogue.list_jobs.output.parse(all);
  const times = { planned_at: '2023-11-14T22:13:20.000Z', started_at: '2023-11-14T22:13:21.000Z' };
  assert.deepEqual(all.jobs, [
    {
      job_id: 'dead_file_scan-2-1',
      kind: 'dead_file_scan',
      scope: '',
      state: 'running',
      agent_id: 'a',
      ...times,
      done_count: 3_000,
      failure_count: 0,
      message: '',
    },
    {
      job_id: 'file_deletion-2-7',
      kind: 'file_deletion',
      scope: '',
      state: 'stopped',
      agent_id: 'a',
      ...times,
      ended_at: '2023-11-14T22:13:22.000Z',
      done_count: 4,
      total_count: 9,
      failure_count: 6,
      retry_at: '2023-11-14T22:23:22.000Z',
      message: 'failed to delete 5 of 9 files: not allowed',
    },
  ]);
  assert.deepEqual(all.kinds, [
    { kind: 'dead_file_scan', agent_count: 2, paused_agent_count: 0 },
    { kind: 'file_compaction', agent_count: 0, paused_agent_count: 1 },
  ]);
  const ids = async (filter: Parameters<typeof listed>[0]) =>
    (await listed(filter)).jobs.map((job) => job.job_id);
  assert.deepEqual(await ids({ kind: 'file_deletion' }), ['file_deletion-2-7']);
  assert.deepEqual(await ids({ state: 'running' }), ['dead_file_scan-2-1']);
  assert.deepEqual(await ids({ kind: 'file_deletion', state: 'running' }), []);
});
