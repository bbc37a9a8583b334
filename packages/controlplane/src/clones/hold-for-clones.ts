import type { Clock } from '@weir/core';
import type { clusterMachines } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { listClones, readHeld } from './clone-objects.ts';

interface HoldOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Called with a line for the user when there are clones. */
  readonly onStep: (line: string) => void;
}

type Machine = ReturnType<typeof clusterMachines.restore>;

/**
 * Clones may have been made after the recovery point, and need files that are dead or unknown at it. Those of before
 * are as certain as their objects in the bucket, whatever the registry of this installation has.
 */
export async function holdForClones(
  { store, clusterId, clock, onStep }: HoldOptions,
  machine: Machine,
): Promise<void> {
  const clones = (await listClones(store, clusterId)).filter(({ isHeld }) => isHeld);
  if (clones.length === 0) return;
  onStep(`Holding the files of ${clones.length} clones`);
  const nowMs = clock.nowMs();
  for (const { cloneId } of clones) {
    const hold = machine.holds().find((found) => found.cloneId === cloneId);
    // The registry of this installation does not have the clone, and says nothing about it.
    if (hold?.state === 'open') machine.execute({ kind: 'confirmHold', cloneId, heldMs: hold.heldMs }, nowMs);
    if (hold !== undefined) continue;
    const fileIds = await readHeld(store, clusterId, cloneId);
    const { message } = machine.execute({ kind: 'holdFiles', cloneId, fileIds }, nowMs).reply;
    if (message !== null) throw new Error(message);
  }
}
