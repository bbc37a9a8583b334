import type { JobAgents, TakerLoad } from './job-agents.ts';
import type { OpenJob } from './open-jobs.ts';

/**
 * Returns a lasting job of an agent with many that is better at one with few, as when an agent was started. Jobs move
 * one at a time: none while one of the kind waits or has to stop.
 */
export function jobToMove(
  jobs: readonly OpenJob[],
  agents: Pick<JobAgents, 'loadsFor'>,
): OpenJob | undefined {
  if (jobs.some(({ taker, stopping }) => taker === undefined || stopping !== undefined)) return undefined;
  return jobs.find((job) => {
    const loads = agents.loadsFor(job, job.taker!);
    const own = loads.find(({ taker }) => taker === job.taker);
    return own !== undefined && loads.some((other) => isBetterPlace(other, own));
  });
}

/** Whether a job of `from` is better at `to`; never true in both directions. */
function isBetterPlace(to: TakerLoad, from: TakerLoad): boolean {
  const fewer = from.count - to.count;
  const fewerAlike = from.spreadCount - to.spreadCount;
  return (fewer >= 2 && fewerAlike >= 0) || (fewer >= 1 && fewerAlike >= 2);
}
