import { durationBucketsSeconds, type MetricRow, type Metrics } from '@weir/core';

const shares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1];

export const jobRows = {
  fetched: {
    name: 'agent_job_runner_fetched_jobs_num_jobs',
    kind: 'counter',
    help: 'Background jobs claimed by this agent.',
    labels: ['kind'],
  },
  fetches: {
    name: 'agent_job_runner_fetched_jobs_outcome',
    kind: 'counter',
    help: 'Requests for background jobs.',
    labels: ['outcome'],
  },
  noneFound: {
    name: 'agent_job_runner_no_jobs_found',
    kind: 'counter',
    help: 'Requests for background jobs that found none.',
    labels: [],
  },
  runningJobs: {
    name: 'agent_job_runner_num_running_jobs_gauge',
    kind: 'gauge',
    help: 'Background jobs running on this agent.',
    labels: [],
  },
  runningSlots: {
    name: 'agent_job_runner_num_running_slots_gauge',
    kind: 'gauge',
    help: 'Background job slots in use.',
    labels: [],
  },
  runningSlotsSpread: {
    name: 'agent_job_runner_num_running_slots_distribution',
    kind: 'histogram',
    help: 'Background job slots in use, sampled at each start and end of a job.',
    labels: [],
    buckets: [0, 1, 2, 4, 8, 16, 32, 64],
  },
  utilization: {
    name: 'agent_job_runner_slots_utilization_gauge',
    kind: 'gauge',
    help: 'Share of background job slots in use, 0 to 1.',
    labels: [],
  },
  utilizationSpread: {
    name: 'agent_job_runner_slots_utilization_distribution',
    kind: 'histogram',
    help: 'Share of background job slots in use, sampled at each start and end of a job.',
    labels: [],
    buckets: shares,
  },
  latency: {
    name: 'agent_run_and_ack_job_latency',
    kind: 'histogram',
    help: 'Duration of background jobs, in seconds.',
    labels: ['kind'],
    buckets: durationBucketsSeconds,
  },
  ended: {
    name: 'agent_run_and_ack_job_outcome',
    kind: 'counter',
    help: 'Background jobs that ended on this agent, by outcome: done, failed, given_back, or lost to another agent.',
    labels: ['kind', 'outcome'],
  },
} as const satisfies Record<string, MetricRow>;

export interface JobMetrics {
  fetched(kinds: readonly string[]): void;
  fetchFailed(): void;
  running(jobs: number, slots: number): void;
  ended(kind: string, outcome: string, elapsedMs: number): void;
}

export function jobMetrics(metrics: Metrics): JobMetrics {
  const noneFound = metrics.series(jobRows.noneFound, {});
  const [jobs, used] = [metrics.series(jobRows.runningJobs, {}), metrics.series(jobRows.runningSlots, {})];
  const usedSpread = metrics.series(jobRows.runningSlotsSpread, {});
  const share = metrics.series(jobRows.utilization, {});
  const shareSpread = metrics.series(jobRows.utilizationSpread, {});
  return {
    fetched(kinds) {
      metrics.series(jobRows.fetches, { outcome: 'success' }).add(1);
      if (kinds.length === 0) noneFound.add(1);
      for (const kind of kinds) metrics.series(jobRows.fetched, { kind }).add(1);
    },
    fetchFailed: () => metrics.series(jobRows.fetches, { outcome: 'error' }).add(1),
    running(count, slots) {
      jobs.set(count);
      used.set(count);
      usedSpread.observe(count);
      share.set(count / slots);
      shareSpread.observe(count / slots);
    },
    ended(kind, outcome, elapsedMs) {
      metrics.series(jobRows.ended, { kind, outcome }).add(1);
      metrics.series(jobRows.latency, { kind }).observe(elapsedMs / 1000);
    },
  };
}
