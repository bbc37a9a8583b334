import { constants, setPriority } from 'node:os';

/**
 * Lets the thread that calls it wait for all others, so that produce and fetch get the processor first. Linux has priorities of threads; where there
 * are only those of whole processes nothing is done.
 */
export function lowerPriorityOfThread(): void {
  if (process.platform !== 'linux') return;
  // Nothing is lost when it is not allowed.
  try {
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {}
}
