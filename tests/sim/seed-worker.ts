import { parentPort, workerData } from 'node:worker_threads';
import { addTally, newTally, type Tally } from './tally.ts';
import { simulate } from './world.ts';

export interface SeedWork {
  readonly from: number;
  readonly below: number;
  readonly step: number;
  readonly movesMidway: boolean;
}

export type SeedOutcome = { readonly tally: Tally } | { readonly failure: string };

/** Runs seeds in sequence until one fails. */
async function runSeeds({ from, below, step, movesMidway }: SeedWork): Promise<SeedOutcome> {
  // No stack traces: errors are frequent here, and their origin matters only when a failing seed is run alone.
  Error.stackTraceLimit = 0;
  const tally = newTally();
  for (let seed = from; seed < below; seed += step) {
    try {
      addTally(tally, await simulate(seed, { movesMidway }));
    } catch (error) {
      return { failure: (error as Error).message };
    }
  }
  return { tally };
}

runSeeds(workerData as SeedWork).then((outcome) => parentPort!.postMessage(outcome));
