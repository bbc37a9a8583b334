import {
  type JobsState,
  type ListedJob,
  linkingScope,
  pipelineKind,
  readPipelineScope,
  schemaLinkingKind,
} from '@weir/cluster';
import type { PipelineFacts, PipelineInstanceFacts } from './diagnostic-snapshot.ts';

/** A pipeline that should run, as its configuration says. */
export interface WantedPipeline extends Omit<PipelineFacts, 'agentCount' | 'instances'> {
  readonly configurationId: string;
}

/** What the jobs of a cluster say about a pipeline. */
export function pipelineFacts(
  { configurationId, ...wanted }: WantedPipeline,
  { jobs, takers }: JobsState,
): PipelineFacts {
  const kind = wanted.type === 'bento' ? pipelineKind : schemaLinkingKind;
  const latest = new Map<number, PipelineInstanceFacts>();
  // The first job of an instance is the open or failing one.
  for (const job of jobs) {
    if (job.kind !== kind) continue;
    const instance = instanceOf(job.scope, { ...wanted, configurationId });
    if (instance !== undefined && !latest.has(instance)) latest.set(instance, factsOf(job, instance));
  }
  return {
    ...wanted,
    agentCount: takers.find((taker) => taker.kind === kind)?.agentCount ?? 0,
    instances: [...latest.values()],
  };
}

/** The number of an instance, if the scope is one of the pipeline with its deployed configuration. */
function instanceOf(
  scope: string,
  { type, pipelineId, configurationId }: Pick<WantedPipeline, 'type' | 'pipelineId' | 'configurationId'>,
): number | undefined {
  if (type === 'schema_linking') {
    const own = linkingScope({ pipelineId, configurationId });
    return scope === own || scope.startsWith(`${own} `) ? 0 : undefined;
  }
  const found = readPipelineScope(scope);
  const isOwn = found.pipelineId === pipelineId && found.configurationId === configurationId;
  return isOwn ? found.instance : undefined;
}

function factsOf(
  { jobId, state, plannedMs, startedMs, failureCount, message, progress }: ListedJob,
  instance: number,
): PipelineInstanceFacts {
  return {
    jobId,
    instance,
    state,
    plannedMs,
    startedMs,
    failureCount,
    message,
    doneCount: progress.doneCount,
    errorCount: progress.errorCount ?? 0,
    lastError: progress.lastError ?? '',
    lastErrorStage: progress.lastErrorStage ?? '',
  };
}
