import { defineCheck } from '../check.ts';
import { duration } from '../number-texts.ts';
import { instanceName } from '../pipeline-instances.ts';

/** Outputs pause for less between two attempts. */
const stalledMsMin = 60_000;

/** Of the output itself, or of an output within it. */
const outputStage = /^(?:root\.)?output/;

export const pipelineOutputDown = defineCheck({
  name: 'pipeline_output_down',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'high',
  title: 'The output of a pipeline does not work',
  observes: `Running instances of pipelines that have written nothing for ${duration(stalledMsMin)} or longer, and whose output failed meanwhile.`,
  explanation:
    'Messages are not lost: they are tried again, and the input waits. It falls behind meanwhile, and loses records once the lag exceeds the retention of its topics.',
  fix: 'Read the error. Check that the target is up, that its address and credentials in the configuration are right, that agents may connect to it (-allowedTargetHosts), and for a topic that it exists. Nothing has to be restarted afterwards.',
  run({ pipelines, atMs }, history) {
    if (pipelines === undefined) return { missing: 'pipelines' };
    return pipelines.flatMap((pipeline) => {
      const stalled = pipeline.instances.flatMap((instance) => {
        const { jobId, state, errorCount, lastErrorStage } = instance;
        const known = history.instances.get(jobId);
        if (state !== 'running' || known === undefined || !outputStage.test(lastErrorStage)) return [];
        const stalledMs = atMs - known.movedMs;
        return errorCount > known.errorCountThen && stalledMs >= stalledMsMin
          ? [{ instance, stalledMs, sinceMs: known.movedMs }]
          : [];
      });
      const [worst] = stalled.toSorted((a, b) => b.stalledMs - a.stalledMs);
      if (worst === undefined) return [];
      const { instance, stalledMs, sinceMs } = worst;
      return [
        {
          entity: { kind: 'pipeline', name: pipeline.name } as const,
          message: `Pipeline ${pipeline.name}: ${instanceName(pipeline, instance)} has written nothing for ${duration(stalledMs)}; ${instance.lastErrorStage}: ${instance.lastError}`,
          weight: stalledMs,
          sinceMs,
        },
      ];
    });
  },
});
