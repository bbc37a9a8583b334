import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread, so that produce and fetch get the processor first. Linux has priorities
 * per thread; on systems with priorities per process only, it does nothing.
 */
export function lowerPriorityOfThread(): void {
  if (process.platform !== 'linux') return;
  // Best effort: it may not be permitted.
  try {
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {}
}
