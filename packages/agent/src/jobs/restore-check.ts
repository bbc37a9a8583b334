import { clusterFacts } from '@weir/cluster';
import { type ObjectStore, restoreFenceKey } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';

interface RestoreCheckOptions {
  readonly clusterId: string;
  readonly view: Pick<ClusterView, 'records'>;
  readonly store: ObjectStore;
}

/**
 * Returns a check that rejects once the cluster was restored from its bucket into another database. A control plane of
 * the old database may not know yet, and files that are dead or unknown there are live in the new one.
 */
export function restoreCheck({
  clusterId,
  view,
  store,
}: RestoreCheckOptions): (signal: AbortSignal) => Promise<void> {
  const { namespace, key } = clusterFacts.generation;
  const facts = view.records(namespace);
  return async (signal) => {
    const stored = facts.byKey.get(key);
    const generation = stored === undefined ? 0 : Number(Buffer.from(stored).toString());
    const fence = await store.head(restoreFenceKey(clusterId, generation + 1), { signal });
    if (fence !== undefined)
      throw new Error(
        `${clusterId} was restored into another database; stop the control planes and agents of this one`,
      );
  };
}
