import { unpackEntries } from '@weir/journal';
import { clusterMachines } from '@weir/metadata';
import { ObjectNotFound, type ObjectStore } from '@weir/storage';
import { type BackupChain, type BackupSegment, chainFrom, listBackup } from './backup-objects.ts';

/** A backup that cannot be restored; the message is for the user. */
export class RestoreProblem extends Error {
  override readonly name: string = 'RestoreProblem';
}

/** An object of the backup was replaced by another one since it was listed. */
export class BackupChanged extends RestoreProblem {
  override readonly name = 'BackupChanged';
}

export type BackedUpMachine = ReturnType<typeof clusterMachines.restore>;

interface BackupPlace {
  readonly store: ObjectStore;
  readonly clusterId: string;
}

/** How far a step of a restore has come. */
export interface RestoreAdvance {
  readonly done: number;
  readonly total: number;
  /** What is counted: `segments`. */
  readonly unit: string;
}

interface ReadOptions extends BackupPlace {
  /** Called with a line for the user when a step begins. */
  readonly onStep: (line: string) => void;
  /** Called as a step goes on. */
  readonly onAdvance?: ((advance: RestoreAdvance) => void) | undefined;
}

interface ReadBackup {
  readonly machine: BackedUpMachine;
  readonly chain: BackupChain;
  /** See `recoveryPointOf`. */
  readonly recoveryPointMs: number;
}

/** Objects, or parts of one, that are fetched at a time. */
const readsAtATime = 8;
/** More than any request to a store takes, with its repetitions. */
const requestMsMax = 600_000;
/** The size of one read of a snapshot. */
const readBytes = 8 * 1024 * 1024;

/**
 * The newest generation that can be read: a restore that was interrupted left one without objects. The journal of a
 * restored cluster begins with a snapshot, so that its entries alone are not enough.
 */
export async function newestWithObjects(
  { store, clusterId }: BackupPlace,
  generations: readonly number[],
): Promise<number | undefined> {
  for (const generation of generations.toReversed()) {
    const { snapshots, segments } = await listBackup(store, clusterId, generation);
    if (snapshots.length > 0 || (generation === 0 && segments.length > 0)) return generation;
  }
  return undefined;
}

/** The newest part of what a chain restores. */
function newestObject({ segments, snapshot }: BackupChain): { readonly key: string } {
  return segments.at(-1) ?? snapshot!;
}

/**
 * What was decided before this moment is in the chain: the time of its last entry, by the clock of the leader. Not the
 * time at which the bucket got it: while a slow request is under way, the leader decides more.
 *
 * Times of entries never run back, so that a clock that was once ahead leaves later entries with its time. If that is
 * ahead of the bucket, the time of the bucket counts, less what a request can take.
 */
export async function recoveryPointOf(
  { store }: BackupPlace,
  machine: BackedUpMachine,
  chain: BackupChain,
): Promise<number> {
  const { key } = newestObject(chain);
  const info = await store.head(key);
  if (info === undefined) throw new BackupChanged(`${key} was deleted meanwhile; start again`);
  const isAhead = machine.lastEntryMs > info.modifiedMs;
  return isAhead ? Math.max(0, info.modifiedMs - requestMsMax) : machine.lastEntryMs;
}

/** Reads the chain from the newest snapshot. If that is damaged, the one before it leads to the same state. */
export async function readGeneration(options: ReadOptions, generation: number): Promise<ReadBackup> {
  const { store, clusterId, onStep, onAdvance } = options;
  const { snapshots, segments } = await listBackup(store, clusterId, generation);
  const starts = snapshots.toReversed().map((snapshot) => chainFrom(snapshot, segments));
  if (generation === 0 && segments[0]?.firstPosition === 0) starts.push(chainFrom(undefined, segments));
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
      const machine = await readChain(options, chain, onAdvance);
      return { machine, chain, recoveryPointMs: await recoveryPointOf(options, machine, chain) };
    } catch (error) {
      if (error instanceof BackupChanged) throw error;
      problem = error;
      onStep((error as Error).message);
    }
  }
  throw problem;
}

async function readChain(
  place: BackupPlace,
  chain: BackupChain,
  onAdvance: ReadOptions['onAdvance'],
): Promise<BackedUpMachine> {
  const { snapshot, segments } = chain;
  const machine =
    snapshot === undefined
      ? clusterMachines.empty(place.clusterId)
      : reading(snapshot.key, await readWhole(place, snapshot.key), (bytes) =>
          clusterMachines.restore(bytes),
        );
  await applySegments(place, machine, snapshot?.position ?? 0, segments, onAdvance);
  return machine;
}

/** Applies the entries of segments from a position on, which the machine has reached. */
export async function applySegments(
  place: BackupPlace,
  machine: BackedUpMachine,
  fromPosition: number,
  segments: readonly BackupSegment[],
  onAdvance?: ReadOptions['onAdvance'],
): Promise<void> {
  let position = fromPosition;
  for (let at = 0; at < segments.length; at += readsAtATime) {
    const some = segments.slice(at, at + readsAtATime);
    const contents = await Promise.all(some.map(({ key }) => readWhole(place, key)));
    for (const [index, segment] of some.entries()) {
      reading(segment.key, contents[index]!, (bytes) => apply(machine, segment, position, bytes));
      position = segment.endPosition;
    }
    onAdvance?.({ done: at + some.length, total: segments.length, unit: 'segments' });
  }
}

function apply(machine: BackedUpMachine, segment: BackupSegment, position: number, bytes: Buffer): void {
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

async function readWhole({ store }: BackupPlace, key: string): Promise<Buffer> {
  const info = await store.head(key);
  if (info === undefined) throw new BackupChanged(`${key} was deleted meanwhile; start again`);
  const whole = Buffer.allocUnsafeSlow(info.bytes);
  const starts = Array.from({ length: Math.ceil(info.bytes / readBytes) }, (_, part) => part * readBytes);
  const left = starts.values();
  const takeTurns = async () => {
    for (const at of left) whole.set(await readPart(store, key, at, info.bytes), at);
  };
  await Promise.all(Array.from({ length: Math.min(starts.length, readsAtATime) }, takeTurns));
  return whole;
}

async function readPart(store: ObjectStore, key: string, at: number, fileBytes: number): Promise<Buffer> {
  const end = Math.min(fileBytes, at + readBytes);
  try {
    const part = await store.getRange(key, at, end);
    if (part.length === end - at) return part;
    throw new RestoreProblem(`${key}: it has ${at + part.length} bytes, not ${fileBytes}`);
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    throw new BackupChanged(`${key} was deleted meanwhile; start again`, { cause: error });
  }
}
