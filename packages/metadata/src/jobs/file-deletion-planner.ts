import { clusterConfigValue, fileDeletionKind, writeDeletionTask } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import type { JobPlanner } from './job-planner.ts';

/** One job at a time: it deletes a thousand files within a second or so, and the next follows at once. */
const scope = '';

/** A job that is not full follows the one before it after this time. */
const gatherMs = 30_000;

/**
 * Plans the deletion of files that have been dead for the grace period, the first to die first. A file that is dead
 * stays dead, so a job of an earlier leader, or one that runs twice, deletes nothing that is needed.
 *
 * Metadata may have to be restored from their backup, and there a file lives until the backup has the entry by which it
 * died. `backedUpMs` returns up to when the backup has all entries; absent if there is no backup.
 */
export function fileDeletionPlanner(ask: AskMachine, backedUpMs?: () => number | undefined): JobPlanner {
  return {
    kind: fileDeletionKind,
    openMax: 1,
    retry: { firstMs: 10_000, maxMs: 600_000 },
    async plan({ isOpen, lastDoneMs, nowMs: planMs }) {
      if (isOpen(scope)) return [];
      const dead = await ask((machine, nowMs) => {
        const configs = machine.clusterConfigs();
        if (!clusterConfigValue('service.file.delete.enable', configs)) return [];
        const delayMs = clusterConfigValue('service.file.delete.delay.ms', configs);
        return machine.deadFiles({
          deadBeforeMs: Math.min(nowMs - delayMs, backedUpMs?.() ?? nowMs),
          limit: metadataLimits.deletedFilesPerJobMax,
        });
      });
      if (dead.length === 0) return [];
      // Files die all the time; a job for every few of them would be mostly requests.
      const isFull = dead.length === metadataLimits.deletedFilesPerJobMax;
      if (!isFull && planMs - (lastDoneMs(scope) ?? 0) < gatherMs) return [];
      return [{ scope, task: writeDeletionTask(dead.map(({ fileId }) => fileId)) }];
    },
  };
}
