import {
  type CompactionBacklog,
  type CompactionJob,
  fileCompactionKind,
  writeCompactionTask,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';

/**
 * Plans merges of files. The pass over all pointers is made in steps, between which the leader does other work; what
 * changes meanwhile makes the commit of a job refuse some ranges.
 */
export function fileCompactionPlanner(ask: AskMachine, clock: Clock): JobPlanner {
  /** The inputs of jobs that are open, or that failed and have to wait, by scope. */
  const inputsOf = new Map<string, readonly string[]>();
  return {
    kind: fileCompactionKind,
    openMax: metadataLimits.openCompactionsMax,
    retry: { firstMs: 30_000, maxMs: 600_000 },
    async plan({ nowMs, isOpen, freeCount }) {
      for (const scope of [...inputsOf.keys()]) if (!isOpen(scope)) inputsOf.delete(scope);
      const excluded = new Set([...inputsOf.values()].flat());
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
        inputsOf.set(
          scope,
          job.inputs.map(({ fileId }) => fileId),
        );
      return jobs;
    },
  };
}

/** Reads what should have been merged before a time, as `fileCompactionPlanner` plans. */
export async function readCompactionBacklog(
  ask: AskMachine,
  clock: Clock,
  beforeMs: number,
): Promise<CompactionBacklog> {
  return { levels: await allSteps(await ask((machine) => machine.compactionBacklog(beforeMs)), clock) };
}

/** Runs the steps of a plan, with other work in between. */
async function allSteps<Result>(steps: Generator<void, Result>, clock: Clock): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise<void>((resolve) => clock.after(0, resolve));
  }
}

function scopeOf({ level, inputs }: CompactionJob): string {
  return `level ${level} from ${inputs[0]!.fileId}`;
}
