import { unlessAllFailed } from '../store/failed-deletions.ts';
import type { CallOptions, FailedDeletion, ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** Removes an object from all buckets. Fails if one of them did not do it; then it may still be there. */
export async function deleteFromAll(
  stores: readonly ObjectStore[],
  key: string,
  call: CallOptions | undefined,
): Promise<void> {
  const results = await Promise.allSettled(stores.map((store) => store.delete(key, call)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Removes objects from all buckets. Those that one of the buckets did not remove count as not removed. */
export async function deleteManyFromAll(
  stores: readonly ObjectStore[],
  keys: readonly string[],
  call: CallOptions | undefined,
): Promise<readonly FailedDeletion[]> {
  const failed = new Map<string, FailedDeletion>();
  const results = await Promise.allSettled(stores.map((store) => store.deleteMany(keys, call)));
  for (const result of results) {
    if (result.status === 'fulfilled') for (const one of result.value) failed.set(one.key, one);
    else if (!(result.reason instanceof StoreError)) throw result.reason;
    else for (const key of keys) failed.set(key, { key, error: result.reason });
  }
  return unlessAllFailed(keys, [...failed.values()]);
}
