import type { KnownBucket } from '@weir/cluster';
import { bucketIdKey, type CallOptions, ObjectNotFound, type ObjectStore, StoreError } from '@weir/storage';

const idBytesMax = 64;
const idPattern = /^[\w-]{1,64}$/;

/**
 * Returns the id that lies in a bucket for a cluster. A clone finds the id of a bucket of the cluster that was cloned
 * below the prefix of that one.
 */
export async function readBucketId(
  store: ObjectStore,
  clusterId: string,
  known: readonly KnownBucket[] = [],
  options: CallOptions = {},
): Promise<string | undefined> {
  const own = await readIdOf(store, clusterId, options);
  if (own !== undefined) return own;
  for (const origin of new Set(known.flatMap(({ idOf }) => idOf ?? []))) {
    const id = await readIdOf(store, origin, options);
    if (known.some(({ bucketId, idOf }) => idOf === origin && bucketId === id)) return id;
  }
  return undefined;
}

/** Returns the id of a bucket, after putting one there if it has none. Of several agents that do so, one id stays. */
export async function giveBucketId(
  store: ObjectStore,
  clusterId: string,
  known: readonly KnownBucket[],
  freshId: () => string,
  options: CallOptions = {},
): Promise<string> {
  const found = await readBucketId(store, clusterId, known, options);
  if (found !== undefined) return found;
  const made = freshId();
  const key = bucketIdKey(clusterId);
  if (await store.putIfAbsent(key, [Buffer.from(`${made}\n`)], options)) return made;
  const other = await readIdOf(store, clusterId, options);
  if (other === undefined) throw new StoreError('unavailable', key, 'object was removed concurrently');
  return other;
}

async function readIdOf(
  store: ObjectStore,
  clusterId: string,
  options: CallOptions,
): Promise<string | undefined> {
  const key = bucketIdKey(clusterId);
  try {
    const id = (await store.getRange(key, 0, idBytesMax + 1, options)).toString().trim();
    if (!idPattern.test(id))
      throw new StoreError('invalid', key, 'invalid bucket id; restore the object or remove it');
    return id;
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
}
