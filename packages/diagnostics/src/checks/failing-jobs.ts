import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

/** Single failures are those of agents and stores, and pass. */
const failuresMin = 3;

export const failingJobs = defineCheck({
  name: 'failing_jobs',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'Background jobs fail again and again',
  observes: 'Jobs that agents with the role jobs run for the cluster, and how often in a row they failed.',
  explanation:
    'Background jobs merge files, delete those that nothing needs any more and look for files that were never committed. Nothing is lost while they fail, but the bucket grows. They are retried with growing pauses.',
  fix: 'Correct what the message names, such as a permission of the bucket; the next attempt then succeeds by itself. list_jobs shows all jobs.',
  kinds: ['kafka', 'data_lake'],
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ failingJobs }) {
    if (failingJobs === undefined) return { missing: 'jobs' };
    return failingJobs
      .filter(({ failureCount, isStopped }) => isStopped || failureCount >= failuresMin)
      .map(({ kind, scope, failureCount, message }) => {
        const name = scope === '' ? kind : `${kind} ${scope}`;
        return {
          entity: { kind: 'job', name } as const,
          message:
            failureCount >= failuresMin
              ? `The job ${name} failed ${counted(failureCount, 'time')} in a row: ${message}`
              : `The job ${name} stopped: ${message}`,
          weight: failureCount,
        };
      });
  },
});
