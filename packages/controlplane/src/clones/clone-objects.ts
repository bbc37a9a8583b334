import { bucketIdKey, clusterPrefix, ObjectNotFound, type ObjectStore } from '@weir/storage';

/**
 * What a clone and the cluster that was cloned say to each other in the bucket (ADR 0041). Below the prefix of the
 * cluster:
 *
 *     clones/<clone>/held               the clone exists, and these files were held for it when it was made
 *     clones/<clone>/released/<name>    the clone does not need these files any more
 *
 * and below the prefix of the clone:
 *
 *     clone-of                          the cluster
 *
 * Lists of files are their ids, 16 bytes each.
 */
function clonesPrefix(sourceId: string): string {
  return `${clusterPrefix(sourceId)}clones/`;
}

function heldKey(sourceId: string, cloneId: string): string {
  return `${clonesPrefix(sourceId)}${cloneId}/held`;
}

function releaseKey(sourceId: string, cloneId: string, name: string): string {
  return `${clonesPrefix(sourceId)}${cloneId}/released/${name}`;
}

function cloneOfKey(cloneId: string): string {
  return `${clusterPrefix(cloneId)}clone-of`;
}

/** A clone, as the bucket has it. */
interface CloneObjects {
  readonly cloneId: string;
  /** Whether it exists. */
  readonly isHeld: boolean;
  /** Keys of lists of files that it does not need any more. */
  readonly releases: readonly string[];
}

export async function listClones(store: ObjectStore, sourceId: string): Promise<CloneObjects[]> {
  const prefix = clonesPrefix(sourceId);
  const found = new Map<string, { cloneId: string; isHeld: boolean; releases: string[] }>();
  for await (const page of store.list(prefix)) {
    for (const { key } of page) {
      const [, cloneId, isRelease] =
        /^([\w-]+)\/(?:held|(released\/)[\w-]+)$/.exec(key.slice(prefix.length)) ?? [];
      if (cloneId === undefined) continue;
      const clone = found.get(cloneId) ?? { cloneId, isHeld: false, releases: [] };
      found.set(cloneId, clone);
      if (isRelease === undefined) clone.isHeld = true;
      else clone.releases.push(key);
    }
  }
  return [...found.values()];
}

export async function putHeld(
  store: ObjectStore,
  sourceId: string,
  cloneId: string,
  fileIds: readonly string[],
): Promise<void> {
  await store.put(heldKey(sourceId, cloneId), [packed(fileIds)]);
}

export function readHeld(store: ObjectStore, sourceId: string, cloneId: string): Promise<string[]> {
  return readFileIds(store, heldKey(sourceId, cloneId));
}

/** The clone does not exist. */
export async function removeHeld(store: ObjectStore, sourceId: string, cloneId: string): Promise<void> {
  await store.delete(heldKey(sourceId, cloneId));
}

/** Puts a list of files under a name that follows from it, so that repeating it changes nothing. */
export async function putReleased(
  store: ObjectStore,
  sourceId: string,
  cloneId: string,
  fileIds: readonly string[],
): Promise<void> {
  const name = `${fileIds[0]}-${fileIds.at(-1)}-${fileIds.length}`;
  await store.put(releaseKey(sourceId, cloneId, name), [packed(fileIds)]);
}

export async function readFileIds(store: ObjectStore, key: string): Promise<string[]> {
  const info = await store.head(key);
  if (info === undefined) return [];
  const bytes = await store.getRange(key, 0, info.bytes);
  const text = bytes.toString('hex');
  return Array.from({ length: Math.floor(bytes.length / 16) }, (_, row) =>
    text.slice(32 * row, 32 * row + 32),
  );
}

/** Says below the prefix of a clone what it is, and that its bucket is that of the cluster. */
export async function putCloneOf(
  store: ObjectStore,
  sourceId: string,
  cloneId: string,
  bucketId: string,
): Promise<void> {
  await store.put(bucketIdKey(cloneId), [Buffer.from(`${bucketId}\n`)]);
  await store.put(cloneOfKey(cloneId), [Buffer.from(`${sourceId}\n`)]);
}

export async function isClone(store: ObjectStore, clusterId: string): Promise<boolean> {
  return (await store.head(cloneOfKey(clusterId))) !== undefined;
}

/** The clone does not exist any more: the cluster that was cloned ends its hold when it finds no `held`. */
export async function removeClone(store: ObjectStore, cloneId: string): Promise<void> {
  const sourceId = await readText(store, cloneOfKey(cloneId));
  if (sourceId === undefined) return;
  await store.delete(heldKey(sourceId, cloneId));
  await store.delete(cloneOfKey(cloneId));
}

/** The id of the bucket, as it is below the prefix of a cluster. */
export function readBucketId(store: ObjectStore, clusterId: string): Promise<string | undefined> {
  return readText(store, bucketIdKey(clusterId));
}

async function readText(store: ObjectStore, key: string): Promise<string | undefined> {
  try {
    return (await store.getRange(key, 0, 256)).toString().trim();
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
}

function packed(fileIds: readonly string[]): Buffer {
  return Buffer.from(fileIds.join(''), 'hex');
}
