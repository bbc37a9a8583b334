import { clusterPrefix, firstObject, listClusterIds, type ObjectStore, restoreFenceKey } from '@weir/storage';

/**
 * The objects of a metadata backup, below the prefix of the cluster in its bucket:
 *
 *     metadata/fences/<generation>                       a restore made this generation; earlier ones must end
 *     metadata/<generation>/closed                       the last leader of the generation has stored everything
 *     metadata/<generation>/leaders/<epoch>              a leader may have acknowledged something in this term
 *     metadata/<generation>/stopped/<epoch>-<position>   it stopped in order, and has stored all before the position
 *     metadata/<generation>/snapshots/<position>         the state before the entry at the position
 *     metadata/<generation>/entries/<first>-<end>        the journal from `first` to before `end`
 *
 * Numbers have leading zeros, so that keys sort by them. Entries of one position are the same in every object that has
 * it, whichever process wrote it and however late, because the journal has one entry per position. So writers need not
 * exclude each other, and no object is ever changed.
 *
 * A generation is one database. A restore begins the next one, with positions from 0.
 */
export interface BackupSnapshot {
  readonly key: string;
  readonly position: number;
}

export interface BackupSegment {
  readonly key: string;
  readonly firstPosition: number;
  readonly endPosition: number;
}

/** A term of a leader that ended in order: the bucket has all entries before the position. */
interface StoppedTerm {
  readonly key: string;
  readonly epoch: number;
  readonly position: number;
}

/** The objects of one generation. */
interface BackupObjects {
  /** By position. */
  readonly snapshots: readonly BackupSnapshot[];
  /** By first position. */
  readonly segments: readonly BackupSegment[];
  readonly leaders: readonly { readonly key: string; readonly epoch: number }[];
  readonly stopped: readonly StoppedTerm[];
}

const positionDigits = 16;
const generationDigits = 8;

const padded = (value: number, digits: number) => String(value).padStart(digits, '0');

function backupPrefix(clusterId: string): string {
  return `${clusterPrefix(clusterId)}metadata/`;
}

function generationPrefix(clusterId: string, generation: number): string {
  return `${backupPrefix(clusterId)}${padded(generation, generationDigits)}/`;
}

export const fenceKey = restoreFenceKey;

export function closedKey(clusterId: string, generation: number): string {
  return `${generationPrefix(clusterId, generation)}closed`;
}

export function leaderKey(clusterId: string, generation: number, epoch: number): string {
  return `${generationPrefix(clusterId, generation)}leaders/${padded(epoch, positionDigits)}`;
}

export function stoppedPrefix(clusterId: string, generation: number): string {
  return `${generationPrefix(clusterId, generation)}stopped/`;
}

export function stoppedKey(
  clusterId: string,
  generation: number,
  { epoch, position }: Omit<StoppedTerm, 'key'>,
): string {
  const name = `${padded(epoch, positionDigits)}-${padded(position, positionDigits)}`;
  return `${stoppedPrefix(clusterId, generation)}${name}`;
}

/**
 * Whether a chain of entries has all that was acknowledged: the last term in which anything can have been acknowledged
 * ended in order, and the chain reaches its end.
 */
export function isConfirmed({ leaders, stopped }: BackupObjects, endPosition: number): boolean {
  const lastEpoch = Math.max(0, ...leaders.map(({ epoch }) => epoch));
  return stopped.some(({ epoch, position }) => epoch >= lastEpoch && position <= endPosition);
}

export function snapshotKey(clusterId: string, generation: number, position: number): string {
  return `${generationPrefix(clusterId, generation)}snapshots/${padded(position, positionDigits)}`;
}

export function segmentKey(
  clusterId: string,
  generation: number,
  firstPosition: number,
  endPosition: number,
): string {
  const range = `${padded(firstPosition, positionDigits)}-${padded(endPosition, positionDigits)}`;
  return `${generationPrefix(clusterId, generation)}entries/${range}`;
}

/** Lists the objects of a generation. Objects with other names are left out. */
export async function listBackup(
  store: ObjectStore,
  clusterId: string,
  generation: number,
): Promise<BackupObjects> {
  const prefix = generationPrefix(clusterId, generation);
  const snapshots: BackupSnapshot[] = [];
  const segments: BackupSegment[] = [];
  const leaders: { key: string; epoch: number }[] = [];
  const stopped: StoppedTerm[] = [];
  for await (const page of store.list(prefix)) {
    for (const { key } of page) {
      const name = key.slice(prefix.length);
      const snapshot = /^snapshots\/(\d{16})$/.exec(name);
      if (snapshot !== null) snapshots.push({ key, position: Number(snapshot[1]) });
      const leader = /^leaders\/(\d{16})$/.exec(name);
      if (leader !== null) leaders.push({ key, epoch: Number(leader[1]) });
      const stop = /^stopped\/(\d{16})-(\d{16})$/.exec(name);
      if (stop !== null) stopped.push({ key, epoch: Number(stop[1]), position: Number(stop[2]) });
      const segment = /^entries\/(\d{16})-(\d{16})$/.exec(name);
      if (segment === null) continue;
      segments.push({ key, firstPosition: Number(segment[1]), endPosition: Number(segment[2]) });
    }
  }
  return { snapshots, segments, leaders, stopped };
}

/** The generations that have a fence or objects, in order. */
export async function listGenerations(store: ObjectStore, clusterId: string): Promise<number[]> {
  const prefix = backupPrefix(clusterId);
  const found = new Set<number>();
  let startAfter: string | undefined;
  // A generation may have many objects: after the first of one the listing continues behind all of them.
  for (;;) {
    const first = await firstObject(store, prefix, startAfter);
    if (first === undefined) break;
    const name = first.key.slice(prefix.length);
    const generation = /^(?:fences\/)?(\d{8})(?:$|\/)/.exec(name)?.[1];
    if (generation !== undefined) found.add(Number(generation));
    const isFence = name.startsWith('fences/');
    startAfter = isFence || generation === undefined ? first.key : `${prefix}${generation}/~`;
  }
  return [...found].sort((a, b) => a - b);
}

/** The clusters of a bucket that have a backup. */
export async function listBackedUpClusters(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for (const clusterId of await listClusterIds(store))
    if ((await firstObject(store, backupPrefix(clusterId))) !== undefined) found.push(clusterId);
  return found;
}

/** What restores a generation: a snapshot, or none, and the segments after it without a gap. */
export interface BackupChain {
  readonly snapshot: BackupSnapshot | undefined;
  /** Each begins at or before the end of the one before it, and ends after it. */
  readonly segments: readonly BackupSegment[];
  /** The position after the last entry. */
  readonly endPosition: number;
}

/** The chain that reaches furthest from a snapshot, or from position 0 without one. */
export function chainFrom(
  snapshot: BackupSnapshot | undefined,
  segments: readonly BackupSegment[],
): BackupChain {
  let endPosition = snapshot?.position ?? 0;
  const chain: BackupSegment[] = [];
  let best: BackupSegment | undefined;
  for (const segment of segments) {
    if (segment.firstPosition > endPosition) {
      if (best === undefined) break;
      chain.push(best);
      endPosition = best.endPosition;
      best = undefined;
      if (segment.firstPosition > endPosition) break;
    }
    if (segment.endPosition > Math.max(endPosition, best?.endPosition ?? 0)) best = segment;
  }
  if (best !== undefined) {
    chain.push(best);
    endPosition = best.endPosition;
  }
  return { snapshot, segments: chain, endPosition };
}
