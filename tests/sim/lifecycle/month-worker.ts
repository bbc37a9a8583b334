import { parentPort, workerData } from 'node:worker_threads';
import { addLifeTally, type LifeTally, newLifeTally } from './life-tally.ts';
import { simulateMonth } from './life-world.ts';

export interface MonthWork {
  readonly from: number;
  readonly below: number;
  readonly step: number;
}

export type MonthOutcome = { readonly tally: LifeTally } | { readonly failure: string };

/** Runs seeds one after the other until one fails. */
async function runMonths({ from, below, step }: MonthWork): Promise<MonthOutcome> {
  Error.stackTraceLimit = 0;
  const tally = newLifeTally();
  for (let seed = from; seed < below; seed += step) {
    try {
      addLifeTally(tally, await simulateMonth(seed));
    } catch (error) {
      return { failure: (error as Error).message };
    }
  }
  return { tally };
}

runMonths(workerData as MonthWork).then((outcome) => parentPort!.postMessage(outcome));
