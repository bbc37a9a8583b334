import { clusterConfigValue, clusterFacts, deadFileScanKind, writeScanTask } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import type { JobPlanner } from './job-planner.ts';

/** A scan sees all buckets of the cluster. */
const scope = '';

/** A new leader does not know when the last scan was. It waits for this time, so that failovers do not add up. */
const firstScanMs = 600_000;

/** Plans a scan of the buckets at intervals. */
export function deadFileScanPlanner(ask: AskMachine, leadsSinceMs: number): JobPlanner {
  return {
    kind: deadFileScanKind,
    openMax: 1,
    retry: { firstMs: 60_000, maxMs: 3_600_000 },
    async plan({ isOpen, lastDoneMs, nowMs }) {
      if (isOpen(scope)) return [];
      const { intervalMs, knownFromMs, orphanPercentMax } = await ask((machine) => {
        const { namespace, key } = clusterFacts.filesKnownFrom;
        const configs = machine.clusterConfigs();
        return {
          intervalMs: clusterConfigValue('service.dead.file.scan.interval.ms', configs),
          orphanPercentMax: clusterConfigValue('service.dead.file.scan.orphan.percent.max', configs),
          knownFromMs: Number(machine.kv.get(namespace, key)?.toString() ?? 0),
        };
      });
      const lastMs = lastDoneMs(scope);
      const dueMs =
        lastMs === undefined ? leadsSinceMs + Math.min(intervalMs, firstScanMs) : lastMs + intervalMs;
      if (nowMs < dueMs) return [];
      const { orphanAgeMsMin: ageMsMin } = metadataLimits;
      return [{ scope, task: writeScanTask({ knownFromMs, ageMsMin, orphanPercentMax }) }];
    },
  };
}
