import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';
import { failuresMin, instanceName, worstInstance } from '../pipeline-instances.ts';

export const pipelineFailing = defineCheck({
  name: 'pipeline_failing',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'high',
  title: 'A pipeline cannot run',
  observes:
    'Instances of pipelines that should run and whose last attempt failed: after three failures in a row, or at once if the configuration is refused where it runs.',
  explanation:
    'Nothing is read or written by these instances until the next attempt, which comes after up to two minutes. A configuration may be refused by agents although it was accepted: they have the values of variables and secrets.',
  fix: 'Read the error: it names the line and column of the configuration, or the component. Correct the configuration, set the variable at the agents (WEIR_PIPELINE_… or -allowedPipelineVariables) or the secret, and deploy. The page of the pipeline shows its instances, and its events of the type pipeline_logs what happened before.',
  kinds: ['kafka', 'schema_registry'],
  damping: { failAfterRuns: 1, recoverAfterRuns: 3 },
  run({ pipelines }) {
    if (pipelines === undefined) return { missing: 'pipelines' };
    return pipelines.flatMap((pipeline) => {
      const failing = pipeline.instances.filter(
        ({ state, failureCount }) =>
          state === 'stopped' || (state === 'failing' && failureCount >= failuresMin),
      );
      const worst = worstInstance(failing);
      if (worst === undefined) return [];
      return [
        {
          entity: { kind: 'pipeline', name: pipeline.name } as const,
          message: `Pipeline ${pipeline.name}: ${instanceName(pipeline, worst)} failed ${counted(worst.failureCount, 'time')} in a row: ${worst.message}`,
          weight: worst.failureCount,
        },
      ];
    });
  },
});
