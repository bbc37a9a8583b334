import type { CompactionBacklog } from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { AskMachine } from './ask-machine.ts';
import { allSteps } from './plan-steps.ts';

/** Reads what should have been merged or compacted before a time, as the planners plan. */
export async function readCompactionBacklog(
  ask: AskMachine,
  clock: Clock,
  beforeMs: number,
): Promise<CompactionBacklog> {
  const levels = await allSteps(await ask((machine) => machine.compactionBacklog(beforeMs)), clock);
  const partitions = await allSteps(await ask((machine) => machine.keyCompactionBacklog(beforeMs)), clock);
  return { levels, partitions };
}
