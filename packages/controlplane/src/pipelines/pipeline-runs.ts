import type { OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  type ClusterPort,
  type JobState,
  type JobsState,
  type ListedJob,
  linkingScope,
  migrationCopyKind,
  migrationTopicsKind,
  pipelineKind,
  pipelineOfMigrationScope,
  readIngestionScope,
  readPipelineScope,
  schemaLinkingKind,
  tableIngestionKind,
} from '@weir/cluster';
import { timeText } from '@weir/core';
import { readYaml } from '@weir/pipelines/yaml';
import type { Pipeline } from '../accounts/workspaces/pipelines.ts';
import { placeOfStage } from './stage-place.ts';

type Run = NonNullable<OutputOf<'describe_pipeline'>['pipeline_overview']['run']>;
type Instance = NonNullable<Run['instances']>[number];

/** Returns how a pipeline runs. */
export type RunOf = (pipeline: Pipeline) => Run | undefined;

const statuses: Readonly<Record<JobState, Run['status']>> = {
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
  const isRunning = ({ state }: Pipeline) => state === 'running';
  if (portOf === undefined || !pipelines.some(isRunning)) return () => undefined;
  const listed = await portOf(clusterId)
    .listJobs()
    .catch(() => undefined);
  return (pipeline) => {
    if (listed === undefined || !isRunning(pipeline) || pipeline.deployed === undefined) return undefined;
    return runsByType[pipeline.type](pipeline, listed);
  };
}

const runsByType: Readonly<
  Record<Pipeline['type'], (pipeline: Pipeline, listed: JobsState) => Run | undefined>
> = { bento: managedRun, data_lake: tablesRun, orbit: migrationRun, schema_linking: linkingRun };

function linkingRun({ id, deployed }: Pipeline, { jobs }: JobsState): Run | undefined {
  const scope = linkingScope({ pipelineId: id, configurationId: deployed!.id });
  // The rest of a scope identifies the values of secrets.
  const own = jobs.filter(
    (job) => job.kind === schemaLinkingKind && (job.scope === scope || job.scope.startsWith(`${scope} `)),
  );
  // Open and failing jobs come before those that are done.
  const [job] = own;
  if (job === undefined) return undefined;
  const ended = own.find(({ endedMs }) => endedMs !== null);
  return runOf(job, job.message === '' ? (ended?.message ?? '') : job.message, ended);
}

function runOf({ state, progress, agentId, retryMs }: ListedJob, message: string, ended?: ListedJob): Run {
  return {
    status: statuses[state],
    message,
    ...(agentId === null ? {} : { agent_id: agentId }),
    ...(ended === undefined ? {} : { last_ended_at: timeText(ended.endedMs!) }),
    ...(retryMs === null ? {} : { next_at: timeText(retryMs) }),
    done_count: Math.max(0, progress.doneCount),
    ...(progress.totalCount < 0 ? {} : { total_count: progress.totalCount }),
  };
}

/** All instances of a pipeline, and the one that matters most for the whole. */
function managedRun({ id, deployed }: Pipeline, { jobs, takers }: JobsState): Run {
  const latest = new Map<number, ListedJob>();
  let isChanging = false;
  // The first job of an instance is the open or failing one.
  for (const job of jobs) {
    if (job.kind !== pipelineKind) continue;
    const { pipelineId, configurationId, instance } = readPipelineScope(job.scope);
    if (pipelineId !== id) continue;
    if (configurationId !== deployed!.id) isChanging ||= job.state === 'running';
    else if (!latest.has(instance)) latest.set(instance, job);
  }
  const all = [...latest].toSorted(([a], [b]) => a - b).slice(0, apiLimits.pipelineInstancesMax);
  const worst = all.map(([, job]) => job).toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  if (worst === undefined)
    return { status: 'waiting', message: whyWaiting(isChanging, takers), done_count: 0 };
  const message =
    worst.state === 'waiting' && worst.message === '' ? whyWaiting(isChanging, takers) : messageOf(worst);
  return {
    ...runOf(worst, message, worst.endedMs === null ? undefined : worst),
    done_count: all.reduce((sum, [, { progress }]) => sum + Math.max(0, progress.doneCount), 0),
    instances: all.map(([instance, job]) => instanceOf(instance, job)),
  };
}

