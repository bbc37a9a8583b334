import { ApiError } from '@weir/api';
import { type ClusterPort, clusterFacts } from '@weir/cluster';
import type { Clock, Random } from '@weir/core';
import type { JournalHub } from '@weir/journal';
import { clusterMachines } from '@weir/metadata';
import { type ObjectStore, restoreFenceKey } from '@weir/storage';
import { freshClusterId } from '../accounts/common/ids.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { CloneProblem, cloneCluster } from './clone-cluster.ts';
import { isClone, listClones, removeClone } from './clone-objects.ts';

interface CloneRegistry {
  /** Makes the clone known, from when on it is served. */
  readonly register: (cloneId: string) => Promise<void>;
  /** Undoes that. */
  readonly unregister: (cloneId: string) => Promise<void>;
}

/** Clones of the clusters of a control plane that knows their bucket. */
export interface ClusterCloning {
  /** Returns the id of the clone. Rejects with an error of the API if the cluster cannot be cloned now. */
  clone(source: VirtualCluster, registry: CloneRegistry): Promise<string>;
  /** Returns the ids of the clones that exist, or can be restored. */
  clonesOf(clusterId: string): Promise<string[]>;
  /** A cluster can no longer be restored. If it is a clone, its files need not be held any more. */
  forget(clusterId: string): Promise<void>;
}

interface ClusterCloningOptions {
  readonly hub: JournalHub;
  readonly store: ObjectStore;
  readonly portOf: (clusterId: string) => ClusterPort;
  readonly random: Random;
  readonly clock: Clock;
}

export function clusterCloning({ hub, store, portOf, random, clock }: ClusterCloningOptions): ClusterCloning {
  return {
    async clone({ id, type }, registry) {
      try {
        const freshId = () => freshClusterId(type, random);
        return await cloneCluster({
          sourceId: id,
          source: portOf(id),
          hub,
          store,
          freshId,
          clock,
          ...registry,
        });
      } catch (error) {
        if (error instanceof CloneProblem) throw new ApiError('conflict', error.message, { cause: error });
        throw error;
      }
    },

    async clonesOf(clusterId) {
      const clones = await listClones(store, clusterId);
      return clones.filter(({ isHeld }) => isHeld).map(({ cloneId }) => cloneId);
    },

    async forget(clusterId) {
      if (!(await isClone(store, clusterId))) return;
      // A clone that was restored into another database lives on there.
      const generation = await generationOf(hub, clusterId);
      if ((await store.head(restoreFenceKey(clusterId, generation + 1))) !== undefined) return;
      await removeClone(store, clusterId);
    },
  };
}

/** The generation of a cluster that is not led: it never changes within a database, so any snapshot has it. */
async function generationOf(hub: JournalHub, clusterId: string): Promise<number> {
  const snapshot = await hub.journal(clusterId).loadSnapshot();
  if (snapshot === undefined) return 0;
  const { namespace, key } = clusterFacts.generation;
  return Number(clusterMachines.restore(snapshot.bytes).kv.get(namespace, key)?.toString() ?? 0);
}
