import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import type { ClusterServices } from './services.ts';

export function jobOperations({ clusterPort }: ClusterServices) {
  return {
    list_jobs: async ({ virtual_cluster_id, kind, state }) => {
      const { jobs, takers } = await clusterPort(virtual_cluster_id).listJobs();
      const wanted = jobs.filter(
        (job) => (kind === undefined || job.kind === kind) && (state === undefined || job.state === state),
      );
      return {
        jobs: wanted.map((job) => ({
          job_id: job.jobId,
          kind: job.kind,
          scope: job.scope,
          state: job.state,
          ...(job.agentId === null ? {} : { agent_id: job.agentId }),
          planned_at: timeText(job.plannedMs),
          ...(job.startedMs === null ? {} : { started_at: timeText(job.startedMs) }),
          ...(job.endedMs === null ? {} : { ended_at: timeText(job.endedMs) }),
          done_count: Math.max(0, job.progress.doneCount),
          ...(job.progress.totalCount < 0 ? {} : { total_count: job.progress.totalCount }),
          failure_count: job.failureCount,
          ...(job.retryMs === null ? {} : { retry_at: timeText(job.retryMs) }),
          message: job.message,
        })),
        kinds: takers.map(({ kind, agentCount, pausedCount }) => ({
          kind,
          agent_count: agentCount,
          paused_agent_count: pausedCount,
        })),
      };
    },
  } satisfies SomeHandlers;
}
