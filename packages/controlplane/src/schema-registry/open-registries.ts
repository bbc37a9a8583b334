import type { ClusterPort } from '@weir/cluster';
import { type Clock, type Log, type Random, release } from '@weir/core';
import { ClusterRegistries, type LoadedRegistry } from './cluster-registries.ts';

interface OpenRegistriesOptions {
  /** The leader of a cluster, local or remote. */
  readonly portOf: (clusterId: string) => Pick<ClusterPort, 'readRegistry' | 'changeRegistry'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The registries of clusters as their leaders have them. */
export function openRegistries({ portOf, clock, random, log }: OpenRegistriesOptions): ClusterRegistries {
  async function load(clusterId: string): Promise<LoadedRegistry> {
    // Imported on demand, so that a process without calls about schemas does not load it.
    const { loadSchemaFormats, RegistryReplica, RegistryService } = await import('@weir/registry');
    const store = new RegistryReplica({ port: portOf(clusterId), clock, random, log });
    const [formats] = await Promise.all([loadSchemaFormats(), store.ready()]);
    const service = new RegistryService({ store, formats, clock, clusterId, release });
    return {
      service,
      refresh: () => store.refresh(),
      async close() {
        store.close();
        await service.end();
      },
    };
  }
  return new ClusterRegistries({ load, clock, log });
}
