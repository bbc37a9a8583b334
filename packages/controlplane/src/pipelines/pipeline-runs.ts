import type { OutputOf } from '@weir/api';
import {
  type ClusterPort,
  type JobState,
  type ListedJob,
  linkingScope,
  schemaLinkingKind,
} from '@weir/cluster';
import { timeText } from '@weir/core';
import type { Pipeline } from '../accounts/workspaces/pipelines.ts';

type Run = OutputOf<'describe_pipeline'>['pipeline_overview']['run'];

/** Returns how a pipeline runs. */
export type RunOf = (pipeline: Pipeline) => Run;

const statuses: Readonly<Record<JobState, NonNullable<Run>['status']>> = {
  waiting: 'waiting',
  running: 'running',
  done: 'synced',
  failing: 'error',
  stopped: 'error',
};

/** Asks the leader of a cluster about its pipelines that are to run. While it does not answer, none is known. */
export async function pipelineRuns(
  pipelines: readonly Pipeline[],
  clusterId: string,
  portOf: ((clusterId: string) => Pick<ClusterPort, 'listJobs'>) | undefined,
): Promise<RunOf> {
  const isRunning = ({ type, state }: Pipeline) => type === 'schema_linking' && state === 'running';
  if (portOf === undefined || !pipelines.some(isRunning)) return () => undefined;
  const jobs = await portOf(clusterId)
    .listJobs()
    .then(
      (listed) => listed.jobs,
      () => [],
    );
  return (pipeline) => {
    if (!isRunning(pipeline) || pipeline.deployed === undefined) return undefined;
    const scope = linkingScope({ pipelineId: pipeline.id, configurationId: pipeline.deployed.id });
    // The rest of a scope identifies the values of secrets.
    const own = jobs.filter(
      (job) => job.kind === schemaLinkingKind && (job.scope === scope || job.scope.startsWith(`${scope} `)),
    );
    // Open and failing jobs come before those that are done.
    return own[0] === undefined ? undefined : runOf(own[0], own);
  };
}

function runOf(job: ListedJob, all: readonly ListedJob[]): Run {
  const ended = all.find(({ endedMs }) => endedMs !== null);
  const { progress, agentId, retryMs } = job;
  return {
    status: statuses[job.state],
    message: job.message === '' ? (ended?.message ?? '') : job.message,
    ...(agentId === null ? {} : { agent_id: agentId }),
    ...(ended === undefined ? {} : { last_ended_at: timeText(ended.endedMs!) }),
    ...(retryMs === null ? {} : { next_at: timeText(retryMs) }),
    done_count: Math.max(0, progress.doneCount),
    ...(progress.totalCount < 0 ? {} : { total_count: progress.totalCount }),
  };
}
