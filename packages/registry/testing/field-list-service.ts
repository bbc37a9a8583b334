import { systemClock } from '@weir/core';
import { SchemaPool } from '../src/schema-work/schema-pool.ts';
import { SchemaWork } from '../src/schema-work/schema-work.ts';
import { RegistryService, type RegistryServiceOptions } from '../src/service/registry-service.ts';
import { fieldListFormats } from './field-list-format.ts';
import { MemoryRegistryStore } from './memory-registry-store.ts';

/** A service over a registry in memory, whose schemas are lists of fields. */
export function fieldListService(options: Partial<RegistryServiceOptions> = {}): RegistryService {
  const clock = options.clock ?? systemClock;
  const pool = new SchemaPool({ clock, workerUrl: new URL(import.meta.resolve('./field-list-worker.ts')) });
  return new RegistryService({
    store: new MemoryRegistryStore(),
    formats: fieldListFormats,
    clock,
    clusterId: 'vci_sr_test',
    release: 'test',
    work: new SchemaWork({ formats: fieldListFormats, pool }),
    ...options,
  });
}
