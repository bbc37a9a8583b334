import { type ClusterPort, clusterFacts } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { type ObjectStore, restoreFenceKey } from '@weir/storage';
import { listClones, putReleased, readBucketId, readFileIds, readHeld, removeHeld } from './clone-objects.ts';

type HoldsPort = Pick<
  ClusterPort,
  | 'listHolds'
  | 'holdListedFiles'
  | 'confirmHold'
  | 'abandonHold'
  | 'releaseHeldFiles'
  | 'endHold'
  | 'listUnneededFiles'
  | 'forgetUnneededFiles'
>;

/** The methods of a node that are needed. */
type KeptNode = Pick<ClusterNode, 'role' | 'onRole' | 'record'> & HoldsPort;

interface CloneUpkeepOptions {
  readonly clusterId: string;
  readonly node: KeptNode;
  readonly store: ObjectStore;
  /** Whether the registry has a cluster, also if it was deleted and can be restored. */
  readonly isRegistered: (clusterId: string) => Promise<boolean>;
  /** Removes what is left of a clone that was never made completely. */
  readonly onAbandoned: (cloneId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const intervalMs = 60_000;

/** Making a clone takes less. An open hold that is older belongs to a process that is gone. */
const abandonedMsMin = 3_600_000;

/** Rounds between looks into the bucket when no clone is known: a database may have been set back from outside. */
const idleRounds = 30;

/** How long a process that stops waits for its last round. */
const endMsMax = 2_000;

type Hold = Awaited<ReturnType<HoldsPort['listHolds']>>[number];

/**
 * Keeps the holds of a cluster while this process leads it, and if the cluster is a clone, reports to the cluster that
 * was cloned what it does not need any more. Both speak through the bucket, so that they need not be served at the same
 * time or by the same installation.
 *
 * Every step may be lost or repeated: a hold ends only when the bucket says that its clone is gone, and a released file
 * is one that the clone never refers to again.
 */
export class CloneUpkeep {
  readonly #options: CloneUpkeepOptions;
  #cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  #idleRoundsLeft = 0;
  #hasEnded = false;
  readonly #stopListening: () => void;

  constructor(options: CloneUpkeepOptions) {
    this.#options = options;
    this.#stopListening = options.node.onRole((role) => {
      this.#idleRoundsLeft = 0;
      if (role === 'leader') this.#next(0);
    });
    this.#next(intervalMs);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#stopListening();
    this.#cancel();
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(endMsMax, resolve);
      void this.#running.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #next(delayMs: number): void {
    this.#cancel();
    if (this.#hasEnded) return;
    this.#cancel = this.#options.clock.after(delayMs, () => {
      this.#running = this.#running.then(() => this.#run()).then(() => this.#next(intervalMs));
    });
  }

  /** One round. Never rejects. */
  async #run(): Promise<void> {
    const { node, log, clusterId } = this.#options;
    if (node.role !== 'leader' || this.#hasEnded) return;
    try {
      await keepClones(this.#options, () => --this.#idleRoundsLeft < 0);
      if (this.#idleRoundsLeft < 0) this.#idleRoundsLeft = idleRounds;
    } catch (error) {
      this.#idleRoundsLeft = 0;
      log.warn('failed to keep clones, retrying', { clusterId, error: (error as Error).message });
    }
  }
}

/** One round. `looksAnyway` says whether the bucket is searched although no clone is known. */
export async function keepClones(
  options: Omit<CloneUpkeepOptions, 'log'>,
  looksAnyway: () => boolean,
): Promise<void> {
  const { clusterId, node, store } = options;
  const holds = await node.listHolds();
  const sourceId = factOf(node, 'cloneOf');
  const unneeded = sourceId === undefined ? [] : await node.listUnneededFiles();
  if (holds.length === 0 && unneeded.length === 0 && !looksAnyway()) return;
  const bucketId = factOf(node, 'bucketId');
  // No agent has written yet.
  if (bucketId === undefined) return;
  if ((await readBucketId(store, clusterId)) !== bucketId) {
    // Clusters of one control plane may have buckets of their own, and can then not be cloned.
    if (holds.length === 0 && unneeded.length === 0) return;
    throw new Error(`the bucket of the control plane is not that of ${clusterId}, whose id is ${bucketId}`);
  }
  // What is dead or unneeded here may be live in a database that the cluster was restored into.
  const generation = Number(factOf(node, 'generation') ?? 0);
  if ((await store.head(restoreFenceKey(clusterId, generation + 1))) !== undefined) return;
  if (sourceId !== undefined) await reportUnneeded(options, sourceId, unneeded);
  await keepHolds(options, holds);
}

function factOf(node: KeptNode, name: keyof typeof clusterFacts): string | undefined {
  const { namespace, key } = clusterFacts[name];
  return node.record(namespace, key)?.toString();
}

/** Reports first and forgets then: what is reported twice changes nothing. */
async function reportUnneeded(
  { clusterId, node, store }: Pick<CloneUpkeepOptions, 'clusterId' | 'node' | 'store'>,
  sourceId: string,
  unneeded: readonly string[],
): Promise<void> {
  for (let fileIds = unneeded; fileIds.length > 0; fileIds = await node.listUnneededFiles()) {
    await putReleased(store, sourceId, clusterId, fileIds);
    if ((await node.forgetUnneededFiles(fileIds)) === 0) return;
  }
}

async function keepHolds(options: Omit<CloneUpkeepOptions, 'log'>, holds: readonly Hold[]): Promise<void> {
  const { clusterId, node, store } = options;
  const clones = await listClones(store, clusterId);
  const isHeld = new Set(clones.filter((clone) => clone.isHeld).map(({ cloneId }) => cloneId));
  for (const hold of holds) await keepHold(options, hold, isHeld.has(hold.cloneId));
  const known = new Set(holds.map(({ cloneId }) => cloneId));
  for (const cloneId of isHeld) if (!known.has(cloneId)) await holdAgain(options, cloneId);
  for (const { cloneId, releases } of clones) {
    for (const key of releases) {
      await node.releaseHeldFiles(cloneId, await readFileIds(store, key));
      await store.delete(key);
    }
  }
}

async function keepHold(
  options: Omit<CloneUpkeepOptions, 'log'>,
  { cloneId, state, heldMs }: Hold,
  isHeld: boolean,
): Promise<void> {
  const { node, clock, isRegistered } = options;
  switch (state) {
    case 'confirmed':
      if (!isHeld) await node.endHold(cloneId);
      break;
    case 'open':
      // The process that made it ended before it could confirm it, or will.
      if (await isRegistered(cloneId)) await node.confirmHold(cloneId, heldMs);
      else if (clock.nowMs() - heldMs >= abandonedMsMin && (await node.abandonHold(cloneId))) {
        await endAbandoned(options, cloneId);
      }
      break;
    case 'abandoned':
      await endAbandoned(options, cloneId);
      break;
  }
}

/** The hold ends last, so that what is left of the clone is never taken for one that exists. */
async function endAbandoned(
  { clusterId, node, store, onAbandoned }: Omit<CloneUpkeepOptions, 'log'>,
  cloneId: string,
): Promise<void> {
  await removeHeld(store, clusterId, cloneId);
  await onAbandoned(cloneId);
  await node.endHold(cloneId);
}

/** The database of the cluster was set back to a point before the clone was made. */
async function holdAgain(
  { clusterId, node, store }: Omit<CloneUpkeepOptions, 'log'>,
  cloneId: string,
): Promise<void> {
  const { message } = await node.holdListedFiles(cloneId, await readHeld(store, clusterId, cloneId));
  if (message !== null) throw new Error(message);
}
