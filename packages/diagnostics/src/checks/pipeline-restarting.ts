import { pipelineSteadyMs } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import { counted, duration } from '../number-texts.ts';
import { failuresMin, instanceName, worstInstance } from '../pipeline-instances.ts';

export const pipelineRestarting = defineCheck({
  name: 'pipeline_restarting',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'high',
  title: 'A pipeline restarts again and again',
  observes: `Instances of pipelines that run or are about to, after at least three failures in a row. One that has run for ${duration(pipelineSteadyMs)} works.`,
  explanation:
    'Messages that were read and not written are read again after every restart, so outputs get some of them twice, and the pipeline falls behind. Usual reasons are more memory than an instance has, a mapping that does not end, or a peer that ends connections.',
  fix: 'Read the error of the last attempt. For memory, lower the batch sizes, or split the work by service.cluster_concurrency_target; for time, simplify the mapping. Deploying an earlier configuration goes back.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 3 },
  run({ pipelines, atMs }) {
    if (pipelines === undefined) return { missing: 'pipelines' };
    return pipelines.flatMap((pipeline) => {
      const restarted = pipeline.instances.filter(
        ({ state, failureCount, startedMs }) =>
          failureCount >= failuresMin &&
          (state === 'waiting' ||
            (state === 'running' && startedMs !== null && atMs - startedMs < pipelineSteadyMs)),
      );
      const worst = worstInstance(restarted);
      if (pipeline.type !== 'bento' || worst === undefined) return [];
      return [
        {
          entity: { kind: 'pipeline', name: pipeline.name } as const,
          message: `Pipeline ${pipeline.name}: ${instanceName(pipeline, worst)} was started again after ${counted(worst.failureCount, 'failure')} in a row, the last: ${worst.message}`,
          weight: worst.failureCount,
        },
      ];
    });
  },
});
