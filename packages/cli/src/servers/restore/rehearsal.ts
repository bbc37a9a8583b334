import { rehearseRestore } from '@weir/controlplane/backup';
import { formatBytes } from '@weir/core';
import type { Deps } from '../../deps.ts';
import { Progress } from '../../results/progress.ts';
import { printResult } from '../../results/results.ts';
import { asFailure, clusterToRestore, openBackup, type RestoreValues } from './backup.ts';

/** Reads the backup as a restore does, and changes nothing. */
export async function rehearse(values: RestoreValues, deps: Deps, url: string): Promise<number> {
  const { clock } = deps;
  await using running = new AsyncDisposableStack();
  const progress = new Progress(values, deps);
  running.defer(() => progress.clear());
  try {
    const store = await openBackup(url, values, deps, running);
    const clusterId = await clusterToRestore(store, values);
    const startMs = clock.monotonicMs();
    const { generation, recoveryPointMs, entryCount, topicCount, snapshotBytes } = await rehearseRestore({
      clusterId,
      store,
      onStep: () => progress.clear(),
      onAdvance: (advance) => progress.show(advance),
    });
    progress.clear();
    const seconds = (clock.monotonicMs() - startMs) / 1_000;
    const recoveryPoint = new Date(recoveryPointMs).toISOString();
    printResult(values, deps, {
      json: {
        cluster: clusterId,
        generation: generation + 1,
        topics: topicCount,
        recovery_point: recoveryPoint,
        entries: entryCount,
        snapshot_bytes: snapshotBytes,
        seconds,
      },
      text: () =>
        [
          `${clusterId} can be restored as generation ${generation + 1}; nothing was changed`,
          `  topics          ${topicCount}`,
          `  recovery point  ${recoveryPoint}`,
          `  read            ${entryCount} entries after the last snapshot, in ${seconds.toFixed(1)} s`,
          `  to be written   ${formatBytes(snapshotBytes)}`,
          '',
        ].join('\n'),
    });
    return 0;
  } catch (error) {
    throw asFailure(error);
  }
}
