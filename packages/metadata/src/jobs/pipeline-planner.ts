import {
  type PipelineTask,
  pipelineKind,
  pipelineScope,
  pipelineScopeStart,
  pipelineSteadyMs,
  writePipelineTask,
} from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { JobEnds } from './job-ends.ts';
import type { JobPlanner } from './job-planner.ts';

/** A managed pipeline that runs. */
export interface ManagedPipeline {
  /** Without an instance, and without the values of secrets. */
  readonly task: Omit<PipelineTask, 'instance' | 'secrets'>;
  readonly instanceCount: number;
  /** Only agents of this group run it; those of any if absent. */
  readonly agentGroup: string | undefined;
  /** Returns the values of the secrets that it refers to; absent if it refers to none. */
  readonly openSecrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

/**
 * Plans instances of managed pipelines. An instance with another configuration is planned when the one before has
 * ended.
 */
export function pipelinePlanner(
  pipelines: () => Promise<readonly ManagedPipeline[]>,
  ends?: JobEnds,
): JobPlanner {
  return {
    kind: pipelineKind,
    openMax: metadataLimits.openInstancesMax,
    retry: { firstMs: 1_000, maxMs: 120_000 },
    isLasting: true,
    steadyMs: pipelineSteadyMs,
    ends,
    async unwanted(scopes) {
      const wanted = new Set((await pipelines()).flatMap(instancesOf).map(pipelineScope));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ isOpen, lastDoneMs, openScopes, freeCount }) {
      const open = openScopes();
      const due = (await pipelines()).flatMap((pipeline) =>
        instancesOf(pipeline).flatMap((task) => {
          const scope = pipelineScope(task);
          const start = pipelineScopeStart(task);
          if (isOpen(scope) || open.some((other) => other.startsWith(start))) return [];
          // An instance whose input ended has done its work.
          return lastDoneMs(scope) === undefined ? [{ pipeline, task, scope }] : [];
        }),
      );
      // Secrets are opened for jobs that are handed out, and for no others.
      return Promise.all(
        due.slice(0, freeCount).map(async ({ pipeline: { agentGroup, openSecrets }, task, scope }) => ({
          scope,
          agentGroup,
          spreadBy: task.pipelineId,
          task: writePipelineTask({ ...task, secrets: await openSecrets?.() }),
        })),
      );
    },
  };
}

function instancesOf({ task, instanceCount }: ManagedPipeline) {
  return Array.from({ length: instanceCount }, (_, instance) => ({ ...task, instance }));
}
