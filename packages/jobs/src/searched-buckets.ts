import type { ClusterBuckets } from '@weir/broker';
import type { ObjectStore } from '@weir/storage';

/** A bucket that may have files of the cluster. */
export interface SearchedBucket {
  /** Its number in the cluster; absent for one that the cluster does not know, where files of any number may lie. */
  readonly number?: number | undefined;
  /** Rejects with a `StoreError` if this agent cannot use the bucket. */
  readonly open: () => ObjectStore | Promise<ObjectStore>;
}

/** All buckets of a cluster at this moment, and further ones in which its files may lie. */
export function searchedBuckets(
  store: ObjectStore,
  buckets: Pick<ClusterBuckets, 'numbers' | 'storeOf'> | undefined,
  additional: readonly ObjectStore[],
): readonly SearchedBucket[] {
  const own: readonly SearchedBucket[] =
    buckets === undefined
      ? [{ number: 0, open: () => store }]
      : buckets.numbers().map((number) => ({ number, open: () => buckets.storeOf(number) }));
  return [...own, ...additional.map((other) => ({ open: () => other }))];
}
