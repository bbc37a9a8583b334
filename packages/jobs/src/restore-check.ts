import type { ClusterView } from '@weir/broker';
import { clusterFacts } from '@weir/cluster';
import { type ObjectStore, restoreFenceKey, StoreError } from '@weir/storage';
import type { SearchedBucket } from './searched-buckets.ts';

interface RestoreCheckOptions {
  readonly clusterId: string;
  readonly view: Pick<ClusterView, 'records'>;
  /** The buckets of the cluster: a restore puts its fence into the one that has the metadata backup. */
  readonly buckets: () => readonly SearchedBucket[];
}

/**
 * Returns a check that rejects once the cluster was restored from its bucket into another database. A control plane of
 * the old database may not know yet, and files that are dead or unknown there are live in the new one.
 */
export function restoreCheck({
  clusterId,
  view,
  buckets,
}: RestoreCheckOptions): (signal: AbortSignal) => Promise<void> {
  const { namespace, key } = clusterFacts.generation;
  const facts = view.records(namespace);
  return async (signal) => {
    const stored = facts.byKey.get(key);
    const generation = stored === undefined ? 0 : Number(Buffer.from(stored).toString());
    for (const { number, open } of buckets()) {
      const store = await openOrLeave(number, open);
      const fence = await store?.head(restoreFenceKey(clusterId, generation + 1), { signal });
      if (fence !== undefined)
        throw new Error(
          `${clusterId} was restored into another database; stop the control planes and agents of this one`,
        );
    }
  };
}

/** A job of this agent deletes nothing in a bucket that the agent cannot use; the first one is always needed. */
async function openOrLeave(
  number: number | undefined,
  open: SearchedBucket['open'],
): Promise<ObjectStore | undefined> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreError) || number === 0) throw error;
    return undefined;
  }
}
