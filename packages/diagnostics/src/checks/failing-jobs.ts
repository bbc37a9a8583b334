import { pipelineKind } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

/** Single failures are those of agents and stores, and pass. */
const failuresMin = 3;

export const failingJobs = defineCheck({
  name: 'failing_jobs',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'Background jobs fail repeatedly',
  observes:
    'The consecutive failures of every background job of the cluster. Instances of pipelines are pipeline_failing.',
  explanation:
    'Background jobs merge files, delete unreferenced files and find files that were never committed. No data is lost while they fail, but the bucket grows. Failed jobs are retried with exponential backoff.',
  fix: 'Fix the reported error, for example a missing bucket permission; the next retry then succeeds. list_jobs shows all jobs.',
  kinds: ['kafka', 'data_lake'],
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ failingJobs }) {
    if (failingJobs === undefined) return { missing: 'jobs' };
    return failingJobs
      .filter(
        ({ kind, failureCount, isStopped }) =>
          kind !== pipelineKind && (isStopped || failureCount >= failuresMin),
      )
      .map(({ kind, scope, failureCount, message }) => {
        const name = scope === '' ? kind : `${kind} ${scope}`;
        return {
          entity: { kind: 'job', name } as const,
          message:
            failureCount >= failuresMin
              ? `Job ${name} failed ${counted(failureCount, 'time')} in a row: ${message}`
              : `Job ${name} stopped: ${message}`,
          weight: failureCount,
        };
      });
  },
});
