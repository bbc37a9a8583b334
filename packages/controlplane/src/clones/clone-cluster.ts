import { type ClusterPort, clusterFacts } from '@weir/cluster';
import { type Clock, formatBytes } from '@weir/core';
import { EntriesPruned, type Journal, type JournalHub } from '@weir/journal';
import { clusterMachines } from '@weir/metadata';
import { type ObjectStore, restoreFenceKey } from '@weir/storage';
import { controlPlaneLimits } from '../limits.ts';
import { putCloneOf, putHeld, readBucketId, removeClone } from './clone-objects.ts';

interface CloneClusterOptions {
  readonly sourceId: string;
  /** The leader of the cluster. */
  readonly source: Pick<ClusterPort, 'holdFiles' | 'confirmHold' | 'abandonHold' | 'endHold'>;
  readonly hub: JournalHub;
  readonly store: ObjectStore;
  /** Makes the clone known, from when on it is served. Rejects if it cannot be. */
  readonly register: (cloneId: string) => Promise<void>;
  /** Undoes that. */
  readonly unregister: (cloneId: string) => Promise<void>;
  readonly freshId: () => string;
  readonly clock: Clock;
}

/** A cluster that cannot be cloned now; the message is for the user. */
export class CloneProblem extends Error {
  override readonly name = 'CloneProblem';
}

type Machine = ReturnType<typeof clusterMachines.restore>;

/** Entries per read of the journal. */
const entriesPerRead = 1_000;
/** A snapshot may be stored just when the state before it is read. */
const attemptsMax = 3;

/**
 * Makes a clone of a cluster, and returns its id. No file is copied: the clone begins with the state of the cluster at
 * the entry by which that holds its files, and refers to them.
 *
 * The hold comes first and is confirmed last. Where this ends in between, the upkeep of the cluster confirms the hold
 * of a clone that is registered, and ends that of one that is not.
 */
export async function cloneCluster(options: CloneClusterOptions): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const cloneId = options.freshId();
    const { message } = await options.source.holdFiles(cloneId);
    if (message !== null) throw new CloneProblem(message);
    try {
      if (await makeClone(options, cloneId)) return cloneId;
    } catch (error) {
      await undo(options, cloneId).catch(() => {});
      throw error;
    }
    await undo(options, cloneId).catch(() => {});
    if (attempt === attemptsMax)
      throw new CloneProblem('the metadata of the cluster changes too fast to be read; try again later');
  }
}

/** Returns false if the state at the hold cannot be read any more. */
async function makeClone(options: CloneClusterOptions, cloneId: string): Promise<boolean> {
  const { sourceId, source, hub, store, register, clock } = options;
  const machine = await stateAtHold(hub.journal(sourceId), sourceId, cloneId);
  if (machine === undefined) return false;
  const fact = ({ namespace, key }: (typeof clusterFacts)[keyof typeof clusterFacts]) =>
    machine.kv.get(namespace, key)?.toString();
  const generation = Number(fact(clusterFacts.generation) ?? 0);
  const bucketId = fact(clusterFacts.bucketId);
  if (bucketId === undefined)
    throw new CloneProblem(
      `${sourceId} has no bucket yet; start one of its agents with a bucket that is not in memory`,
    );
  if ((await readBucketId(store, sourceId)) !== bucketId)
    throw new CloneProblem(
      `the bucket of the control plane is not that of ${sourceId}, whose id is ${bucketId}; ` +
        'start the control plane with the -bucketURL of the agents',
    );
  const fileIds = machine.heldFiles(cloneId);
  const { heldMs } = machine.holds().find((hold) => hold.cloneId === cloneId)!;
  machine.becomeClone(cloneId, clock.nowMs());
  const saving = machine.beginSave();
  try {
    await hub.journal(cloneId).saveSnapshot(0, saving.slices);
  } finally {
    saving.end();
  }
  await putCloneOf(store, sourceId, cloneId, bucketId);
  await putHeld(store, sourceId, cloneId, fileIds);
  // Either this finds the fence of a restore of the cluster, or the restore finds the files that are held.
  if ((await store.head(restoreFenceKey(sourceId, generation + 1))) !== undefined)
    throw new CloneProblem(`${sourceId} is being restored into another database; clone it there`);
  await register(cloneId);
  if (!(await source.confirmHold(cloneId, heldMs)))
    throw new CloneProblem('making the clone took too long, and its files are not held any more; try again');
  return true;
}

/** In the order in which it is safe to stop: nothing refers to files that are not held. */
async function undo({ source, hub, store, unregister }: CloneClusterOptions, cloneId: string): Promise<void> {
  await unregister(cloneId);
  await source.abandonHold(cloneId);
  await removeClone(store, cloneId);
  await hub.forget(cloneId);
  await source.endHold(cloneId);
}

/** The state of a cluster right after the entry by which it holds files for a clone. */
async function stateAtHold(
  journal: Pick<Journal, 'loadSnapshot' | 'read'>,
  clusterId: string,
  cloneId: string,
): Promise<Machine | undefined> {
  let positionMax = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const snapshot = await journal.loadSnapshot(positionMax);
    const bytes = snapshot?.bytes.length ?? 0;
    if (bytes > controlPlaneLimits.cloneSnapshotBytesMax)
      throw new CloneProblem(
        `the metadata of ${clusterId} has ${bytes} bytes; clusters of up to ` +
          `${formatBytes(controlPlaneLimits.cloneSnapshotBytesMax)} can be cloned, so delete topics or shorten retention`,
      );
    const machine =
      snapshot === undefined ? clusterMachines.empty(clusterId) : clusterMachines.restore(snapshot.bytes);
    const isHeld = () => machine.holds().some((hold) => hold.cloneId === cloneId);
    if (!isHeld()) return replay(journal, machine, snapshot?.position ?? 0, isHeld);
    // The snapshot is of a later time. The one before it is still there, and the entries between them.
    if (snapshot === undefined || snapshot.position === 0) return undefined;
    positionMax = snapshot.position - 1;
  }
}

async function replay(
  journal: Pick<Journal, 'read'>,
  machine: Machine,
  fromPosition: number,
  isHeld: () => boolean,
): Promise<Machine | undefined> {
  let position = fromPosition;
  for (;;) {
    let entries: Buffer[];
    try {
      entries = await journal.read(position, entriesPerRead);
    } catch (error) {
      if (error instanceof EntriesPruned) return undefined;
      throw error;
    }
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      machine.apply(entry);
      if (isHeld()) return machine;
    }
    position += entries.length;
  }
}
