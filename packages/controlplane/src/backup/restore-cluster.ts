import { clusterFacts } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { type JournalHub, unpackEntries } from '@weir/journal';
import { clusterMachines } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import {
  type BackupChain,
  type BackupObjects,
  type BackupSegment,
  chainFrom,
  closedKey,
  fenceKey,
  listBackup,
  listGenerations,
} from './backup-objects.ts';

interface RestoreOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly hub: JournalHub;
  readonly clock: Clock;
  /** How long a control plane that still leads the cluster has to find the fence and to store its last entries. */
  readonly fenceMs: number;
  /** Called with a line for the user when a step begins. */
  readonly onStep: (line: string) => void;
}

interface RestoredCluster {
  readonly generation: number;
  /** When the bucket got the newest part of what was restored, by the clock of the bucket. */
  readonly recoveryPointMs: number;
  /** Number of journal entries after the snapshot. */
  readonly entryCount: number;
  /** Whether the control plane that led before confirmed that the bucket has everything. */
  readonly isComplete: boolean;
  readonly topicCount: number;
}

/** A backup that cannot be restored; the message is for the user. */
export class RestoreProblem extends Error {
  override readonly name = 'RestoreProblem';
}

type Machine = ReturnType<typeof clusterMachines.restore>;

const pollMs = 500;
/** Objects that are fetched at a time. */
const readsAtATime = 8;
/** The size of one read of a snapshot. */
const readBytes = 8 * 1024 * 1024;

/**
 * Rebuilds the metadata of a cluster from its bucket into an empty database.
 *
 * First it fences: a control plane that still leads the cluster stops when it finds the fence, and then its last
 * entries are in the bucket. One that cannot reach the bucket does not stop, and what it acknowledges from then on is
 * lost.
 */
export async function restoreCluster(options: RestoreOptions): Promise<RestoredCluster> {
  const { clusterId, store, hub, clock, onStep } = options;
  if (!(await hub.isEmpty()))
    throw new RestoreProblem('the database has clusters already; name an empty one');
  const generations = await listGenerations(store, clusterId);
  const source = await newestWithObjects(options, generations);
  const generation = generations.at(-1)! + 1;
  onStep(`Fencing control planes that still serve ${clusterId}`);
  const text = `restored ${new Date(clock.nowMs()).toISOString()}\n`;
  if (!(await store.putIfAbsent(fenceKey(clusterId, generation), [Buffer.from(text)])))
    throw new RestoreProblem(`another restore of ${clusterId} has begun; wait for it, or start again`);
  const isComplete = await untilClosed(options, source);
  const objects = await listBackup(store, clusterId, source);
  const { machine, chain } = await readNewest(options, source, objects);
  const changes = [
    { ...clusterFacts.generation, value: Buffer.from(String(generation)) },
    { ...clusterFacts.supersededBy, value: null },
  ];
  const { message } = machine.execute({ kind: 'putEntries', changes }, clock.nowMs()).reply;
  if (message !== null) throw new RestoreProblem(message);
  onStep('Writing the database');
  const saving = machine.beginSave();
  try {
    await hub.journal(clusterId).saveSnapshot(0, saving.slices);
  } finally {
    saving.end();
  }
  const newest = chain.segments.at(-1) ?? chain.snapshot!;
  return {
    generation,
    recoveryPointMs: (await store.head(newest.key))?.modifiedMs ?? 0,
    entryCount: chain.endPosition - (chain.snapshot?.position ?? 0),
    isComplete,
    topicCount: machine.countResources().topics,
  };
}

/** The newest generation that has objects: a restore that was interrupted left one without. */
async function newestWithObjects(
  { store, clusterId }: RestoreOptions,
  generations: readonly number[],
): Promise<number> {
  for (const generation of generations.toReversed()) {
    const { snapshots, segments } = await listBackup(store, clusterId, generation);
    if (snapshots.length > 0 || segments.length > 0) return generation;
  }
  throw new RestoreProblem(`the bucket has no metadata backup of ${clusterId}`);
}

/** Waits until the leader of a generation has ended, for a limited time. Returns whether it said so. */
async function untilClosed(
  { store, clusterId, clock, fenceMs }: RestoreOptions,
  generation: number,
): Promise<boolean> {
  const key = closedKey(clusterId, generation);
  const endMs = clock.monotonicMs() + fenceMs;
  for (;;) {
    if ((await store.head(key)) !== undefined) return true;
    if (clock.monotonicMs() >= endMs) return false;
    await new Promise<void>((resolve) => clock.after(pollMs, resolve));
  }
}

interface ReadBackup {
  readonly machine: Machine;
  readonly chain: BackupChain;
}

/** Reads the chain from the newest snapshot. If that is damaged, the one before it leads to the same state. */
async function readNewest(
  options: RestoreOptions,
  generation: number,
  { snapshots, segments }: BackupObjects,
): Promise<ReadBackup> {
  const { onStep } = options;
  const starts = snapshots.toReversed().map((snapshot) => chainFrom(snapshot, segments));
  if (segments[0]?.firstPosition === 0) starts.push(chainFrom(undefined, segments));
  let problem: unknown = new RestoreProblem(
    `generation ${generation} of the backup has no snapshot and begins at position ${segments[0]?.firstPosition}; ` +
      'an object below metadata/ was deleted',
  );
  const endMax = Math.max(...starts.map(({ endPosition }) => endPosition));
  for (const chain of starts) {
    // A chain that ends earlier would silently lose what a damaged snapshot had.
    if (chain.endPosition < endMax) continue;
    onStep(`Reading generation ${generation} up to position ${chain.endPosition}`);
    try {
      return { machine: await readChain(options, chain), chain };
    } catch (error) {
      problem = error;
      onStep((error as Error).message);
    }
  }
  throw problem;
}

async function readChain({ store, clusterId }: RestoreOptions, chain: BackupChain): Promise<Machine> {
  const { snapshot, segments } = chain;
  const machine =
    snapshot === undefined
      ? clusterMachines.empty(clusterId)
      : reading(snapshot.key, await readWhole(store, snapshot.key), (bytes) =>
          clusterMachines.restore(bytes),
        );
  let position = snapshot?.position ?? 0;
  for (let at = 0; at < segments.length; at += readsAtATime) {
    const some = segments.slice(at, at + readsAtATime);
    const contents = await Promise.all(some.map(({ key }) => readWhole(store, key)));
    for (const [index, segment] of some.entries()) {
      reading(segment.key, contents[index]!, (bytes) => apply(machine, segment, position, bytes));
      position = segment.endPosition;
    }
  }
  return machine;
}

function apply(machine: Machine, segment: BackupSegment, position: number, bytes: Buffer): void {
  const { firstPosition, endPosition } = segment;
  const entries = unpackEntries(bytes, endPosition - firstPosition);
  for (const entry of entries.slice(position - firstPosition)) machine.apply(entry);
}

/** Names the object that cannot be read. */
function reading<Result>(key: string, bytes: Buffer, reader: (bytes: Buffer) => Result): Result {
  try {
    return reader(bytes);
  } catch (error) {
    throw new RestoreProblem(`${key}: ${(error as Error).message}`, { cause: error });
  }
}

async function readWhole(store: ObjectStore, key: string): Promise<Buffer> {
  const info = await store.head(key);
  if (info === undefined) throw new RestoreProblem(`${key} was deleted meanwhile; start again`);
  const whole = Buffer.allocUnsafeSlow(info.bytes);
  for (let at = 0; at < info.bytes; at += readBytes) {
    const part = await store.getRange(key, at, Math.min(info.bytes, at + readBytes));
    whole.set(part, at);
  }
  return whole;
}
