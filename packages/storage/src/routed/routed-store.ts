import { bucketOfKey } from '../log-file/file-id.ts';
import type { FailedDeletion, ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** The buckets of a cluster, by number. */
export interface BucketRoutes {
  /**
   * Returns the bucket of a number, opening it if necessary. Rejects with a `StoreError` if it cannot be used, such as
   * one that is not known yet.
   */
  storeOf(bucket: number): ObjectStore | Promise<ObjectStore>;

  /** Whether the cluster has a bucket of this number. What lies in another cannot be read, and need not be deleted. */
  isKnown(bucket: number): boolean;
}

/**
 * The buckets of a cluster as one store: the key of a log file says in which of them it lies (`bucketOfKey`). All other
 * objects lie in the first bucket, which is also the one that is listed. Closing it closes nothing.
 */
export function routedStore(routes: BucketRoutes): ObjectStore {
  const storeOf = (key: string) => routes.storeOf(bucketOfKey(key));
  return {
    put: async (key, content, options) => (await storeOf(key)).put(key, content, options),
    putIfAbsent: async (key, content, options) => (await storeOf(key)).putIfAbsent(key, content, options),
    beginUpload: async (key, options) => (await storeOf(key)).beginUpload(key, options),
    getRange: async (key, start, end, options) => (await storeOf(key)).getRange(key, start, end, options),
    head: async (key, options) => (await storeOf(key)).head(key, options),
    async delete(key, options) {
      if (routes.isKnown(bucketOfKey(key))) await (await storeOf(key)).delete(key, options);
    },
    async deleteMany(keys, options) {
      const keysOf = Map.groupBy(keys, bucketOfKey);
      const failed: FailedDeletion[] = [];
      const errors: StoreError[] = [];
      for (const [bucket, those] of keysOf) {
        if (!routes.isKnown(bucket)) continue;
        try {
          failed.push(...(await (await routes.storeOf(bucket)).deleteMany(those, options)));
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          errors.push(error);
          for (const key of those) failed.push({ key, error });
        }
      }
      if (errors.length > 0 && errors.length === keysOf.size) throw errors[0];
      return failed;
    },
    async *list(prefix, options) {
      yield* (await routes.storeOf(0)).list(prefix, options);
    },
    async close() {},
  };
}
