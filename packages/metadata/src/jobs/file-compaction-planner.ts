import { type CompactionJob, fileCompactionKind, writeCompactionTask } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import type { ClaimedFiles } from './claimed-files.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';
import { allSteps } from './plan-steps.ts';

interface FileCompactionPlannerOptions {
  readonly ask: AskMachine;
  readonly clock: Clock;
  /** Inputs of jobs that are open, or that failed and have to wait. */
  readonly claims: Pick<ClaimedFiles, 'claim' | 'keep' | 'claimed'>;
  /** Files that other jobs work on, or are about to. */
  readonly others: Pick<ClaimedFiles, 'taken'>;
}

/**
 * Plans merges of files. The pass over all pointers is made in steps, between which the leader does other work; what
 * changes meanwhile makes the commit of a job refuse some ranges.
 */
export function fileCompactionPlanner({
  ask,
  clock,
  claims,
  others,
}: FileCompactionPlannerOptions): JobPlanner {
  return {
    kind: fileCompactionKind,
    openMax: metadataLimits.openCompactionsMax,
    retry: { firstMs: 30_000, maxMs: 600_000 },
    async plan({ nowMs, isOpen, freeCount }) {
      claims.keep(isOpen);
      const excluded = claims.claimed().union(others.taken());
      const steps = await ask((machine) => machine.planCompaction(nowMs, excluded));
      const found = await allSteps(steps, clock);
      const jobs = found.slice(0, freeCount).map((job): PlannedJob & { job: CompactionJob } => ({
        scope: scopeOf(job),
        task: writeCompactionTask(job),
        job,
      }));
      // Until now the plan may contain pointers that a crash could undo.
      await ask(() => undefined);
      for (const { scope, job } of jobs)
        claims.claim(
          scope,
          job.inputs.map(({ fileId }) => fileId),
        );
      return jobs;
    },
  };
}

function scopeOf({ level, inputs }: CompactionJob): string {
  return `level ${level} from ${inputs[0]!.fileId}`;
}