/** All tables of a pipeline, and the one that matters most for the whole. */
function tablesRun({ deployed }: Pipeline, { jobs, takers }: JobsState): Run {
  const own = jobs.filter(
    ({ kind, scope }) =>
      kind === tableIngestionKind && readIngestionScope(scope).configurationId === deployed!.id,
  );
  const worst = own.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  const hasTakers = takers.some(({ kind, agentCount }) => kind === tableIngestionKind && agentCount > 0);
  const whyWaiting = hasTakers
    ? 'waits for an agent'
    : 'no agent writes tables; start an agent of this cluster';
  if (worst === undefined) return { status: 'waiting', message: whyWaiting, done_count: 0 };
  const message = worst.state === 'waiting' && worst.message === '' ? whyWaiting : messageOf(worst);
  return {
    ...runOf(worst, message, worst.endedMs === null ? undefined : worst),
    done_count: own.reduce((sum, { progress }) => sum + Math.max(0, progress.doneCount), 0),
  };
}

/** The job that keeps topics, and those that copy. How far they are is what `orbit/describe_migration` says. */
function migrationRun({ id, deployed }: Pipeline, { jobs, takers }: JobsState): Run {
  const own = jobs.filter(
    ({ kind, scope }) =>
      (kind === migrationTopicsKind || kind === migrationCopyKind) &&
      pipelineOfMigrationScope(scope) === id &&
      scope.split(' ').includes(deployed!.id),
  );
  const worst = own.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  const hasTakers = takers.some(({ kind, agentCount }) => kind === migrationTopicsKind && agentCount > 0);
  const whyWaiting = hasTakers
    ? 'waits for an agent'
    : 'no agent runs migrations; start one with the role jobs';
  if (worst === undefined) return { status: 'waiting', message: whyWaiting, done_count: 0 };
  const message = worst.state === 'waiting' && worst.message === '' ? whyWaiting : messageOf(worst);
  return {
    ...runOf(worst, message, worst.endedMs === null ? undefined : worst),
    done_count: own.reduce((sum, { progress }) => sum + Math.max(0, progress.doneCount), 0),
  };
}

const ranks: Readonly<Record<JobState, number>> = { stopped: 0, failing: 1, waiting: 2, running: 3, done: 4 };

function rankOf({ state }: ListedJob): number {
  return ranks[state];
}

function whyWaiting(isChanging: boolean, takers: JobsState['takers']): string {
  if (isChanging) return 'the configuration that ran before is ending';
  return takers.some(({ kind, agentCount }) => kind === pipelineKind && agentCount > 0)
    ? 'waits for an agent; agents may have no room, or another group'
    : 'no agent runs pipelines; start one with -enableManagedPipelines or the role pipelines';
}

/** While it runs, what went wrong last is of use; before that, why the attempt before failed. */
function messageOf({ state, message, progress }: ListedJob): string {
  return (state === 'running' ? (progress.lastError ?? message) : message).slice(0, 1000);
}

function instanceOf(instance: number, job: ListedJob): Instance {
  const { state, agentId, startedMs, retryMs, failureCount, progress } = job;
  const status = statuses[state];
  return {
    instance,
    status: status === 'synced' ? 'done' : status,
    message: messageOf(job),
    ...(agentId === null ? {} : { agent_id: agentId }),
    ...(startedMs === null ? {} : { started_at: timeText(startedMs) }),
    ...(retryMs === null ? {} : { next_at: timeText(retryMs) }),
    restart_count: failureCount,
    message_count: Math.max(0, progress.doneCount),
    messages_per_second: progress.messagesPerSecond ?? 0,
    bytes_per_second: progress.bytesPerSecond ?? 0,
    received_messages_per_second: progress.receivedMessagesPerSecond ?? 0,
    received_bytes_per_second: progress.receivedBytesPerSecond ?? 0,
    failed_count: Math.max(0, progress.failedCount ?? 0),
    error_count: Math.max(0, progress.errorCount ?? 0),
    ...(progress.lastErrorStage === undefined ? {} : { error_stage: progress.lastErrorStage.slice(0, 200) }),
    ...(progress.lastErrorMs === undefined ? {} : { error_at: timeText(progress.lastErrorMs) }),
  };
}

/** Adds where the components that failed are in the deployed configuration. */
export function withErrorPlaces(run: Run, yaml: string): Run {
  const { instances } = run;
  if (!instances?.some(({ error_stage }) => error_stage !== undefined)) return run;
  const reading = readYaml(yaml);
  if ('problems' in reading) return run;
  const placed = instances.map((one) => {
    const place = one.error_stage === undefined ? undefined : placeOfStage(reading.value, one.error_stage);
    return place === undefined ? one : { ...one, error_line: place.line, error_column: place.column };
  });
  return { ...run, instances: placed };
}
