import type { RegistryEntry } from '@weir/cluster';
import type { clusterMachines } from '@weir/metadata';
import { reserveIds } from '@weir/registry/reserve-ids';

type Machine = ReturnType<typeof clusterMachines.restore>;

const pageBytesMax = 8 * 1024 * 1024;

/** Changes of the schema registry after the recovery point are lost. Ids that they gave out are not given out again. */
export function reserveSchemaIds(machine: Machine): void {
  machine.renewRegistry(reserveIds(entriesOf(machine)));
}

function* entriesOf(machine: Machine): Generator<RegistryEntry> {
  let afterRevision = 0;
  for (;;) {
    const { revision, entries, isComplete } = machine.readRegistry({
      afterRevision,
      startRevision: machine.registryRevision,
      bytesMax: pageBytesMax,
    });
    yield* entries;
    if (isComplete) return;
    afterRevision = entries.at(-1)?.revision ?? revision;
  }
}
