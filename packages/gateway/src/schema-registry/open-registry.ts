import type { ClusterPort } from '@weir/cluster';
import type { AllowedHosts } from '@weir/cluster/outbound';
import type { Clock, Log, Random } from '@weir/core';
import {
  avroFormat,
  jsonSchemaFormat,
  protobufFormat,
  type RegistryChangeStream,
  RegistryReplica,
  RegistryService,
  type RegistryState,
} from '@weir/registry';
import type { RegistryMetrics } from './registry-metrics.ts';

export { registryRequests } from './registry-requests.ts';

interface RegistryParts {
  readonly clusterId: string;
  readonly port: ClusterPort;
  readonly changes: RegistryChangeStream;
  readonly allowedHosts?: AllowedHosts | undefined;
  readonly release: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: RegistryMetrics;
}

/** The registry of a cluster, as one agent sees it. */
interface OpenRegistry {
  /** Waits until the registry was read once. */
  readonly service: () => Promise<RegistryService>;
  /** Its state, after everything that was acknowledged. */
  readonly freshState: () => Promise<RegistryState>;
  close(): Promise<void>;
}

export function openRegistry(parts: RegistryParts): OpenRegistry {
  const store = new RegistryReplica(parts);
  const formats = { AVRO: avroFormat, PROTOBUF: protobufFormat, JSON: jsonSchemaFormat };
  const service = new RegistryService({
    ...parts,
    store,
    formats,
    unusableSecrets: (names) => parts.port.unusableSecrets(names),
    sealSettings: (exporter, settings) => parts.port.sealSettings(exporter, settings),
  });
  return {
    async service() {
      await store.ready();
      parts.metrics.versions.set(store.state.versionCount);
      return service;
    },
    async freshState() {
      await store.refresh();
      return store.state;
    },
    async close() {
      store.close();
      await service.end();
    },
  };
}
